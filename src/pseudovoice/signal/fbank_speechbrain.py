"""SpeechBrain's log-mel filter bank: what its ECAPA-TDNN was trained on.

Unlike Kaldi's it centres its windows, neither removes the offset nor emphasises, measures in dB
with a floor 80 dB under the loudest value, and its triangles are straight in Hz with the *left*
band's width on both sides, a peculiarity that the network has learnt with.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pseudovoice.signal.frames import Float32, band_energies, centred_frames

RATE = 16_000
_WINDOW, _HOP, _MELS = 400, 160, 80
_LEAST_POWER = np.float32(1e-10)
_RANGE_DB = np.float32(80.0)


def speechbrain_fbank(waveform: Float32) -> Float32:
    """10·log₁₀ mel energies, utterance mean removed, shape [1 + n // 160, 80]; 16 kHz input."""
    windowed = centred_frames(waveform, _WINDOW, _HOP) * _hamming()
    energies = band_energies(windowed, _WINDOW, _filters())
    decibels = np.float32(10.0) * np.log10(np.maximum(energies, _LEAST_POWER))
    np.maximum(decibels, decibels.max() - _RANGE_DB, out=decibels)
    decibels -= decibels.mean(axis=0)
    return decibels


@lru_cache
def _hamming() -> Float32:
    """torch's default window is the periodic one."""
    return np.hamming(_WINDOW + 1)[:-1].astype(np.float32)


@lru_cache
def _filters() -> Float32:
    top = 2595.0 * np.log10(1.0 + RATE / 2 / 700.0)
    hertz = 700.0 * (10.0 ** (np.linspace(0.0, top, _MELS + 2) / 2595.0) - 1.0)
    width, centre = np.diff(hertz)[:-1], hertz[1:-1]
    bins = np.linspace(0.0, RATE / 2, _WINDOW // 2 + 1)[:, None]
    return np.maximum(1.0 - np.abs(bins - centre) / width, 0.0).astype(np.float32)
