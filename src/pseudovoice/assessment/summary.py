"""A condition without its scores: what pictures show of it, small enough to be kept."""

from __future__ import annotations

from dataclasses import dataclass

from pseudovoice.assessment.carried_over import ActualRun, CarriedOver, actual_run, carried_over
from pseudovoice.assessment.condition import Condition
from pseudovoice.assessment.profile import oracle_curve
from pseudovoice.assessment.reliability import Reliability, reliability
from pseudovoice.assessment.similarity import SimilarityMatrix
from pseudovoice.assessment.zoo import Zoo
from pseudovoice.calibration.ladder import Floats
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.scoreset import ScoreSet


@dataclass(frozen=True)
class ConditionSummary:
    """Similarity matrix, zoo and ECE profile of a condition, and how many trials they rest on.

    ``oracle`` is the profile of oracle-calibrated scores over `PRIORS`, ``raw`` that of the scores
    as they are, which are log-likelihood-ratios or, without ``llrs``, only read as such.
    ``reliability`` is whether their posteriors come true, at π = ½ and at the prior of the trials.
    ``carried`` is what calibration learnt on another run is worth, where there is one. ``ceiling``
    is the largest l_w that so few trials can show.
    """

    method: str
    n_mated: int
    n_nonmated: int
    ceiling: float
    matrix: SimilarityMatrix | None
    zoo: Zoo | None
    oracle: Floats
    raw: ActualRun
    llrs: bool = False
    carried: CarriedOver | None = None
    reliability: tuple[Reliability, ...] = ()  # results kept earlier have none

    @property
    def actual(self) -> Floats | None:
        """The profile of scores as they are, where they are log-likelihood-ratios."""
        return self.raw.curve if self.llrs else None


def summarise(
    condition: Condition, *, llrs: bool = False, f0: ScoreSet | BinnedScores | None = None
) -> ConditionSummary:
    """What pictures show; ``llrs`` says that the scores are log-likelihood-ratios.

    ``f0`` are the scores of another run of the safeguard.
    """
    scores, known = condition.scores, condition.evaluation
    mated, nonmated = scores.mated_scores, scores.nonmated_scores
    return ConditionSummary(
        scores.method,
        known.n_mated,
        known.n_nonmated,
        known.l_w_ceiling,
        condition.matrix,
        condition.zoo if scores.named else None,
        oracle_curve(mated, nonmated),
        actual_run(scores),
        llrs,
        None if f0 is None else carried_over(f0, scores),
        tuple(reliability(mated, nonmated, prior=prior) for prior in (0.5, None)),
    )
