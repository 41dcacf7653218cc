"""ECE curves of scores that no oracle calibrated (noe2022 Fig. 7b and Fig. 8), as numbers.

An *actual* curve is that of scores read as log-likelihood-ratios, as they are or as a map makes
them that was learnt on another run of the safeguard.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pseudovoice.assessment import distortion
from pseudovoice.assessment.evaluate import evaluate
from pseudovoice.assessment.profile import PRIORS, oracle_curve
from pseudovoice.assessment.zebra import D_ECE_MAX, disclosure_of_llr, ece
from pseudovoice.calibration.ladder import Floats
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.scoreset import ScoreSet

Scores = ScoreSet | BinnedScores


@dataclass(frozen=True)
class OracleRun:
    """A run as an oracle sees it: its curve over `PRIORS`, and the numbers beside it."""

    curve: Floats
    d_ece: float
    l_w: float
    tag: str
    cllr_min: float


@dataclass(frozen=True)
class ActualRun:
    """Scores read as LLRs: their curve, what they disclose then (C_ECE, if mapped), and Cllr."""

    curve: Floats
    disclosed: float
    cllr: float


@dataclass(frozen=True)
class CarriedOver:
    """Both runs of a safeguard, and f1 under each map that was learnt on f0 (noe2022 Fig. 8)."""

    f0: OracleRun
    f1: OracleRun
    maps: dict[str, ActualRun]


def carried_over(f0: Scores, f1: Scores) -> CarriedOver | None:
    """What calibration learnt on one run is worth on another; None where both are the same."""
    if distortion.is_same_run(f0, f1):
        return None
    maps = {name: actual_run(f1, distortion.learn(name, f0)) for name in distortion.LEARNERS}
    return CarriedOver(_oracle_run(f0), _oracle_run(f1), maps)


def actual_run(scores: Scores, learnt: distortion.Map | None = None) -> ActualRun:
    """Scores as they are, or under a map."""
    rungs = distortion.rungs_of(scores)
    llr = rungs.low if learnt is None else learnt(rungs.low)
    # To three decimals: a million scores are few different ones.
    rounded, at = np.unique(np.round(llr, 3), return_inverse=True)
    mated, nonmated = (np.bincount(at, count) for count in (rungs.mated, rungs.nonmated))
    disclosed = sum(
        float(count @ disclosure_of_llr(sign * llr) / count.sum())
        for sign, count in ((1.0, rungs.mated), (-1.0, rungs.nonmated))
    )
    return ActualRun(
        ece(PRIORS, rounded, rounded, mated, nonmated),
        D_ECE_MAX * disclosed,
        float(ece(0.0, llr, llr, rungs.mated, rungs.nonmated)[0]),
    )


def _oracle_run(scores: Scores) -> OracleRun:
    mated, nonmated = scores.mated_scores, scores.nonmated_scores
    known = evaluate(mated, nonmated)
    curve = oracle_curve(mated, nonmated)
    return OracleRun(curve, known.d_ece, known.l_w, known.tag, known.cllr_min)
