"""F0 correlation, voicing and rhythm: of tones whose pitch is known, and of real speech."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pseudovoice.corpus import Corpus, load
from pseudovoice.signal.pitch import pitch
from pseudovoice.utility.prosody import (
    LEAST_COMMON,
    compare_pitch,
    compare_prosody,
    voiced_stretches,
)

RATE = 16_000
Float64 = NDArray[np.float64]


def voice(f0: Float64) -> Float64:
    """A buzz with the given F0 at every sample (0: silence)."""
    phase = 2 * np.pi * np.cumsum(f0) / RATE
    sound = sum(np.cos(k * phase) / k for k in range(1, 20))
    return 0.1 * np.where(f0 > 0, sound, 0.0)


def melody(depth: float, centre: float = 150.0) -> Float64:
    return centre * np.exp(depth * np.sin(2 * np.pi * np.arange(2 * RATE) / RATE))


def test_pitch_is_that_of_the_tone() -> None:
    f0 = melody(0.2)
    found = pitch(voice(f0))
    expected = f0[np.minimum(np.arange(found.size) * RATE * 16 // 1000, f0.size - 1)]
    inside = slice(10, -10)
    assert np.abs(found[inside] / expected[inside] - 1).max() < 0.02


def test_moved_by_an_interval_keeps_its_melody_and_upside_down_inverts_it() -> None:
    original = voice(melody(0.2))
    moved = compare_prosody(original, voice(melody(0.2, 230.0)))
    inverted = compare_prosody(original, voice(melody(-0.2)))
    assert moved.f0_correlation == pytest.approx(1.0, abs=0.02)
    assert inverted.f0_correlation == pytest.approx(-1.0, abs=0.02)
    assert moved.voicing_agreement is not None
    assert moved.voicing_agreement > 0.95


def test_pauses_are_counted() -> None:
    f0 = melody(0.1)
    halves = f0.copy()
    halves[int(0.9 * RATE) : int(1.1 * RATE)] = 0.0
    found = compare_prosody(voice(f0), voice(halves))
    assert found.voiced_rate_original == pytest.approx(0.5)
    assert found.voiced_rate_protected == pytest.approx(1.0)
    assert found.voicing_agreement == pytest.approx(0.9, abs=0.04)


def test_another_length_cannot_be_compared_but_still_has_a_rhythm() -> None:
    sound = voice(melody(0.2))
    found = compare_prosody(sound, sound[: int(1.5 * RATE)])
    assert found.f0_correlation is None
    assert found.voicing_agreement is None
    assert found.voiced_rate_protected > 0
    nearly = compare_prosody(sound, sound[:-400])
    assert nearly.f0_correlation == pytest.approx(1.0, abs=0.01)


def test_one_note_and_too_little_have_no_correlation() -> None:
    f0 = 100 + 50 * np.random.default_rng(1).random(100)
    assert compare_pitch(f0, np.full(100, 120.0)) == (None, 1.0)
    few = np.where(np.arange(100) < LEAST_COMMON - 1, f0, 0.0)
    assert compare_pitch(few, few) == (None, 1.0)
    assert compare_pitch(f0, np.zeros(100)) == (None, 0.0)


@given(st.lists(st.booleans(), max_size=60))
def test_voiced_stretches_are_runs_of_two_and_more(voiced: list[bool]) -> None:
    runs = "".join("x" if v else " " for v in voiced).split()
    expected = sum(len(run) >= 2 for run in runs)
    assert voiced_stretches(np.where(np.array(voiced, bool), 100.0, 0.0)) == expected


def test_real_speech_against_itself_quieter_and_against_another_utterance(dev: Corpus) -> None:
    first, second = (load(u, sample_rate=RATE)[: 3 * RATE] for u in dev.utterances[:2])
    same = compare_prosody(first, 0.5 * first)
    assert same.f0_correlation == pytest.approx(1.0, abs=1e-3)
    assert same.voicing_agreement == pytest.approx(1.0, abs=1e-2)
    # Syllables, hence voiced stretches, come a few times a second.
    assert 0.5 < same.voiced_rate_original < 8
    other = compare_prosody(first, second)
    assert abs(other.f0_correlation or 0.0) < 0.8
    assert other.voicing_agreement is not None
    assert other.voicing_agreement < 0.9
