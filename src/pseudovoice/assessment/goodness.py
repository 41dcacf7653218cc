"""How good the scores are at telling speakers apart: Cllr and error rates (noe2022 §3.5).

Conventions
-----------
* All functions but `cllr` see the scores only through their order, as counts.
* `eer` is that of the ROC convex hull, through PAV with ties pooled; `kaldi_eer` follows
  Kaldi's compute-eer so that VoicePrivacy tables can be matched. Both are fractions.
* Detection costs are normalised by min(P, 1 − P), so 1 is the cost of not listening at all.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_expit

from pseudovoice.assessment.zebra import weighted_mean
from pseudovoice.calibration.ladder import Floats
from pseudovoice.calibration.pav import Blocks


def cllr(mated_llr: ArrayLike, nonmated_llr: ArrayLike) -> float:
    """Cost of the scores read as LLRs, in bit (noe2022 Eq. 4).

    1 is a coin toss, above 1 the scores mislead, 0 is perfect. Infinite if a score is
    infinitely wrong.
    """
    missed = -log_expit(np.asarray(mated_llr, dtype=np.float64)).mean()
    fooled = -log_expit(-np.asarray(nonmated_llr, dtype=np.float64)).mean()
    return float((missed + fooled) / (2.0 * math.log(2.0)))


def cllr_of_blocks(blocks: Blocks) -> Floats:
    """Cllr after oracle calibration, Cllr_min, of each row."""
    missed = blocks.sum_rows(weighted_mean(-log_expit(blocks.llr), blocks.mated))
    fooled = blocks.sum_rows(weighted_mean(-log_expit(-blocks.llr), blocks.nonmated))
    return (missed / blocks.n_mated + fooled / blocks.n_nonmated) / (2.0 * math.log(2.0))


def error_rates(blocks: Blocks) -> tuple[Floats, Floats]:
    """Miss and false-alarm rate with the threshold just above each block: the hull's vertices."""
    missed, passed = np.cumsum(blocks.mated), np.cumsum(blocks.nonmated)
    before = np.cumsum(blocks.n_mated) - blocks.n_mated
    before_non = np.cumsum(blocks.n_nonmated) - blocks.n_nonmated
    row = blocks.row
    p_miss = (missed - before[row]) / blocks.n_mated[row]
    p_fa = 1.0 - (passed - before_non[row]) / blocks.n_nonmated[row]
    return p_miss, p_fa


def rocch_eer(blocks: Blocks) -> Floats:
    """Equal-error rate on the ROC convex hull, a fraction in [0, 0.5]."""
    p_miss, p_fa = error_rates(blocks)
    # The first vertex at which misses are no longer fewer than false alarms; each row ends at
    # (1, 0), so there is one, and the edge to it from the vertex before crosses the diagonal.
    crossed = np.where(p_miss >= p_fa, np.arange(p_miss.size), p_miss.size)
    at = np.minimum.reduceat(crossed, blocks.row_start)
    first = at == blocks.row_start
    miss_0 = np.where(first, 0.0, p_miss[at - 1])
    fa_0 = np.where(first, 1.0, p_fa[at - 1])
    miss_1, fa_1 = p_miss[at], p_fa[at]
    share = (fa_0 - miss_0) / ((fa_0 - miss_0) + (miss_1 - fa_1))
    return miss_0 + share * (miss_1 - miss_0)


def min_dcf(blocks: Blocks, p_target: float) -> Floats:
    """Minimum detection cost at unit costs, normalised; 1 means the evidence is of no use.

    A linear cost is smallest at a vertex of the hull, so the blocks are all that is needed.
    """
    p_miss, p_fa = error_rates(blocks)
    cost = p_target * p_miss + (1.0 - p_target) * p_fa
    silent = 1.0 - p_target  # accepting everyone: the vertex before the first block
    best = np.minimum(np.minimum.reduceat(cost, blocks.row_start), silent)
    return best / min(p_target, 1.0 - p_target)


def kaldi_eer(mated: Floats, nonmated: Floats) -> Floats:
    """EER as Kaldi's compute-eer finds it, for each row of counts (rows, rungs).

    Kaldi walks the sorted mated scores t_0, t_1, … and stops at the first i for which at most
    ⌊n_nonmated · i / n_mated⌋ non-mated scores reach t_i; the answer is i / n_mated. On a rung
    the false alarms are the same for all i, so the walk is one comparison per rung.
    """
    n_mated, n_nonmated = mated.sum(axis=1), nonmated.sum(axis=1)
    below = np.cumsum(mated, axis=1)
    # Non-mated scores under the rung, in mated ones. With them the walk stops at the first rung
    # where n_mated − under ≤ below − 1; the tolerance spares whole numbers their rounding.
    under = np.cumsum(nonmated, axis=1)
    under -= nonmated
    under *= (n_mated / n_nonmated)[:, None]
    under += below
    first = np.argmax(under >= (n_mated + 1.0 - 1e-9)[:, None], axis=1)
    rows = np.arange(mated.shape[0])
    reached, at = under[rows, first], below[rows, first]
    position = np.maximum(np.ceil(n_mated - (reached - at) - 1e-9), at - mated[rows, first])
    # Kaldi's walk ends on the last mated score whether or not it stopped there.
    stops = reached >= n_mated + 1.0 - 1e-9
    eer: Floats = np.where(stops, np.minimum(position, n_mated - 1.0), n_mated - 1.0) / n_mated
    return eer
