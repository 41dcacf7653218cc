"""Slices of real speech: no word is lost or said twice, and the audio says what the text says."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from pseudovoice.asr.recogniser import SpeechRecogniser
from pseudovoice.asr.registry import load_recogniser
from pseudovoice.corpus import Corpus, load, read_corpus
from pseudovoice.keys import Key
from pseudovoice.models import FetchError
from pseudovoice.slicing import Origin, Slicing, read_table, slice_corpus
from pseudovoice.text.normalise import normalise
from pseudovoice.utility.words import total, word_errors

KEY = Key(b"k" * 32)
SHIFT = 0.5


@pytest.fixture(scope="module")
def dev(shared: Path) -> Corpus:
    """An utterance of every second person."""
    folder = shared / "speech" / "dev"
    if not folder.is_dir():
        pytest.skip(f"the development speech is not here: there is no {folder}")
    corpus = read_corpus(folder)
    return replace(corpus, utterances=corpus.utterances[3::40])


@pytest.fixture(scope="module")
def origins(dev: Corpus, tmp_path_factory: pytest.TempPathFactory) -> list[Origin]:
    place = tmp_path_factory.mktemp("dev")
    slice_corpus(dev, place / "out", Slicing(2.0), key=KEY, table=place / "undo.csv", workers=1)
    return list(read_table(place / "undo.csv"))


def test_every_word_is_in_one_slice_or_in_the_discarded_tail(
    dev: Corpus, origins: list[Origin]
) -> None:
    assert {o.utterance for o in origins} == {u.id for u in dev}
    tails = 0
    for utterance in dev:
        mine = [o for o in origins if o.utterance == utterance.id]
        said = " ".join(o.text for o in mine).split()
        written = (utterance.transcript or "").split()
        assert said == written[: len(said)]
        assert all(o.text for o in mine)
        assert mine[0].start == 0.0
        assert all(a.end == b.start for a, b in pairwise(mine))
        assert all(o.end - o.start >= 2.0 - 1e-6 for o in mine)
        # What is discarded is too short for a slice.
        duration = load(utterance, sample_rate=16_000).size / 16_000
        assert duration - mine[-1].end < 2.0
        tails += len(said) < len(written)
    assert 0 < tails < len(dev)


def unheard(asr: SpeechRecogniser, dev: Corpus, origins: list[Origin], shift: float) -> float:
    """Share of the slices' words that are not recognised when cut ``shift`` seconds later.

    Insertions are left out: a recogniser that says a phrase over and over, as it does with some
    short clips wherever they are cut, would outweigh everything else.
    """
    parts = []
    for origin in origins:
        samples = load(dev.by_id[origin.utterance], sample_rate=asr.sample_rate)
        first, last = (round((t + shift) * asr.sample_rate) for t in (origin.start, origin.end))
        heard = normalise(asr.transcribe(samples[first:last]))
        parts.append(word_errors(normalise(origin.text), heard))
    sums = total(parts)
    return (sums.substitutions + sums.deletions) / sums.words


def test_a_slice_is_recognised_better_than_a_shifted_cut(
    dev: Corpus, origins: list[Origin]
) -> None:
    try:
        asr = load_recogniser()
    except FetchError as error:
        pytest.skip(str(error))
    inner = [o for o in origins if o.position == 1][:6]
    right, shifted = (unheard(asr, dev, inner, shift) for shift in (0.0, SHIFT))
    assert right < 0.2
    assert shifted > right + 0.1
