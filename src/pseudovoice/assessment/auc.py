"""The area under the ROC curve: how often the right one of two scores is the larger.

Conventions
-----------
- 0.5 is chance, 1 perfect, below 0.5 misled; equal scores count half.
- Intervals draw speakers again: a pair of utterances of speakers i and j weighs w_i·w_j, one of a
  single speaker w_i.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from pseudovoice.calibration.ladder import Floats

Marks = NDArray[np.bool_]
Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Wins:
    """Of pairs (one of the class of speaker i, one of another of speaker j): how many, and how
    many of them have the larger score on the side of the class. Both are speakers × speakers."""

    won: Floats
    pairs: Floats

    def auc(self, drawn: Floats | None = None) -> Floats:
        """One value, or one for each draw of speakers, shape (replicates, speakers).

        NaN where a draw has no pair.
        """
        if drawn is None:
            drawn = np.ones((1, len(self.won)))
        won, pairs = (_weighted(cells, drawn) for cells in (self.won, self.pairs))
        return np.divide(won, pairs, out=np.full_like(won, np.nan), where=pairs > 0)


def _weighted(cells: Floats, drawn: Floats) -> Floats:
    own = np.diag(cells)
    total: Floats = ((drawn @ (cells - np.diag(own))) * drawn).sum(axis=1) + drawn @ own
    return total


def wins(score: Floats, of_class: Marks, speaker: Codes, n_speakers: int) -> Wins:
    """Count the pairs of all speakers; ``speaker`` are codes below ``n_speakers``."""
    won, pairs = np.zeros((2, n_speakers, n_speakers))
    inside, whose = score[of_class], speaker[of_class]
    size = np.bincount(whose, minlength=n_speakers)
    for other in range(n_speakers):
        outside = np.sort(score[~of_class & (speaker == other)])
        below = np.searchsorted(outside, inside, "left") + np.searchsorted(outside, inside, "right")
        won[:, other] = np.bincount(whose, below / 2.0, minlength=n_speakers)
        pairs[:, other] = size * outside.size
    return Wins(won, pairs)


def aucs(score: Floats, of_class: Marks) -> Floats:
    """One value a column of scores and marks, both utterances × columns; NaN without a pair."""
    n_in = of_class.sum(axis=0)
    n_out = len(of_class) - n_in
    ranks = np.where(of_class, rankdata(score, axis=0), 0.0).sum(axis=0)
    won = ranks - n_in * (n_in + 1) / 2.0
    pairs = (n_in * n_out).astype(np.float64)
    shares: Floats = np.divide(won, pairs, out=np.full(won.shape, np.nan), where=pairs > 0)
    return shares
