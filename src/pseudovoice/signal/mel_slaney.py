"""Power spectra on Slaney's mel scale, not logarithmic: what Resemblyzer's GE2E was trained on.

They equal ``librosa.feature.melspectrogram`` with its defaults: centred Hann windows, triangles of
unit area (so that wide filters do not weigh more), linear below 1 kHz and logarithmic above.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pseudovoice.signal.frames import Float32, band_energies, centred_frames

RATE = 16_000
HOP = 160
MELS = 40
WINDOW = 400
_LINEAR_STEP_HZ = 200.0 / 3.0
_KNEE_HZ = 1000.0
_LOG_STEP = math.log(6.4) / 27.0


def slaney_mel(waveform: Float32) -> Float32:
    """Mel power, shape [1 + n // 160, 40]; 16 kHz input."""
    windowed = centred_frames(waveform, WINDOW, HOP) * hann()
    return band_energies(windowed, WINDOW, slaney_filters(MELS))


@lru_cache
def hann() -> Float32:
    """The periodic window of 25 ms."""
    return np.hanning(WINDOW + 1)[:-1].astype(np.float32)


@lru_cache
def slaney_filters(mels: int) -> Float32:
    """So many triangles from 0 to 8 kHz, shape [201, mels]."""
    knee = _KNEE_HZ / _LINEAR_STEP_HZ
    top = knee + math.log(RATE / 2 / _KNEE_HZ) / _LOG_STEP
    mel = np.linspace(0.0, top, mels + 2)
    above = _KNEE_HZ * np.exp(_LOG_STEP * np.maximum(mel - knee, 0.0))
    hertz = np.where(mel < knee, mel * _LINEAR_STEP_HZ, above)
    left, centre, right = hertz[:-2], hertz[1:-1], hertz[2:]
    bins = np.linspace(0.0, RATE / 2, WINDOW // 2 + 1)[:, None]
    rising, falling = (bins - left) / (centre - left), (right - bins) / (right - centre)
    triangles: NDArray[np.float64] = np.maximum(np.minimum(rising, falling), 0.0)
    triangles *= 2.0 / (right - left)
    return triangles.astype(np.float32)
