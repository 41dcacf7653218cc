"""Short-time frames and their energies in bands, shared by the three feature extractors.

Everything is float32: that is what the networks take, and it halves the time of the transforms.
"""

from __future__ import annotations

import numpy as np
import scipy.fft
from numpy.typing import NDArray

Float32 = NDArray[np.float32]

# OpenBLAS computes products up to this size in the calling thread. A larger one wakes its other
# threads, which takes some fifty times as long as the product itself when the cores are busy.
_SMALL_PRODUCT = 1 << 18


def frames(waveform: Float32, length: int, hop: int) -> Float32:
    """Every whole window of ``length`` samples, ``hop`` apart: a view of shape [T, length].

    T = 1 + (n − length) // hop; samples after the last whole window are left out.
    """
    return np.lib.stride_tricks.sliding_window_view(waveform, length)[::hop]


def centred_frames(waveform: Float32, length: int, hop: int) -> Float32:
    """Windows centred on samples 0, hop, 2·hop, …, with zeros beyond both ends."""
    return frames(np.pad(waveform, length // 2), length, hop)


def band_energies(windowed: Float32, size: int, filters: Float32) -> Float32:
    """Power spectrum |rfft|² of each row, zero-padded to ``size``, summed by filter.

    ``filters`` has the shape [size // 2 + 1, bands], the result [T, bands].
    """
    spectrum = scipy.fft.rfft(windowed, n=size, axis=1)
    power = spectrum.real**2
    power += spectrum.imag**2
    energies = np.empty((len(power), filters.shape[1]), np.float32)
    rows = max(1, _SMALL_PRODUCT // filters.size)
    for start in range(0, len(power), rows):
        np.matmul(power[start : start + rows], filters, out=energies[start : start + rows])
    return energies
