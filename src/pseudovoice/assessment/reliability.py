"""Do posteriors come true? The numbers of the empirical calibration plot (noe2022 Fig. 4; Ramos &
Gonzalez-Rodriguez 2013).

The posterior of a score s read as an LLR is σ(s + logit π). Trials are binned by it and, bin by
bin, the mated fraction is held against it. The paper takes π from the trials; with one mated trial
in twenty nearly all posteriors then crowd at 0. The default here is π = ½, the prior of Cllr, with
both classes weighted alike.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from pseudovoice.calibration.ladder import Floats
from pseudovoice.calibration.pav import calibrate

BINS = 20

EXTREME = 1e-6
"""Posteriors closer than this to 0 or 1 are certainty, which uncalibrated scores claim freely."""


@dataclass(frozen=True)
class Bins:
    """The bins that hold trials: their edges, what was foretold there and what came true."""

    low: Floats
    high: Floats
    mean_posterior: Floats
    mated_fraction: Floats
    n_mated: Floats
    n_nonmated: Floats
    share: Floats


@dataclass(frozen=True)
class Reliability:
    """Scores read as LLRs, and after oracle calibration, at one prior.

    ``empirical`` says that the prior is that of the trials; ``certain`` is the share of posteriors
    that claim certainty before calibration.
    """

    prior: float
    empirical: bool
    certain: float
    raw: Bins
    oracle: Bins


def reliability(mated: ArrayLike, nonmated: ArrayLike, *, prior: float | None = 0.5) -> Reliability:
    """Bin the posteriors of a condition; ``prior`` None is that of the trials, as in the paper."""
    a, b = np.asarray(mated, dtype=np.float64), np.asarray(nonmated, dtype=np.float64)
    pi = a.size / (a.size + b.size) if prior is None else prior
    map_ = calibrate(a, b)
    # expit saturates quietly at LLRs in the hundreds
    raw = expit(a + logit(pi)), expit(b + logit(pi))
    oracle = expit(map_(a) + logit(pi)), expit(map_(b) + logit(pi))
    claimed = np.concatenate(raw)
    certain = float(((claimed < EXTREME) | (claimed > 1.0 - EXTREME)).mean())
    return Reliability(pi, prior is None, certain, _bins(*raw, pi), _bins(*oracle, pi))


def _bins(mated: Floats, nonmated: Floats, prior: float) -> Bins:
    edges = np.linspace(0.0, 1.0, BINS + 1)
    n_mated, n_nonmated = np.histogram(mated, edges)[0], np.histogram(nonmated, edges)[0]
    of_mated = prior * n_mated / mated.size
    of_nonmated = (1.0 - prior) * n_nonmated / nonmated.size
    share = of_mated + of_nonmated
    total = prior * np.histogram(mated, edges, weights=mated)[0] / mated.size
    total += (1.0 - prior) * np.histogram(nonmated, edges, weights=nonmated)[0] / nonmated.size
    used = share > 0.0
    return Bins(
        edges[:-1][used],
        edges[1:][used],
        total[used] / share[used],
        of_mated[used] / share[used],
        n_mated[used].astype(np.float64),
        n_nonmated[used].astype(np.float64),
        share[used],
    )
