"""Cutting at pauses: where the pauses are known, and on the real recordings."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pseudovoice.corpus import Corpus, Utterance, load
from pseudovoice.demo.recordings import COLLECTION, RECORDINGS
from pseudovoice.pieces.pauses import (
    LONGEST,
    MARGIN,
    SHORTEST,
    Span,
    cut_at_pauses,
    powers_of,
)

RATE = 16_000


def cut(samples: NDArray[np.floating], rate: int) -> list[Span]:
    return cut_at_pauses(powers_of([samples], rate))


def sounded(parts: list[tuple[float, float]], noise: float = 1e-3) -> NDArray[np.float64]:
    """Seconds of sound and of quiet in turn; the sound is a buzz, the quiet is a little noise."""
    rng = np.random.default_rng(0)
    pieces = []
    for sound, quiet in parts:
        for seconds, level in ((sound, 0.1), (quiet, 0.0)):
            pieces.append(level * np.sign(rng.standard_normal(int(seconds * RATE))))
    whole = np.concatenate(pieces)
    return whole + noise * rng.standard_normal(whole.size)


def test_cuts_in_the_pauses_and_nowhere_else() -> None:
    spans = cut(sounded([(2.0, 0.3), (2.0, 0.5), (4.0, 0.5), (3.5, 0.5)]), RATE)
    assert [round(s.start, 1) for s in spans] == [0.0, 4.7, 9.2]
    assert [round(s.end, 1) for s in spans] == [4.4, 8.9, 12.9]


@pytest.mark.parametrize("noise", [3e-4, 1e-3, 1e-2])
def test_the_threshold_follows_the_noise(noise: float) -> None:
    """30 dB of noise more or less move no cut."""
    parts = [(3.2, 0.4), (3.4, 0.4), (3.6, 0.4)]
    assert [round(s.end, 1) for s in cut(sounded(parts, noise), RATE)] == [3.3, 7.1, 11.1]


def test_fluent_speech_is_cut_at_its_longest_dip_or_left_out() -> None:
    with_dip = sounded([(3.5, 0.12), (2.0, 0.16), (5.0, 0.5)])
    first = cut(with_dip, RATE)[0]
    assert first.end == pytest.approx(5.7, abs=0.05)
    assert cut(sounded([(20.0, 0.5)]), RATE) == []


def test_a_long_silence_is_not_part_of_an_utterance() -> None:
    spans = cut(sounded([(2.0, 1.5), (3.5, 0.5)]), RATE)
    assert [round(s.start, 1) for s in spans] == [3.4]


def test_digital_silence_at_the_ends_moves_no_threshold() -> None:
    middle = sounded([(3.5, 0.4), (3.5, 0.4)])
    silence = np.zeros(10 * RATE)
    inside = cut(np.concatenate([silence, middle, silence]), RATE)
    assert [round(s.seconds, 1) for s in inside] == [3.7, 3.7]


@pytest.mark.parametrize("samples", [np.zeros(RATE), np.zeros(0), np.full(20 * RATE, 0.1)])
def test_what_is_no_speech_gives_nothing(samples: NDArray[np.float64]) -> None:
    assert cut(samples, RATE) == []


@given(st.lists(st.tuples(st.floats(0.1, 6.0), st.floats(0.05, 2.0)), min_size=1, max_size=6))
@settings(max_examples=30)
def test_lengths_and_order_hold_whatever_is_said(parts: list[tuple[float, float]]) -> None:
    spans = cut(sounded(parts), RATE)
    assert all(SHORTEST <= s.seconds <= LONGEST for s in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    total = sum(sound + quiet for sound, quiet in parts)
    assert all(s.start >= 0 and s.end <= total + MARGIN for s in spans)


def test_real_recordings_begin_and_end_quietly(speech: Corpus) -> None:
    """The first and last 20 ms of an utterance are far below its speech."""
    for utterance in list(speech)[::6]:
        samples = load(utterance, sample_rate=RATE).astype(np.float64)
        power = np.square(samples[: samples.size // 320 * 320].reshape(-1, 320)).mean(axis=1)
        speaking = np.percentile(power, 90)
        assert max(power[0], power[-1]) < 0.1 * speaking, utterance.id


@pytest.mark.usefixtures("speech")
def test_a_recording_of_few_pauses_has_enough() -> None:
    one = next(r for r in RECORDINGS if r.file.path.endswith("LtzGer_Ger_BE/s3_maj.mp3"))
    path = COLLECTION.folder / one.file.path
    if not path.is_file():
        pytest.skip("the corpus is in the cache, the uncut recordings are not")
    spans = cut(load(Utterance("a", "a", path), sample_rate=RATE), RATE)
    assert len(spans) >= 8
