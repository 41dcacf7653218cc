"""DNSMOS: the windows of the published recipe, its numbers, and that it hears noise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pseudovoice.corpus import Corpus, load
from pseudovoice.utility.quality import WINDOW, Dnsmos, QualityPredictor, windows

RATE = 16_000


def recipe(samples: int) -> list[int]:
    """Where the published recipe begins its windows, by its own words: seconds, rounded down."""
    while samples < int(9.01 * RATE):
        samples *= 2
    hops = int(np.floor(samples / RATE) - 9.01) + 1
    starts = [k * RATE for k in range(hops)]
    return [s for s in starts if min(samples, int(s + 9.01 * RATE)) - s >= int(9.01 * RATE)]


@given(st.integers(800, 40 * RATE))
def test_windows_are_those_of_the_recipe(samples: int) -> None:
    found = windows(np.arange(samples, dtype=np.float32))
    assert len(found) == len(recipe(samples))
    for window, start in zip(found, recipe(samples), strict=True):
        assert window.size == WINDOW
        assert window[0] == start % samples


@pytest.mark.weights
@pytest.mark.parametrize(
    ("name", "sig", "bak", "ovrl"),
    [
        ("1272-128104-0000", 3.721801628, 4.208337755, 3.522273774),  # 5.9 s: one window
        ("3170-137482-0005", 3.698338955, 4.217673558, 3.477843506),  # 8.7 s: eight windows
    ],
)
def test_numbers_are_those_of_the_published_package(
    dnsmos: Dnsmos, dev: Corpus, name: str, sig: float, bak: float, ovrl: float
) -> None:
    """What speechmos 0.0.1.1 gives; its rounding drops a window of the second."""
    found = dnsmos.rate(load(dev.by_id[name], sample_rate=RATE))
    assert found.sig == pytest.approx(sig, abs=2e-3)
    assert found.bak == pytest.approx(bak, abs=2e-3)
    assert found.ovrl == pytest.approx(ovrl, abs=2e-3)


@pytest.mark.weights
def test_noise_is_heard(dnsmos: Dnsmos, dev: Corpus) -> None:
    speech = load(dev.utterances[0], sample_rate=RATE)[: 5 * RATE]
    noise = np.random.default_rng(0).normal(0, speech.std(), speech.size).astype(np.float32)
    clean, noisy = dnsmos.rate(speech), dnsmos.rate(speech + noise)
    assert clean.bak - noisy.bak > 1.0
    assert clean.ovrl - noisy.ovrl > 0.5
    assert isinstance(dnsmos, QualityPredictor)
    assert dnsmos.sha256.startswith("269fbebd")
