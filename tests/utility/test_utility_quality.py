"""DNSMOS: the windows of the published recipe, its numbers, and that it hears noise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pseudovoice.corpus import Corpus, load
from pseudovoice.models import fetch
from pseudovoice.models.session import open_session
from pseudovoice.utility import dnsmos as module
from pseudovoice.utility.dnsmos import HOP, WINDOW, Dnsmos, windows
from pseudovoice.utility.quality import QualityPredictor

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
    waveform, count = windows(np.arange(samples, dtype=np.float32))
    starts = [k * HOP for k in range(count)]
    assert starts == recipe(samples)
    for start in starts:
        window = waveform[start : start + WINDOW]
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
@pytest.mark.parametrize(("frames", "together"), [(900, 40), (120, 2)])
def test_ratings_are_those_of_whole_windows(
    dnsmos: Dnsmos, dev: Corpus, monkeypatch: pytest.MonkeyPatch, frames: int, together: int
) -> None:
    """Windows share what is heard in a frame, in blocks and groups of any size."""
    speech = load(dev.by_id["3170-137482-0005"], sample_rate=RATE)[: int(6.9 * RATE)]
    waveform, count = windows(speech)
    assert count == 4
    network = open_session(fetch("dnsmos").path)
    raw = np.concatenate(
        [
            network.run(None, {"input_1": waveform[k * HOP : k * HOP + WINDOW][None]})[0]
            for k in range(count)
        ]
    ).astype(np.float64)
    whole = (module._TO_LISTENERS.T[:, None] * np.stack([raw**2, raw, raw**0])).sum(0).mean(0)
    monkeypatch.setattr(module, "_MOST_FRAMES", frames)
    monkeypatch.setattr(module, "_MOST_WINDOWS", together)
    found = dnsmos.rate(speech)
    assert [found.sig, found.bak, found.ovrl] == pytest.approx(whole.tolist(), abs=1e-5)
    # Windows differ by far more than that, so one in another's place would be seen.
    assert raw.std(axis=0).max() > 1e-3


@pytest.mark.weights
def test_noise_is_heard(dnsmos: Dnsmos, dev: Corpus) -> None:
    speech = load(dev.utterances[0], sample_rate=RATE)[: 5 * RATE]
    noise = np.random.default_rng(0).normal(0, speech.std(), speech.size).astype(np.float32)
    clean, noisy = dnsmos.rate(speech), dnsmos.rate(speech + noise)
    assert clean.bak - noisy.bak > 1.0
    assert clean.ovrl - noisy.ovrl > 0.5
    assert isinstance(dnsmos, QualityPredictor)
    assert dnsmos.sha256.startswith("269fbebd")
