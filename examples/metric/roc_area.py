"""A metric of one's own: how often a mated score is above a non-mated one."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from pseudovoice.assessment.metrics import Metric
from pseudovoice.assessment.own_metrics import Scored, ScoreMetric


def roc_area(scored: Scored) -> float:
    """Mann–Whitney's U as a share; ties count half."""
    n, m = scored.mated.size, scored.nonmated.size
    ranks = rankdata(np.concatenate([scored.mated, scored.nonmated]))
    return float((ranks[:n].sum() - n * (n + 1) / 2) / (n * m))


ROC_AREA = ScoreMetric(
    # Name, unit, least and largest value, and +1: larger values tell speakers apart better.
    Metric("roc_area", "1", 0.0, 1.0, 1, "Mann–Whitney, ties half"),
    roc_area,
    summary="Area under the ROC curve",
    explained=(
        "The chance that a trial of the same speaker scores above one of two speakers. 0.5 is "
        "guessing, 1 is a recogniser that never errs."
    ),
    reference="an example of pseudovoice; Hanley & McNeil 1982",
)
