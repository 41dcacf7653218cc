"""Whether the waveform itself goes on from one slice to the next.

A cut that leaves no sample out leaves two ends that fit: the filter that predicts each sample from
those before it, learned on the end of one slice, still holds for the first samples of its
successor, and the filter learned backwards on the beginning of that one holds for the last
samples before it. For slices w and v, with prediction-error filter a of order 24 (Burg's method on
20 ms) and error power σ² on its own side,

    score(w, v) = − ln (mean e²(w → v) / σ_w²) − ln (mean e²(v → w) / σ_v²)

over the first 16 samples on the other side; near 0 where nothing happens at the cut.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import toeplitz

from pseudovoice.signal.lpc import burg

Float64 = NDArray[np.float64]

ORDER, WINDOW, AHEAD = 24, 320, 16
# Half a step of 16 bits, squared: below it lies rounding, not speech.
_FLOOR = 0.25


def continuity(slices: Sequence[NDArray[np.int16]]) -> Float64:
    """Scores of all pairs, queries by candidates; slices are 16-bit samples."""
    tails = np.stack([_window(piece[-WINDOW:], at_end=True) for piece in slices])
    heads = np.stack([_window(piece[:WINDOW], at_end=False) for piece in slices])
    forward = _errors(tails, heads[:, :AHEAD])
    backward = _errors(heads[:, ::-1], tails[:, ::-1][:, :AHEAD])
    scores: Float64 = -forward - backward.T
    return scores


def _window(samples: NDArray[np.int16], *, at_end: bool) -> Float64:
    """Always as many samples; zeros on the far side of a slice that has fewer."""
    missing = WINDOW - samples.size
    around = (missing, 0) if at_end else (0, missing)
    return np.pad(samples.astype(np.float64), around)


def _errors(known: Float64, next_: Float64) -> Float64:
    """ln of how much worse each row's filter predicts each of the next samples than its own."""
    result = np.empty((len(known), len(next_)))
    for row, past in zip(result, known, strict=True):
        a = burg(past, ORDER)
        own = np.convolve(past, a, "valid")
        power = float((own**2).mean()) + _FLOOR
        # e = A v + c: what v's own samples contribute, and what those before the cut do.
        inside = toeplitz(np.pad(a, (0, max(0, AHEAD - a.size)))[:AHEAD], np.zeros(AHEAD))
        before = np.convolve(np.concatenate([past[-ORDER:], np.zeros(AHEAD)]), a)
        errors = next_ @ inside.T + before[ORDER : ORDER + AHEAD]
        row[:] = np.log(((errors**2).mean(axis=1) + _FLOOR) / power)
    return result
