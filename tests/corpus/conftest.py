"""Small real recordings, made on the spot, and the shared speech where it is present."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

SHARED = Path(__file__).resolve().parents[2].parent / "shared" / "speech"


@pytest.fixture(scope="session")
def voice() -> Callable[..., NDArray[np.float32]]:
    """A hum with noise: ``voice(seconds, rate, channels, seed)``."""

    def make(
        seconds: float = 0.5, rate: int = 16000, channels: int = 1, seed: int = 0
    ) -> NDArray[np.float32]:
        generator = np.random.default_rng(seed)
        time = np.arange(round(seconds * rate)) / rate
        hum = 0.2 * np.sin(2 * np.pi * 140 * time)
        samples = hum[:, None] + 0.01 * generator.standard_normal((len(time), channels))
        return (samples[:, 0] if channels == 1 else samples).astype(np.float32)

    return make


@pytest.fixture(scope="session")
def record(voice: Callable[..., NDArray[np.float32]]) -> Callable[..., Path]:
    """Write a recording: ``record(path, samples=None, rate=16000, subtype=None)``."""

    def write(
        path: Path,
        samples: NDArray[np.float32] | None = None,
        rate: int = 16000,
        subtype: str | None = None,
    ) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        samples = voice(rate=rate, seed=len(str(path))) if samples is None else samples
        if path.suffix == ".opus":
            soundfile.write(path, samples, rate, format="OGG", subtype="OPUS")
        else:
            soundfile.write(path, samples, rate, subtype=subtype)
        return path

    return write


@pytest.fixture
def tree(tmp_path: Path, record: Callable[..., Path]) -> Path:
    """Two speakers with one good utterance each, as a plain folder."""
    record(tmp_path / "corpus" / "anna" / "a1.wav")
    record(tmp_path / "corpus" / "ben" / "b1.flac")
    return tmp_path / "corpus"


@pytest.fixture(scope="session")
def shared_speech() -> Path:
    """The folder with ``dev`` and ``train``."""
    if not SHARED.is_dir():
        pytest.skip(f"the shared speech is not at {SHARED}")
    return SHARED
