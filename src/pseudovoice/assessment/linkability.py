"""Linkability D_sys (Gomez-Barrero et al. 2018; Maouche et al. 2020), as maouche2022 uses it.

Conventions
-----------
* Histogram estimate on common linear bins; omega is the prior ratio P(mated)/P(non-mated).
* Higher means more linkable; range [0, 1]. It is biased upwards on finite data (permuted
  labels give 0.05 and more), so it is never shown without its null level.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pseudovoice.calibration.ladder import Floats, validate
from pseudovoice.errors import InputError

FEWEST_MATED = 10


def bin_edges(mated: Floats, nonmated: Floats) -> Floats:
    """Common linear edges: one bin per ten mated scores, 100 at most."""
    if mated.size < FEWEST_MATED:
        raise InputError(
            f"Linkability D_sys needs at least {FEWEST_MATED} mated scores and there are "
            f"{mated.size}; use more utterances per speaker."
        )
    low, high = min(mated.min(), nonmated.min()), max(mated.max(), nonmated.max())
    return np.linspace(low, high, bins_for(mated.size) + 1)


def bins_for(n_mated: int) -> int:
    """How many bins so many mated scores are worth."""
    return min(n_mated // 10, 100)


def d_sys_of_histograms(
    mated: Floats, nonmated: Floats, edges: Floats, omega: float = 1.0
) -> Floats:
    """D_sys of each row of two histograms, shape (rows, bins).

    D(s) = max(0, 2 ω·LR(s) / (1 + ω·LR(s)) − 1), 1 where only mated scores fall; D_sys is its
    mean under the mated density, by the trapezoid rule over the bin centres.
    """
    if edges[0] == edges[-1] or edges.size < 3:
        return np.zeros(mated.shape[0])
    # Shares of the bins, not densities: on equal bins the widths cancel, and bins may be so
    # narrow that dividing by their width overflows.
    share = mated / mated.sum(axis=-1, keepdims=True)
    other = nonmated / nonmated.sum(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = omega * share / other
        local = np.where(ratio > 1.0, 2.0 * ratio / (1.0 + ratio) - 1.0, 0.0)
    terms = np.where(other == 0.0, 1.0, local) * share
    result: Floats = terms.sum(axis=-1) - (terms[..., 0] + terms[..., -1]) / 2.0
    return result


def histogram(sorted_scores: Floats, edges: Floats) -> Floats:
    """Counts in each bin, the last bin closed on the right, from scores in order."""
    inner = np.searchsorted(sorted_scores, edges[1:-1], "left")
    return np.diff(inner, prepend=0, append=sorted_scores.size).astype(np.float64)


def bin_of(scores: Floats, edges: Floats) -> NDArray[np.intp]:
    """The bin each score falls in, for scores in any order."""
    return np.searchsorted(edges[1:-1], scores, "right")


def d_sys(mated: ArrayLike, nonmated: ArrayLike, *, omega: float = 1.0) -> float:
    """Global linkability of two classes of scores, in [0, 1]; 0 for constant scores.

    Raises InputError below ten mated scores, where a histogram says nothing.
    """
    a, b = validate(mated, nonmated)
    edges = bin_edges(a, b)
    counts = [histogram(np.sort(scores), edges)[None] for scores in (a, b)]
    return float(d_sys_of_histograms(counts[0], counts[1], edges, omega)[0])
