"""A small corpus of artificial voices, and a cache of its own.

Tests that need torch are skipped where it is not installed; ``make test-train`` installs it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray
from scipy.signal import lfilter

from pseudovoice.corpus import Corpus, read_corpus

RATE = 16_000
SPEAKERS = 10
UTTERANCES = 4


def voice(speaker: int, utterance: int, seconds: float) -> NDArray[np.float32]:
    """Pulses and noise through three resonances; pitch and resonances belong to the speaker."""
    own, now = np.random.default_rng([1, speaker]), np.random.default_rng([2, speaker, utterance])
    n = int(seconds * RATE)
    pitch = own.uniform(90, 260) * (1 + 0.05 * np.cumsum(now.normal(0, 0.02, n)) / 50)
    sound = np.diff(np.floor(np.cumsum(pitch) / RATE), prepend=0.0) + 0.03 * now.normal(size=n)
    for centre in (own.uniform(300, 900), own.uniform(1000, 2300), own.uniform(2500, 5500)):
        radius = np.exp(-np.pi * 120 / RATE)
        angle = 2 * np.pi * centre * now.uniform(0.98, 1.02) / RATE
        sound = lfilter([1 - radius], [1, -2 * radius * np.cos(angle), radius**2], sound)
    loudness = 0.6 + 0.4 * np.sin(2 * np.pi * 3 * np.arange(n) / RATE)
    sound = sound * loudness + 1e-4 * np.abs(sound).max() * now.normal(size=n)
    return (0.3 * sound / np.abs(sound).max()).astype(np.float32)


@pytest.fixture(scope="session")
def write_voices() -> Callable[..., Corpus]:
    """``write_voices(folder, speakers=, utterances=)``: the corpus, read back."""

    def write(folder: Path, *, speakers: int = SPEAKERS, utterances: int = UTTERANCES) -> Corpus:
        for speaker in range(speakers):
            place = folder / f"s{speaker}"
            place.mkdir(parents=True)
            for k in range(utterances):
                samples = voice(speaker, k, 2.3 + 0.2 * k)
                soundfile.write(place / f"s{speaker}-{k}.wav", samples, RATE)
        return read_corpus(folder)

    return write


@pytest.fixture(scope="session")
def voices(tmp_path_factory: pytest.TempPathFactory, write_voices: Callable[..., Corpus]) -> Corpus:
    return write_voices(tmp_path_factory.mktemp("voices") / "corpus")


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _own_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(cache))


@pytest.fixture(scope="session")
def needs_torch() -> None:
    pytest.importorskip("torch", reason="torch is not installed; `make test-train` installs it")
