"""What a safeguard leaves of the melody and rhythm of speech.

Conventions
-----------
- F0 every 16 ms, see :mod:`pseudovoice.signal.pitch`.
- Frames are compared one to one, so original and protected must last equally long to within 2 %
  of the longer (or 50 ms); what one has more at its end is not compared.
- F0 correlation is Pearson's, of log F0, over the frames voiced in both: a voice that is moved by
  an interval keeps its melody (1), one that speaks on a single note has none (undefined).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.signal.pitch import RATE, Float64, pitch

LENGTHS_DIFFER = 0.02
LEAST_DIFFERENCE = 0.05
LEAST_COMMON = 13
"""Frames voiced in both that a correlation needs: 0.2 s, a syllable."""
LEAST_SEGMENT = 2
"""Frames of a voiced stretch that counts: shorter ones are slips of the pitch tracker."""


@dataclass(frozen=True)
class Prosody:
    """How alike the two are, and the rhythm of each.

    ``f0_correlation`` is -1 … 1 (higher is better), None where too little is voiced in both or
    one of the two speaks on one note; ``voicing_agreement`` is the share of frames that are voiced
    in both or in neither, 0 … 1. Both are None where the two do not last equally long. The rates
    are voiced stretches a second.
    """

    f0_correlation: float | None
    voicing_agreement: float | None
    voiced_rate_original: float
    voiced_rate_protected: float


def compare_prosody(original: NDArray[Any], protected: NDArray[Any]) -> Prosody:
    """Compare two versions of one utterance, at 16 kHz."""
    before, after = pitch(original), pitch(protected)
    longer, shorter = sorted((original.size, protected.size), reverse=True)
    allowed = max(LENGTHS_DIFFER * longer, LEAST_DIFFERENCE * RATE)
    correlation, agreement = (
        compare_pitch(before, after) if longer - shorter <= allowed else (None, None)
    )
    return Prosody(
        correlation,
        agreement,
        voiced_stretches(before) / (original.size / RATE),
        voiced_stretches(after) / (protected.size / RATE),
    )


def compare_pitch(before: Float64, after: Float64) -> tuple[float | None, float]:
    """Correlation of log F0 (or None), and agreement of voicing, over the common length."""
    length = min(before.size, after.size)
    before, after = before[:length], after[:length]
    agreement = float(np.mean((before > 0) == (after > 0)))
    both = (before > 0) & (after > 0)
    if np.count_nonzero(both) < LEAST_COMMON:
        return None, agreement
    a, b = np.log(before[both]), np.log(after[both])
    a, b = a - a.mean(), b - b.mean()
    spread = np.sqrt((a @ a) * (b @ b))
    # A spread of rounding errors is none: one note has no melody to compare.
    if spread <= 1e-9 * a.size:
        return None, agreement
    return float(np.clip((a @ b) / spread, -1.0, 1.0)), agreement


def voiced_stretches(f0: Float64) -> int:
    """How many stretches of at least :data:`LEAST_SEGMENT` voiced frames there are."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], f0 > 0, [0]]).astype(np.int8)))
    lengths = edges[1::2] - edges[::2]
    return int(np.count_nonzero(lengths >= LEAST_SEGMENT))
