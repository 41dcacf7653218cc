"""Cut a long recording where it is quietest, so that no word is cut in two."""

from __future__ import annotations

import numpy as np

from pseudovoice.signal.frames import Float32

_FRAME = 320
"""Samples over which loudness is taken: 20 ms at 16 kHz, shorter than a sound of speech."""


def quiet_pieces(waveform: Float32, longest: int) -> list[Float32]:
    """The waveform itself, or parts of at most ``longest`` samples, cut at quiet places.

    Each cut is at the quietest frame of the second half of what a part may be, so that parts are
    never shorter than half of ``longest`` (but for the last).
    """
    parts = []
    while waveform.size > longest:
        half = longest // 2
        window = waveform[half : longest - longest % _FRAME]
        frames = window[: window.size // _FRAME * _FRAME].reshape(-1, _FRAME)
        energy = np.square(frames, dtype=np.float64).sum(axis=1)
        # Three frames together: a single one can be quiet inside a stop consonant.
        smooth = np.convolve(energy, np.ones(3), "same")
        cut = half + int(smooth.argmin()) * _FRAME + _FRAME // 2
        parts.append(waveform[:cut])
        waveform = waveform[cut:]
    return [*parts, waveform]
