"""ZEBRA: how much evidence of identity the scores disclose (noe2022 §5, Nautsch et al. 2020).

Conventions
-----------
* LLRs are natural-log inside; l_w is shown in base 10 and D_ECE in bit.
* D_ECE and the ECE profiles use the plain oracle calibration, l_w the Laplace one.
* D_ECE lies in [0, 1/(2 ln 2)] for oracle-calibrated scores and may be negative for others
  (C_ECE, per-speaker D_ECE): the attacker would then be better off without the evidence.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_expit

from pseudovoice.calibration.ladder import Floats
from pseudovoice.calibration.pav import Blocks

D_ECE_MAX = 1.0 / (2.0 * math.log(2.0))
"""Full disclosure, 0.721348 bit: the area under the entropy of a binary prior."""

TAGS = "0ABCDEF"
TAG_BOUNDS = (1.0, 2.0, 4.0, 5.0, 6.0)
"""Lower bounds of tags B to F in decades of the likelihood-ratio (noe2022 Table 1)."""


def disclosure_of_llr(llr: ArrayLike) -> Floats:
    """Z(l) of noe2022 Eq. 13: what one mated LLR contributes to D_ECE, in nat.

    Z(l) = 1/2 + (l − (e^l − 1)) / (e^l − 1)². Its limits are −inf at −inf, 0 at 0, 1/2 at +inf.
    The written form cancels near 0, where the series in e^l − 1 takes over.
    """
    x = np.asarray(llr, dtype=np.float64)
    out = np.empty_like(x)
    near, high = np.abs(x) < 0.05, x >= 0.05
    low = ~(near | high)

    e = np.expm1(x[near])
    series = np.zeros_like(e)
    for k in range(12, 2, -1):  # e/3 − e²/4 + e³/5 − …, by Horner from the last term
        series = e * ((-1.0) ** (k + 1) / k + series)
    out[near] = series

    up = x[high]
    q = np.exp(-up)  # for +inf: q = 0 and up·q² must be its limit 0
    with np.errstate(invalid="ignore"):
        linear = np.where(np.isinf(up), 0.0, (up + 1.0) * q * q)
    out[high] = 0.5 + (linear - q) / np.square(-np.expm1(-up))

    down = x[low]
    em1 = np.expm1(down)
    out[low] = 0.5 + (down - em1) / np.square(em1)
    return out


def weighted_mean(terms: Floats, counts: Floats) -> Floats:
    """Σ counts · terms, where a count of 0 silences even an infinite term."""
    with np.errstate(invalid="ignore"):
        return np.where(counts > 0, counts * terms, 0.0)


def d_ece(mated_llr: ArrayLike, nonmated_llr: ArrayLike) -> float:
    """Expected disclosure of any set of LLRs, in bit (noe2022 Eq. 13).

    Equals the integral over the prior of (prior entropy − ECE). Lower is better for privacy;
    0 is perfect privacy, 0.721348 full disclosure, negative means misleading scores.
    """
    a = disclosure_of_llr(mated_llr).mean()
    b = disclosure_of_llr(-np.asarray(nonmated_llr, dtype=np.float64)).mean()
    return float((a + b) * D_ECE_MAX)


def d_ece_of_blocks(blocks: Blocks) -> Floats:
    """D_ECE of each row of an oracle calibration."""
    mated = weighted_mean(disclosure_of_llr(blocks.llr), blocks.mated)
    nonmated = weighted_mean(disclosure_of_llr(-blocks.llr), blocks.nonmated)
    return D_ECE_MAX * (
        blocks.sum_rows(mated) / blocks.n_mated + blocks.sum_rows(nonmated) / blocks.n_nonmated
    )


def worst_case(laplace: Blocks, plain: Blocks) -> Floats:
    """l_w of each row: the strongest LLR, in decades (noe2022 §5.2).

    Where the plain fit is one block there is no evidence at all and l_w is 0, although
    Laplace's pseudo-scores alone would still bend the fit.
    """
    strongest = np.maximum.reduceat(np.abs(laplace.llr), laplace.row_start) / np.log(10.0)
    return np.where(np.diff(plain.row_start, append=plain.row.size) == 1, 0.0, strongest)


def ceiling(n_mated: float, n_nonmated: float) -> float:
    """The largest l_w that this many trials can show: a small test cannot earn a bad tag."""
    return float(
        np.log10(max((n_mated + 1) * n_nonmated / n_mated, (n_nonmated + 1) * n_mated / n_nonmated))
    )


def tag(l_w: float) -> str:
    """Categorical tag of a worst case l_w, ``0`` to ``F`` (noe2022 Table 1)."""
    if l_w == 0.0:
        return TAGS[0]
    return TAGS[1 + int(np.searchsorted(TAG_BOUNDS, l_w, "right"))]


@dataclass(frozen=True)
class EceProfile:
    """Empirical cross-entropy over the prior, in bit: ``prior`` knows nothing, ``actual`` is
    the scores as they are, ``oracle`` after oracle calibration (noe2022 Eq. 11–12, Fig. 7)."""

    logit_prior: Floats
    prior: Floats
    actual: Floats | None
    oracle: Floats

    def table(self) -> dict[str, Any]:
        """Tidy data, one row per prior."""
        columns = {"prior_log_odds": self.logit_prior, "ece_prior": self.prior}
        if self.actual is not None:
            columns["ece_actual"] = self.actual
        return {**columns, "ece_oracle": self.oracle}


def ece(
    logit_prior: ArrayLike,
    mated_llr: ArrayLike,
    nonmated_llr: ArrayLike,
    mated_count: ArrayLike | None = None,
    nonmated_count: ArrayLike | None = None,
) -> Floats:
    """ECE(π) of noe2022 Eq. 11 at each prior log-odds; counts let blocks stand for their scores."""
    lp = np.atleast_1d(np.asarray(logit_prior, dtype=np.float64))
    total = np.zeros_like(lp)
    for sign, llr, count in ((1.0, mated_llr, mated_count), (-1.0, nonmated_llr, nonmated_count)):
        signed = sign * np.asarray(llr, dtype=np.float64)
        weight = np.ones_like(signed) if count is None else np.asarray(count, dtype=np.float64)
        signed, weight = signed[weight > 0], weight[weight > 0] / weight.sum()
        for k, x in enumerate(sign * lp):  # one prior at a time: memory stays that of the scores
            total[k] -= np.exp(log_expit(x)) * (weight @ log_expit(signed + x)) / np.log(2.0)
    return total
