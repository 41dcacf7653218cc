"""Logistic fusion: one score made of several, with weights that minimise Cllr."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from pseudovoice.calibration.ladder import Floats

RIDGE = 0.001
"""What a squared weight costs beside Cllr in nat: enough that weights stay finite where a
threshold separates the classes, and that scores which say the same share their weight."""


@dataclass(frozen=True)
class FusionMap:
    """llr = offset + Σ weight · (score − centre) / scale."""

    weight: Floats
    offset: float
    centre: Floats
    scale: Floats

    def __call__(self, scores: Floats) -> Floats:
        """Fuse scores, a row per trial and a column per score."""
        llr: Floats = (scores - self.centre) / self.scale @ self.weight + self.offset
        return llr


def learn_fusion(scores: Floats, mated: NDArray[np.bool_], *, ridge: float = RIDGE) -> FusionMap:
    """Learn weights on trials, a row each, of which it is known which are mated.

    Class-balanced logistic regression, as for `learn_linear`. Every score is the higher the more
    alike two voices are, hence no weight is negative: what seems to speak for a stranger does so by
    chance.
    """
    centre, spread = scores.mean(axis=0), scores.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    x = (scores - centre) / scale
    yes, no = mated / max(1, mated.sum()), ~mated / max(1, (~mated).sum())

    def cost(theta: Floats) -> tuple[float, Floats]:
        weight, offset = theta[:-1], theta[-1]
        llr = x @ weight + offset
        slack = (yes + no) * expit(llr) - yes
        loss = -float(yes @ log_expit(llr) + no @ log_expit(-llr))
        gradient = np.append(slack @ x + 2 * ridge * weight, slack.sum())
        return loss + ridge * float(weight @ weight), gradient

    bounds = [(0.0, None)] * x.shape[1] + [(None, None)]
    fit = minimize(cost, np.zeros(x.shape[1] + 1), jac=True, method="L-BFGS-B", bounds=bounds)
    return FusionMap(fit.x[:-1], float(fit.x[-1]), centre, scale)
