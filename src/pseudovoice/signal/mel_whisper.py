"""Log-mel energies as Whisper was trained on (Radford et al. 2022): always 30 seconds.

Slaney's triangles on centred Hann windows of 25 ms, every 10 ms; log₁₀, nothing more than 8 under
the loudest value, then (x + 4) / 4. Before the first sample the sound is mirrored; behind the last
there is silence.
"""

from __future__ import annotations

import numpy as np

from pseudovoice.signal.frames import Float32, band_energies, frames
from pseudovoice.signal.mel_slaney import HOP, WINDOW, hann, slaney_filters

RATE = 16_000
SECONDS = 30
MELS = 80
_SAMPLES = SECONDS * RATE
_LEAST_POWER = np.float32(1e-10)
_RANGE = np.float32(8.0)


def whisper_mel(waveform: Float32) -> Float32:
    """Features of shape [80, 3000]; 16 kHz input of at most 30 s."""
    assert waveform.size <= _SAMPLES
    padded = np.pad(waveform, (0, _SAMPLES - waveform.size))
    windows = frames(np.pad(padded, WINDOW // 2, mode="reflect"), WINDOW, HOP)[:-1]
    energies = band_energies(windows * hann(), WINDOW, slaney_filters(MELS))
    logs = np.log10(np.maximum(energies, _LEAST_POWER))
    np.maximum(logs, logs.max() - _RANGE, out=logs)
    return np.ascontiguousarray((logs.T + np.float32(4.0)) / np.float32(4.0))
