"""ECE over all priors: the curves of ECE profiles (noe2022 Fig. 7), as numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from pseudovoice.assessment.evaluate import ece_profile
from pseudovoice.assessment.zebra import ece
from pseudovoice.calibration.ladder import Floats

PRIORS: Floats = np.linspace(-8.0, 8.0, 161)
"""Prior log-odds of the curves; at both ends the odds are one to 3,000."""


def oracle_curve(mated: ArrayLike, nonmated: ArrayLike) -> Floats:
    """ECE of oracle-calibrated scores over `PRIORS`."""
    return ece_profile(mated, nonmated, logit_prior=PRIORS, actual=False).oracle


def actual_curve(mated: Floats, nonmated: Floats) -> Floats:
    """ECE of scores read as LLRs, to three decimals: a million are few different ones."""
    (a, n_a), (b, n_b) = (
        np.unique(np.round(scores, 3), return_counts=True) for scores in (mated, nonmated)
    )
    return ece(PRIORS, a, b, n_a, n_b)


def blind_curve() -> Floats:
    """ECE of scores that tell nothing: perfect privacy."""
    return ece(PRIORS, np.zeros(1), np.zeros(1))
