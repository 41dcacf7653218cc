"""Metrics of one's own: from the scores of a condition to a number, found by entry point.

One is a :class:`ScoreMetric` that a package names under ``pseudovoice.metrics``. It then stands in
every result beside ours, with interval and null level, and in the glossary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from pseudovoice.assessment.metric_packages import ENTRY_POINTS
from pseudovoice.assessment.metrics import METRICS, Metric
from pseudovoice.assessment.replicates import Weights, bootstrap, permutation
from pseudovoice.calibration.ladder import Floats
from pseudovoice.calibration.pav import Calibration, calibrate
from pseudovoice.packages import installed
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.scoreset import ScoreSet

MOST_TRIALS = 200_000
"""Above so many trials a metric of one's own has no interval: it is computed once a replicate."""


@dataclass(frozen=True)
class Scored:
    """The scores of one condition by class, as they are and as an oracle calibrates them."""

    mated: Floats
    nonmated: Floats

    @cached_property
    def _oracle(self) -> Calibration:
        return calibrate(self.mated, self.nonmated, laplace=True)

    @cached_property
    def mated_llr(self) -> Floats:
        """Natural-log likelihood-ratios of the mated trials (PAV with Laplace's rule)."""
        return self._oracle(self.mated)

    @cached_property
    def nonmated_llr(self) -> Floats:
        return self._oracle(self.nonmated)


@dataclass(frozen=True)
class ScoreMetric:
    """A metric of one's own.

    Parameters
    ----------
    metric : its name in every table, unit, range, direction of evidence and method
    of : the number, from the scores of a condition; None or NaN where it cannot be had
    summary, explained, reference : its entry in the glossary
    """

    metric: Metric
    of: Callable[[Scored], float | None]
    summary: str
    explained: str
    reference: str

    @property
    def name(self) -> str:
        return self.metric.name


@cache
def score_metrics() -> dict[str, ScoreMetric]:
    """All that are installed, by name; ours win over others of the same name."""
    return dict(installed(ENTRY_POINTS, "metric", lambda other: str(other.name), METRICS))


@dataclass(frozen=True)
class OwnValue:
    """A metric of one's own in one condition; ``why`` says why something of it is missing."""

    metric: ScoreMetric
    value: float | None
    replicates: Floats | None = None
    null: Floats | None = None
    why: str = ""


def own_value(
    metric: ScoreMetric,
    scores: ScoreSet | BinnedScores,
    drawn: Floats | None,
    names: NDArray[np.intp] | None,
) -> OwnValue:
    """The value, and its bootstrap and permutation replicates over speakers.

    ``drawn`` and ``names`` are the draws of the assessment, None or empty for none.
    """
    try:
        value = _finite(metric.of(Scored(scores.mated_scores, scores.nonmated_scores)))
        if value is None:
            return OwnValue(metric, None, why="it cannot be had from these scores")
        if isinstance(scores, BinnedScores):
            return OwnValue(metric, value, why="no interval: the scores were counted, not kept")
        if not scores.named:
            return OwnValue(metric, value)
        if scores.score.size > MOST_TRIALS:
            return OwnValue(metric, value, why=f"no interval: more than {MOST_TRIALS:,} trials")
        cells, which = _cells(scores)
        return OwnValue(
            metric,
            value,
            None
            if drawn is None or not len(drawn)
            else _replicates(metric, scores, which, (bootstrap(cells, d[None]) for d in drawn)),
            None
            if names is None or not len(names)
            else _replicates(metric, scores, which, (permutation(cells, n[None]) for n in names)),
        )
    except Exception as error:  # somebody else's code
        return OwnValue(metric, None, why=f"it failed ({type(error).__name__}: {error})")


@dataclass(frozen=True)
class _Cells:
    """Pairs of speakers that have trials."""

    row: NDArray[np.intp]
    column: NDArray[np.intp]
    n_speakers: int

    @property
    def mated(self) -> NDArray[np.bool_]:
        same: NDArray[np.bool_] = self.row == self.column
        return same


def _cells(scores: ScoreSet) -> tuple[_Cells, NDArray[np.intp]]:
    n = len(scores.speakers)
    pair, which = np.unique(
        scores.enrol.astype(np.intp) * n + scores.trial.astype(np.intp), return_inverse=True
    )
    return _Cells(pair // n, pair % n, n), which


def _replicates(
    metric: ScoreMetric, scores: ScoreSet, which: NDArray[np.intp], weights: Iterator[Weights]
) -> Floats:
    """The metric of each replicate, each trial as often as drawn; NaN where a class is empty."""
    values = []
    for one in weights:
        sides = (
            np.repeat(scores.score, weight[0, which].astype(np.intp))
            for weight in (one.mated, one.nonmated)
        )
        mated, nonmated = sides
        value = metric.of(Scored(mated, nonmated)) if mated.size and nonmated.size else None
        values.append(np.nan if value is None else float(value))
    return np.array(values, np.float64)


def _finite(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)
