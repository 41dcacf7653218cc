"""Artificial voices: noise through a few resonances of each speaker's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile
from scipy.signal import lfilter

RATE = 16_000


def voice(speaker: int, take: int, seconds: float = 0.8) -> np.ndarray:
    """Some seconds of one artificial speaker."""
    own = np.random.default_rng([7, speaker])
    rng = np.random.default_rng([8, speaker, take])
    sound = rng.normal(size=int(seconds * RATE))
    for centre in own.uniform(200, 4000, 4):
        shifted = centre * np.exp(rng.normal(0, 0.02))
        radius = 0.97
        angle = 2 * np.pi * shifted / RATE
        sound = lfilter([1.0], [1.0, -2 * radius * np.cos(angle), radius**2], sound)
    return 0.3 * sound / np.abs(sound).max()


def write_corpus(folder: Path, speakers: int = 6, takes: int = 4, offset: int = 0) -> Path:
    """A folder corpus; ``offset`` gives every speaker another one's voice."""
    for s in range(speakers):
        place = folder / f"spk{s:02d}"
        place.mkdir(parents=True)
        for t in range(takes):
            sound = voice((s + offset) % 1000, t)
            soundfile.write(place / f"spk{s:02d}_{t}.wav", sound, RATE)
    return folder
