"""Words that are not said are found out by ear; words that are said are let in."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pseudovoice.alignment import AlignmentError, SphinxAligner, Word, align
from pseudovoice.alignment.heard import (
    BOUND,
    Difference,
    Listening,
    differences,
    likelier,
    parts,
)
from pseudovoice.asr.moonshine import Moonshine, load_moonshine
from pseudovoice.asr.recogniser import Hearing
from pseudovoice.cli.main import app
from pseudovoice.corpus import Utterance, load, read_corpus
from pseudovoice.errors import InputError, UsageError
from pseudovoice.models import FetchError

RATE = 16_000


@pytest.fixture(scope="module")
def moonshine() -> Moonshine:
    try:
        return load_moonshine()
    except FetchError as error:
        pytest.skip(f"the weights of moonshine-base are not to be had: {error}")


@pytest.fixture(scope="module")
def listening(moonshine: Moonshine) -> Listening:
    return Listening(SphinxAligner(), moonshine)


@pytest.fixture(scope="module")
def spoken(shared: Path) -> Utterance:
    """Four seconds of dev: BUT IN LESS THAN FIVE MINUTES THE STAIRCASE GROANED …"""
    source = shared / "speech" / "dev"
    if not (source / "metadata.tsv").is_file():
        pytest.skip(f"there is no speech in {source}")
    return read_corpus(source).by_id["84-121123-0001"]


def test_what_is_said_is_let_in_with_the_times_of_the_aligner(
    spoken: Utterance, listening: Listening
) -> None:
    assert align(spoken, listening).words == align(spoken, SphinxAligner()).words


@pytest.mark.parametrize(
    ("said", "written", "sentence"),
    [
        (
            "STAIRCASE",
            "TELEPHONE",
            "word 8 of the transcript ('TELEPHONE') sounds like 'staircase'",
        ),
        ("FIVE ", "", "after word 4 ('THAN') 'five' is heard, which the transcript lacks"),
        ("GROANED", "GROANED HEAVILY", "word 10 of the transcript ('HEAVILY') is not heard"),
    ],
)
def test_one_wrong_word_is_found_out_and_named(
    said: str, written: str, sentence: str, spoken: Utterance, listening: Listening
) -> None:
    assert spoken.transcript is not None
    wrong = replace(spoken, transcript=spoken.transcript.replace(said, written))
    assert align(wrong, SphinxAligner()).confidence is not None  # the search alone lets it in
    with pytest.raises(AlignmentError) as caught:
        align(wrong, listening)
    assert caught.value.kind == "heard"
    assert sentence.lower() in str(caught.value).lower()
    assert "check that the transcript is what is said" in str(caught.value)


def test_a_long_utterance_is_heard_in_parts(
    spoken: Utterance, moonshine: Moonshine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two seconds at once, in place of thirty, and the wrong word is in the last part.

    What is heard again has quiet around it and must not last too long, either.
    """
    monkeypatch.setattr("pseudovoice.asr.moonshine.LONGEST_SECONDS", 2.5)
    ear = Listening(SphinxAligner(), moonshine)
    assert spoken.transcript is not None
    wrong = replace(spoken, transcript=spoken.transcript.replace("WEIGHT", "BICYCLE"))
    with pytest.raises(AlignmentError, match=r"word 13 .*'BICYCLE'"):
        align(wrong, ear)
    with pytest.raises(InputError, match=r"lasts 4\.0 s, and moonshine-base weighs"):
        moonshine.hearing(load(spoken, sample_rate=RATE))


def test_parts_are_cut_in_the_longest_pause_of_the_middle() -> None:
    words = [Word("a", 0.1, 1.0), Word("b", 1.2, 4.0), Word("c", 4.5, 6.0), Word("d", 9.0, 9.9)]
    assert parts(words, 10.0, 12.0) == [(0, 0.0), (4, 10.0)]
    assert parts(words, 10.0, 6.0) == [(0, 0.0), (2, 4.25), (4, 10.0)]
    # A single word that is longer than all that can be heard stays whole.
    assert parts(words[:1], 10.0, 6.0) == [(0, 0.0), (1, 10.0)]


def test_texts_differ_where_other_words_are_spoken() -> None:
    heard = ["In", "1839,", "some", "time", "ago,", "Mr.", "Smith", "left."]
    year = ["IN", "EIGHTEEN", "THIRTY", "NINE", "SOMETIME", "AGO", "MISTER"]
    assert differences(heard, [*year, "SMITH", "LEFT"]) == []
    assert differences(heard, [*year, "JONES"]) == [Difference(6, 8, 7, 8)]
    assert differences(["so"], ["so", "it", "is"]) == [Difference(1, 1, 1, 3)]


@pytest.mark.parametrize(
    ("heard", "written", "found"),
    [
        ("He paid $5.", "HE PAID FIVE DOLLARS", []),
        ("He paid $5.", "HE PAID FOUR DOLLARS", [Difference(2, 3, 2, 4)]),
        ("He paid $5 then.", "HE PAID FIVE THEN", [Difference(2, 3, 2, 3)]),
        ("Paid four dollars.", "PAID $5", [Difference(1, 3, 1, 2)]),
        ("In 205 years", "IN TWO HUNDRED AND FIVE YEARS", []),
        ("two hundred five so", "TWO HUNDRED AND FIVE NO", [Difference(3, 4, 4, 5)]),
        ("", "A", [Difference(0, 0, 0, 1)]),
        ("a", "", [Difference(0, 1, 0, 0)]),
    ],
)
def test_a_number_is_one_word_on_either_side(
    heard: str, written: str, found: list[Difference]
) -> None:
    """*$5* for FOUR DOLLARS: else *five dollars dollars* were looked for."""
    assert differences(heard.split(), written.split()) == found


@dataclass
class _Table:
    """Probabilities of texts that are known; all others are unlikely."""

    nats: dict[str, float]

    def __call__(self, text: str) -> float:
        return self.nats.get(text, -100.0)


def test_the_likeliest_way_to_write_counts() -> None:
    hearing = Hearing("He was there.", _Table({"He was there.": -1.0, "He was Paul.": -3.0}))
    assert likelier(hearing, ["HE", "WAS", "PAUL"], Difference(2, 3, 2, 3)) == 2.0
    assert likelier(hearing, ["HE", "WAS", "PETER"], Difference(2, 3, 2, 3)) == 99.0


@dataclass(frozen=True)
class _Ear:
    """Hears one text in the sound as it is and another with quiet around it.

    ``sure`` is by how many nats it takes either for likelier than anything else.
    """

    as_it_is: str
    with_quiet: str
    sure: float
    seconds: float
    name: str = "ear"
    sample_rate: int = RATE
    longest: float = 30.0
    licence: str = ""
    decoding: str = ""
    sha256s: dict[str, str] = field(default_factory=dict)

    def transcribe(self, samples: np.ndarray) -> str:
        return self.hearing(samples).text

    def hearing(self, samples: np.ndarray) -> Hearing:
        quiet = samples.size / RATE > self.seconds + 0.5
        texts = {self.as_it_is: 0.0, self.with_quiet: 0.0}
        text = self.with_quiet if quiet else self.as_it_is
        return Hearing(text, lambda said: texts.get(said, -self.sure))


def _listening(spoken: Utterance, as_it_is: str, with_quiet: str, sure: float) -> Listening:
    seconds = load(spoken, sample_rate=RATE).size / RATE
    return Listening(SphinxAligner(), _Ear(as_it_is, with_quiet, sure, seconds))


def test_who_loses_the_thread_is_heard_again_with_quiet_around(spoken: Utterance) -> None:
    """What was heard first is no witness: only the second text tells of the wrong word."""
    said = str(spoken.transcript)
    lost = f"{' '.join(said.lower().split()[:3])} {'in less than ' * 3}".strip()
    ear = _listening(spoken, lost, said.lower(), 5.0)
    assert align(spoken, ear).words == align(spoken, SphinxAligner()).words
    wrong = replace(spoken, transcript=said.replace("STAIRCASE", "TELEPHONE"))
    with pytest.raises(AlignmentError, match=r"'TELEPHONE'.*sounds like 'staircase'"):
        align(wrong, ear)
    align(wrong, _listening(spoken, lost, lost, 5.0))  # without it the wrong word gets in


def test_quiet_around_it_does_not_make_it_too_long(
    spoken: Utterance, moonshine: Moonshine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four seconds are heard at once, and again with almost one more, so they are cut before."""
    monkeypatch.setattr("pseudovoice.asr.moonshine.LONGEST_SECONDS", 4.2)
    wrong = replace(spoken, transcript=str(spoken.transcript).replace("WEIGHT", "BICYCLE"))
    with pytest.raises(AlignmentError, match=r"word 13 .*'BICYCLE'"):
        align(wrong, Listening(SphinxAligner(), moonshine))


def test_words_that_do_not_sound_like_it_are_not_believed(spoken: Utterance) -> None:
    """However sure the recogniser is."""
    said = str(spoken.transcript).lower()
    other = said.replace("staircase", "telephone")
    assert align(spoken, _listening(spoken, other, other, 1000.0))


def test_how_much_better_does_not_count_where_a_pronunciation_was_a_guess(
    spoken: Utterance,
) -> None:
    said = str(spoken.transcript)
    odd = replace(spoken, transcript=said.replace("STAIRCASE", "XQUEEPLE"))
    assert not SphinxAligner().knows("XQUEEPLE")
    low = said.lower()
    assert align(odd, _listening(spoken, low, low, BOUND - 0.1))
    with pytest.raises(AlignmentError, match=r"'XQUEEPLE'.*sounds like 'staircase'"):
        align(odd, _listening(spoken, low, low, BOUND))


def test_probabilities_of_texts_are_those_of_the_decoder(
    spoken: Utterance, moonshine: Moonshine
) -> None:
    """What is heard is likelier than anything near it, and all of them share less than one."""
    hearing = moonshine.hearing(load(spoken, sample_rate=RATE))
    assert hearing.text == moonshine.transcribe(load(spoken, sample_rate=RATE))
    texts = [
        hearing.text,
        hearing.text.replace("staircase", "telephone"),
        hearing.text + " So.",
        "",
    ]
    nats = [hearing.log_probability(text) for text in texts]
    assert nats[0] == max(nats)
    assert np.exp(nats).sum() < 1


def test_a_recogniser_that_cannot_weigh_is_refused() -> None:
    class Deaf:
        name = "deaf"

    with pytest.raises(UsageError, match="deaf cannot say how likely other words are"):
        Listening(SphinxAligner(), Deaf())  # type: ignore[arg-type]


def test_its_identity_is_that_of_all_who_decide(moonshine: Moonshine) -> None:
    listening = Listening(SphinxAligner(), moonshine)
    assert SphinxAligner().identity in listening.identity
    assert moonshine.name in listening.identity
    assert listening.identity != SphinxAligner().identity


def test_the_command_leaves_out_who_is_written_otherwise(
    spoken: Utterance, moonshine: Moonshine, tmp_path: Path
) -> None:
    assert moonshine.longest > 0  # the weights are there
    corpus, out = tmp_path / "corpus", tmp_path / "slices"
    (corpus / "a").mkdir(parents=True)
    said = str(spoken.transcript)
    lines = ["utt\tspeaker\ttranscript"]
    for name, text in (("right", said), ("wrong", said.replace("STAIRCASE", "TELEPHONE"))):
        shutil.copy(spoken.path, corpus / "a" / f"{name}.flac")
        lines.append(f"{name}\ta\t{text}")
    (corpus / "metadata.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = CliRunner().invoke(app, ["slice", str(corpus), str(out), "--check-words"])
    assert done.exit_code == 1, done.output
    assert "word 8 of the transcript ('TELEPHONE') sounds like 'staircase'" in " ".join(
        done.stderr.split()
    )
    words = " ".join(u.transcript or "" for u in read_corpus(out))
    assert "STAIRCASE" in words
    assert "TELEPHONE" not in words


def test_who_is_not_cut_between_words_needs_no_check(
    spoken: Utterance, moonshine: Moonshine, tmp_path: Path
) -> None:
    assert moonshine.longest > 0
    how = ["--safeguard", "mcadams", "--check-words"]
    done = CliRunner().invoke(app, ["protect", str(spoken.path), str(tmp_path / "out"), *how])
    assert done.exit_code == 2
    assert "leave out --alignments and --check-words" in " ".join(done.stderr.split())
