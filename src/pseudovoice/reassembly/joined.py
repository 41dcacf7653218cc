"""Log-mel features of two slices joined into one signal, for all pairs without joining each.

Conventions
-----------
- Frames are Kaldi's, 25 ms long and 10 ms apart, on a grid that hangs on the cut: the last frame
  that is wholly in the first slice ends with it, two lie across the cut, and the next begins 5 ms
  after it. They are what the features of the joined signal would be.
- Mean removal, pre-emphasis, window and Fourier transform are linear. The spectrum of a frame
  across the cut is therefore the sum of what either slice contributes to it, which is computed
  once for each slice and not once for each pair.
- Where half a second on either side counts, the outermost frame of a shorter slice is repeated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.fft
from numpy.typing import NDArray

from pseudovoice.signal.fbank import (
    FLOOR,
    INTEGER_RANGE,
    PREEMPHASIS,
    hamming,
    kaldi_fbank,
    mel_filters,
)
from pseudovoice.signal.frames import Float32

Complex64 = NDArray[np.complex64]

RATE = 16_000
MELS = 40
AROUND = 50
"""Frames on either side of the cut, for a network that hears no more."""
ACROSS = 2
"""Frames that lie across it."""

_WINDOW, _HOP, _SIZE = 400, 160, 512
_STARTS = (-240, -80)
_FIRST = 80
_SHORTEST = _FIRST + _WINDOW


@dataclass(frozen=True)
class Edges:
    """What a slice brings into a pair, be it the first or the second of it.

    ``before`` [time, 40] are its frames on the grid of a cut after it, ``after`` those on the grid
    of a cut before it; ``ending`` and ``beginning`` [2, 257] what it adds to the spectra of the
    frames across that cut.
    """

    before: Float32
    after: Float32
    ending: Complex64
    beginning: Complex64

    def within(self, around: int | None, least: int = 1) -> Edges:
        """The ``around`` frames next to either cut, or all; where there are fewer than that, or
        than ``least``, the outermost is repeated."""
        wanted = [
            max(least, len(side) if around is None else around)
            for side in (self.before, self.after)
        ]
        before, after = self.before[-wanted[0] :], self.after[: wanted[1]]
        return Edges(
            np.pad(before, ((wanted[0] - len(before), 0), (0, 0)), "edge"),
            np.pad(after, ((0, wanted[1] - len(after)), (0, 0)), "edge"),
            self.ending,
            self.beginning,
        )


def edges(samples: Float32) -> Edges:
    """The edges of a slice, a waveform in ±1 at 16 kHz; one under 30 ms is repeated."""
    if samples.size < _SHORTEST:
        samples = np.resize(samples, _SHORTEST)
    # The outermost samples that do not fill a frame are at the far side, where they matter least.
    whole = (samples.size - _WINDOW) // _HOP * _HOP + _WINDOW
    before = kaldi_fbank(samples[-whole:], mels=MELS)
    after = kaldi_fbank(samples[_FIRST:], mels=MELS)
    ending, beginning = np.zeros((2, ACROSS, _WINDOW), np.float32)
    for row, start in enumerate(_STARTS):
        ending[row, :-start] = samples[start:]
        beginning[row, -start:] = samples[: _WINDOW + start]
    return Edges(
        before=before,
        after=after,
        ending=_spectra(ending),
        beginning=_spectra(beginning),
    )


def across(ending: Complex64, beginning: Complex64) -> Float32:
    """Log-mel energies of the frames across a cut, from spectra of any leading shape."""
    spectrum = ending + beginning
    power = spectrum.real**2 + spectrum.imag**2
    energies: Float32 = power @ mel_filters(RATE, _SIZE, MELS)
    return np.log(np.maximum(energies, FLOOR))


def _spectra(block: Float32) -> Complex64:
    """Kaldi's steps up to the power spectrum, all of them linear."""
    block = block * INTEGER_RANGE
    block -= block.mean(axis=1, keepdims=True)
    sharp = block * hamming(_WINDOW)
    earlier = np.concatenate([block[:, :1], block[:, :-1]], axis=1)
    sharp -= np.float32(PREEMPHASIS) * earlier * hamming(_WINDOW)
    spectrum: Complex64 = scipy.fft.rfft(sharp, n=_SIZE, axis=1)
    return spectrum
