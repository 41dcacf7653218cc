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


def blind_curve() -> Floats:
    """ECE of scores that tell nothing: perfect privacy."""
    return ece(PRIORS, np.zeros(1), np.zeros(1))
