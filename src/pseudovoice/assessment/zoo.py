"""Zoo plot: which speakers a recogniser finds easy or hard (noe2022 §4.3; Dunstone & Yager 2009).

Per speaker, the mean calibrated score of mated and of non-mated trials. The animals are those
of Dunstone & Yager, by quartiles of the two means: a *dove* is well recognised and never
confused, a *worm* badly recognised and confused, a *chameleon* resembles everybody including
itself, a *phantom* resembles nobody, not even itself; everybody else is a *sheep*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.calibration.ladder import Floats
from pseudovoice.scores.scoreset import ScoreSet


@dataclass(frozen=True)
class Zoo:
    """Mean mated and non-mated LLR of each speaker, its animal, and the quartiles that decide."""

    speakers: tuple[str, ...]
    mated: Floats
    nonmated: Floats
    animal: tuple[str, ...]
    mated_quartiles: tuple[float, float]
    nonmated_quartiles: tuple[float, float]

    def table(self) -> dict[str, Any]:
        """Tidy data, one row per speaker."""
        return {
            "speaker": self.speakers,
            "mean_mated_llr": self.mated,
            "mean_nonmated_llr": self.nonmated,
            "animal": self.animal,
        }


def zoo(scores: ScoreSet, llr: Floats) -> Zoo:
    """Place every speaker that has both mated and non-mated trials; ``llr`` is one per trial."""
    n = len(scores.speakers)
    mated, other = scores.mated, ~scores.mated
    own = np.bincount(scores.enrol[mated], llr[mated], n).astype(np.float64)
    own_count = np.bincount(scores.enrol[mated], minlength=n)
    # A non-mated trial tells about both of its speakers.
    cross, cross_count = np.zeros(n), np.zeros(n)
    for side in (scores.enrol, scores.trial):
        cross += np.bincount(side[other], llr[other], n)
        cross_count += np.bincount(side[other], minlength=n)
    return zoo_of_means(scores.speakers, own, own_count, cross, cross_count)


def zoo_of_means(
    speakers: tuple[str, ...],
    own: Floats,
    own_count: NDArray[Any],
    cross: Floats,
    cross_count: NDArray[Any],
) -> Zoo:
    """Place speakers by their sums of mated and non-mated LLRs and the number of trials in each."""
    there = np.flatnonzero((own_count > 0) & (cross_count > 0))
    a, b = own[there] / own_count[there], cross[there] / cross_count[there]
    if not there.size:
        return Zoo((), a, b, (), (0.0, 0.0), (0.0, 0.0))
    (a_low, a_high), (b_low, b_high) = np.percentile(a, [25, 75]), np.percentile(b, [25, 75])
    names = {(1, -1): "dove", (-1, 1): "worm", (1, 1): "chameleon", (-1, -1): "phantom"}
    side_a, side_b = _outer_quarter(a, a_low, a_high), _outer_quarter(b, b_low, b_high)
    animal = tuple(names.get(sides, "sheep") for sides in zip(side_a, side_b, strict=True))
    return Zoo(
        tuple(speakers[k] for k in there),
        a,
        b,
        animal,
        (float(a_low), float(a_high)),
        (float(b_low), float(b_high)),
    )


def _outer_quarter(values: Floats, low: float, high: float) -> list[int]:
    """1 in the upper quarter, −1 in the lower, 0 between, or where all are alike."""
    if low == high:
        return [0] * values.size
    return [1 if v >= high else -1 if v <= low else 0 for v in values.tolist()]
