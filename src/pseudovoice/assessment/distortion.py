"""Calibration distortion C_ECE: can the attacker calibrate on one run and use it on another?

(noe2022 §5.3, Eq. 15–16.) A map is learnt on the scores of run f0 of the safeguard and applied
to those of run f1; C_ECE is D_ECE of the result. Not clipped: negative values mean that the
attacker would be better off without the scores.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pseudovoice.assessment.binned_condition import BinnedCondition
from pseudovoice.assessment.replicates import Weights
from pseudovoice.assessment.tally import Tally, distinct, tally
from pseudovoice.assessment.zebra import D_ECE_MAX, disclosure_of_llr
from pseudovoice.calibration.ladder import Floats, Ladder
from pseudovoice.calibration.maps import fit_linear, isotonic_of_ladder
from pseudovoice.scores.binned import BinnedScores
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
"""How each map is learnt from scores that stand for mated and non-mated trials."""


def learn(name: str, f0: ScoreSet | BinnedScores) -> Map:
    """The attacker's calibration map, learnt on run f0."""
    rungs = rungs_of(f0)
    return LEARNERS[name](rungs.low, rungs.mated, rungs.nonmated)


def c_ece(learnt: Map, f1: ScoreSet | BinnedScores) -> float:
    """C_ECE: D_ECE of run f1's scores, mapped by what was learnt on run f0 (Eq. 16)."""
    rungs = rungs_of(f1)
    llr = learnt(rungs.low)
    mated = rungs.mated @ disclosure_of_llr(llr) / rungs.mated.sum()
    return float(
        D_ECE_MAX * (mated + rungs.nonmated @ disclosure_of_llr(-llr) / rungs.nonmated.sum())
    )


def rungs_of(scores: ScoreSet | BinnedScores) -> Ladder:
    """The distinct scores with how often each occurs in either class."""
    if isinstance(scores, BinnedScores):
        return scores.ladder()
    return distinct(scores.mated_scores, scores.nonmated_scores)


def f0_tally(f0: ScoreSet | BinnedScores, similarity: str) -> Tally:
    """Run f0 counted per cell, on rungs coarse enough to learn a map in every replicate."""
    if isinstance(f0, BinnedScores):
        return BinnedCondition("f0", f0, similarity, None).labelled
    return tally(f0, any_labels=True, most_rungs=MOST_RUNGS_TO_LEARN)


def distortion_replicates(
    name: str,
    f0: Tally,
    f1: Tally,
    f0_weights: Weights,
    f1_weights: Weights,
) -> Floats:
    """C_ECE in each replicate: the map learnt anew on the reweighted f0, applied to f1."""
    learn = LEARNERS[name]
    mated = np.asarray((f0.rungs.T @ f0_weights.mated.T).T, np.float64)
    nonmated = np.asarray((f0.rungs.T @ f0_weights.nonmated.T).T, np.float64)
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
        with np.errstate(invalid="ignore"):  # a replicate without trials of a class: NaN
            total += (weight @ per_cell) / (weight @ f1.n)
    return D_ECE_MAX * total


def is_same_run(f0: ScoreSet | BinnedScores, f1: ScoreSet | BinnedScores) -> bool:
    """Whether the two runs gave the same scores: a deterministic safeguard has no C_ECE."""
    a, b = rungs_of(f0), rungs_of(f1)
    return all(
        np.array_equal(getattr(a, part), getattr(b, part)) for part in ("low", "mated", "nonmated")
    )
