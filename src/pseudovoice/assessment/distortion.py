"""Calibration distortion C_ECE: can the attacker calibrate on one run and use it on another?

(noe2022 §5.3, Eq. 15–16.) A map is learnt on the scores of run f0 of the safeguard and applied
to those of run f1; C_ECE is D_ECE of the result. Not clipped: negative values mean that the
attacker would be better off without the scores.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pseudovoice.assessment.replicates import Weights
from pseudovoice.assessment.tally import Tally
from pseudovoice.assessment.zebra import D_ECE_MAX, d_ece, disclosure_of_llr
from pseudovoice.calibration.ladder import Floats, Ladder
from pseudovoice.calibration.maps import (
    fit_linear,
    isotonic_of_ladder,
    learn_isotonic,
    learn_linear,
)
from pseudovoice.scores.scoreset import ScoreSet

Map = Callable[[Floats], Floats]

MOST_RUNGS_TO_LEARN = 1024
"""A map has two parameters, or some dozens of steps: replicates learn it on rounded scores."""

LEARNERS: dict[str, Callable[[Floats, Floats, Floats], Map]] = {
    "c_ece_linear": fit_linear,
    "c_ece_isotonic": lambda score, mated, nonmated: isotonic_of_ladder(
        Ladder(score, score, mated, nonmated)
    ),
}


def distortion_replicates(
    name: str,
    f0: Tally,
    f1: Tally,
    f0_weights: Weights,
    f1_weights: Weights,
) -> Floats:
    """C_ECE in each replicate: the map learnt anew on the reweighted f0, applied to f1."""
    learn = LEARNERS[name]
    mated = np.asarray((f0.rungs.T @ f0_weights.mated.T).T)
    nonmated = np.asarray((f0.rungs.T @ f0_weights.nonmated.T).T)
    out = np.full(len(f1_weights), np.nan)
    for r in range(len(f1_weights)):
        if mated[r].any() and nonmated[r].any():
            used = mated[r] + nonmated[r] > 0
            learnt = learn(f0.low[used], mated[r][used], nonmated[r][used])
            out[r] = distortion_under(learnt, f1, f1_weights[r : r + 1])[0]
    return out


def distortion_under(learnt: Map, f1: Tally, weights: Weights) -> Floats:
    """D_ECE of f1's scores mapped by a given map, in each replicate."""
    llr = learnt(f1.low)
    total = np.zeros(len(weights))
    for weight, sign in ((weights.mated, 1.0), (weights.nonmated, -1.0)):
        per_cell = f1.rungs @ disclosure_of_llr(sign * llr)
        total += (weight @ per_cell) / (weight @ f1.n)
    return D_ECE_MAX * total


def is_same_run(f0: ScoreSet, f1: ScoreSet) -> bool:
    """Whether the two runs gave the same scores: a deterministic safeguard has no C_ECE."""
    return f0.score.size == f1.score.size and bool(
        np.array_equal(np.sort(f0.score), np.sort(f1.score))
    )


MAPS: dict[str, Callable[[Floats, Floats], Map]] = {
    "c_ece_linear": learn_linear,
    "c_ece_isotonic": learn_isotonic,
}


def c_ece(learnt: Map, f1: ScoreSet) -> float:
    """C_ECE: D_ECE of run f1's scores, mapped by what was learnt on run f0 (Eq. 16)."""
    return d_ece(learnt(f1.mated_scores), learnt(f1.nonmated_scores))
