"""Which language is spoken, and that words of one that nobody knows are not counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from pseudovoice.asr.languages import NAMES, language_code, languages_of
from pseudovoice.asr.moonshine import Moonshine
from pseudovoice.asr.recogniser import SpeechRecogniser
from pseudovoice.asr.whisper import Whisper
from pseudovoice.corpus import Corpus, Utterance, load
from pseudovoice.demo.recordings import COLLECTION, RECORDINGS
from pseudovoice.errors import UsageError
from pseudovoice.models import FetchError
from pseudovoice.text.plain import plain_words
from pseudovoice.utility.assess import assess_utility
from pseudovoice.utility.spoken import LanguageEar, Spoken, _taken_for, spoken_in


@dataclass(frozen=True)
class EnglishOnly:
    """A recogniser that hears the same in everything."""

    name: str = "english-only"
    sample_rate: int = 16_000
    licence: str = "none"
    sha256s: dict[str, str] = field(default_factory=lambda: {"weights": "0" * 64})
    decoding: str = "none"
    languages: tuple[str, ...] = ("en",)

    def transcribe(self, samples: NDArray[Any]) -> str:
        return f"{len(samples)} words"


@pytest.mark.parametrize(
    ("given", "code"), [("de", "de"), ("German", "de"), (" GERMAN ", "de"), ("auto", "auto")]
)
def test_languages_by_code_and_name(given: str, code: str) -> None:
    assert language_code(given) == code


def test_no_such_language() -> None:
    with pytest.raises(UsageError, match="such as de or German"):
        language_code("Klingonisch")


def test_words_of_other_languages_keep_their_letters() -> None:
    said = plain_words("»Größe«, l’été — 3 Straßen; d'accord!")
    assert said == "grösse l’été 3 strassen d'accord"


def test_words_of_a_language_that_is_not_known_are_not_measured(dev: Corpus) -> None:
    some = dev.subset(ids=[u.id for u in dev][:3])
    done = assess_utility(
        some, some, recogniser=EnglishOnly(), measures=("words", "prosody"), language="German",
        replicates=10,
    )  # fmt: skip
    assert not [row for row in done.rows if row.metric in ("wer", "cer", "lost")]
    assert [row for row in done.rows if row.metric == "f0_correlation"]
    assert done.provenance["words_counted"] is None
    assert done.provenance["language"] == {"utterances": {"de": 3}, "heard_by": None}
    assert "Words are not measured: they are in German" in done.notes[0]
    assert "knows English only" in done.notes[0]


def test_the_table_names_recogniser_language_and_reference(dev: Corpus) -> None:
    some = dev.subset(ids=[u.id for u in dev][:2])
    for reference, against in (("original", "its own transcript"), ("auto", "given transcripts")):
        done = assess_utility(
            some, some, recogniser=EnglishOnly(), measures=("words",), language="en",
            reference=reference, replicates=10,  # type: ignore[arg-type]
        )  # fmt: skip
        counted = done.provenance["words_counted"]
        assert counted.startswith("english-only (English) against")
        assert against in counted
        assert done.value("wer").method.startswith(counted)


def test_nobody_listens_where_the_recogniser_does_not_tell(dev: Corpus) -> None:
    def ear() -> LanguageEar:
        raise AssertionError

    assert (
        spoken_in(dev.utterances[:2], "auto", EnglishOnly(languages=()), ear, "mean", None)
        == Spoken()
    )


def test_where_nobody_can_listen_it_is_said(dev: Corpus) -> None:
    def ear() -> LanguageEar:
        raise FetchError("there is no npm here")

    some = dev.utterances[:2]
    spoken = spoken_in(some, "auto", EnglishOnly(), ear, "mean", None)
    (note,) = spoken.notes(EnglishOnly(), some)
    assert "there is no npm here" in note
    assert "taken for English" in note


@pytest.mark.parametrize(
    ("heard", "known", "taken"),
    [
        ({"cy": 0.6, "en": 0.3}, ("en",), "en"),  # English with a Welsh accent
        ({"cy": 0.95, "en": 0.02}, ("en",), "cy"),
        ({"de": 1.0}, ("en",), "de"),
        ({"cy": 0.6, "en": 0.3}, ("en", "cy", "de"), "cy"),
    ],
)
def test_an_accent_is_no_language(
    heard: dict[str, float], known: tuple[str, ...], taken: str
) -> None:
    assert _taken_for(heard, known) == taken


# --- by ear


def _recording(language: str, seconds: int) -> NDArray[np.float32]:
    one = next(r for r in RECORDINGS if r.language == language)
    path: Path = COLLECTION.folder / one.file.path
    if not path.is_file():
        pytest.skip("the recordings of the demo are not in the cache")
    whole = load(Utterance("a", "a", path), sample_rate=16_000)
    return whole[10 * 16_000 : (10 + seconds) * 16_000]


@pytest.mark.parametrize(("language", "code"), [("german", "de"), ("italian", "it")])
def test_real_speech_is_heard_in_its_language(whisper: Whisper, language: str, code: str) -> None:
    told = whisper.languages_heard(_recording(language, 15))
    assert sum(told.values()) == pytest.approx(1.0)
    assert max(told, key=lambda one: told[one]) == code


def test_english_is_heard_and_written(whisper: Whisper, moonshine: Moonshine, dev: Corpus) -> None:
    mine = dev.utterances[:2]
    spoken = spoken_in(mine, "auto", moonshine, lambda: whisper, "mean", None)
    assert set(spoken.codes.values()) == {"en"}
    assert spoken.by == "whisper-base"
    assert spoken.notes(moonshine, mine) == []


def test_whisper_writes_german_if_it_is_told_to(whisper: Whisper) -> None:
    german = Spoken({"a": "de"}).recogniser(Utterance("a", "a", Path("a.wav")), whisper)
    assert isinstance(german, SpeechRecogniser)
    assert languages_of(german)[0] == "de"
    assert "German" in german.decoding
    words = plain_words(german.transcribe(_recording("german", 8))).split()
    assert {"und", "die", "der", "das", "es", "in", "ein", "sie", "er", "auf"} & set(words)


def test_every_language_of_whisper_has_a_name(whisper: Whisper) -> None:
    assert set(whisper.languages) == set(NAMES)
    assert whisper.languages[0] == "en"
