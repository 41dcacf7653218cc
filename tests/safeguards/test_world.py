"""What WORLD tells of a recording is kept for the next voice, and is what it told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import pyworld

from pseudovoice.corpus import load, read_corpus
from pseudovoice.safeguards import hearing, world
from pseudovoice.safeguards.heard_before import HeardBefore
from pseudovoice.safeguards.world import RATE, analyse, contour


@pytest.fixture
def speech(shared: Path) -> np.ndarray:
    dev = read_corpus(shared / "speech" / "dev")
    return load(dev.utterances[0], sample_rate=RATE)[: 4 * RATE].astype(np.float64)


def test_noise_is_that_of_d4c(speech: np.ndarray) -> None:
    f0 = contour(speech)
    times = np.arange(f0.size) * world.FRAME_SECONDS
    wanted = pyworld.d4c(speech, f0, times, RATE)
    assert 0.1 < (wanted[:, 0] < 0.5).mean() < 0.9  # of voiced frames and others
    np.testing.assert_allclose(analyse(speech).aperiodicity, wanted, rtol=1e-11)
    # Under another contour it is another.
    f0 = np.where(f0 > 0, 1.1 * f0, 0.0)
    other = pyworld.d4c(speech, f0, times, RATE)
    np.testing.assert_allclose(analyse(speech, f0).aperiodicity, other, rtol=1e-11)


def test_a_recording_is_tracked_once(speech: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def harvest(*given: object, **more: object) -> object:
        calls.append(given)
        return real(*given, **more)

    real = pyworld.harvest
    monkeypatch.setattr(pyworld, "harvest", harvest)
    monkeypatch.setattr(world, "heard_before", HeardBefore())
    first, again = analyse(speech), analyse(speech.copy())
    assert len(calls) == 1
    for part in ("f0", "envelope", "aperiodicity"):
        np.testing.assert_array_equal(getattr(first, part), getattr(again, part))
    contour(speech[1:])
    assert len(calls) == 2


def test_originals_are_heard_once_for_all_keys(
    speech: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    class Ear:
        name, sha256 = "ear", "0"

        def embed(self, batch: list[np.ndarray]) -> np.ndarray:
            calls.append(len(batch))
            return np.stack([wave[:4] for wave in batch])

    monkeypatch.setattr(hearing, "heard_before", HeardBefore())
    rows = [hearing._embedded(Ear(), [speech, speech[100:]]) for _ in range(2)]
    assert calls == [1, 1]
    np.testing.assert_array_equal(*rows)
    np.testing.assert_array_equal(rows[0], hearing.embed(Ear(), [speech, speech[100:]]))
    other = Ear()
    other.sha256 = "1"
    hearing._embedded(other, [speech])
    assert len(calls) == 5
