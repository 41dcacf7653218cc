"""F0 by SwiftF0 (Nieradzik 2025), a small network, every 16 ms from 50 to 500 Hz.

A frame of which it is less than half certain is unvoiced. It shares nothing with the safeguards
that track pitch themselves. WORLD's trackers slip by an octave often enough to take a tenth off the
correlation of speech whose pitch was not touched.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from swift_f0 import SwiftF0

RATE = 16_000
"""Hz of the samples."""
HOP = 256
"""Samples from one frame to the next: 16 ms."""
LOWEST, HIGHEST = 50.0, 500.0
"""Hz of F0."""
VOICED = 0.5
"""Certainty of a voiced frame."""

Float64 = NDArray[np.float64]


@cache
def tracker() -> str:
    """Who tracks pitch, in which version."""
    return f"swift-f0 {version('swift-f0')}"


def pitch(samples: NDArray[Any]) -> Float64:
    """F0 in Hz every 16 ms of samples at 16 kHz, 0 where unvoiced."""
    found = _tracker().detect(samples.astype(np.float32), RATE, fmin=LOWEST, fmax=HIGHEST)
    return np.where(found.confidence >= VOICED, found.pitch_hz, 0.0)


@cache
def _tracker() -> SwiftF0:
    import swift_f0  # a network is opened only where pitch is asked for

    from pseudovoice.models.session import open_session

    found = swift_f0.SwiftF0(threads=1)
    # Its network in a session of ours, which shares its memory.
    model = Path(swift_f0.__file__).with_name("model.onnx")
    found.session = open_session(model, in_turn=True)
    return found
