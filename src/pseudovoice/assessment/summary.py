"""A condition without its scores: what pictures show of it, small enough to be kept."""

from __future__ import annotations

from dataclasses import dataclass

from pseudovoice.assessment.condition import Condition
from pseudovoice.assessment.profile import actual_curve, oracle_curve
from pseudovoice.assessment.similarity import SimilarityMatrix
from pseudovoice.assessment.zoo import Zoo
from pseudovoice.calibration.ladder import Floats


@dataclass(frozen=True)
class ConditionSummary:
    """Similarity matrix, zoo and ECE profile of a condition, and how many trials they rest on.

    ``oracle`` is the profile of oracle-calibrated scores over `PRIORS`, ``actual`` that of the
    scores as they are, where they are log-likelihood-ratios. ``ceiling`` is the largest l_w that
    so few trials can show.
    """

    method: str
    n_mated: int
    n_nonmated: int
    ceiling: float
    matrix: SimilarityMatrix | None
    zoo: Zoo | None
    oracle: Floats
    actual: Floats | None = None


def summarise(condition: Condition, *, llrs: bool = False) -> ConditionSummary:
    """What pictures show; ``llrs`` says that the scores are log-likelihood-ratios."""
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
        actual_curve(mated, nonmated) if llrs else None,
    )
