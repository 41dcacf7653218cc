"""The four ranking metrics of Maouche et al. (2022, §5.1), with intervals.

Conventions
-----------
- The rank r(w) of a query w is the place of its true successor when all other slices are
  sorted by decreasing score; 1 is best, N − 1 the worst of N slices.
- Slices with the same score are in no order. Each tied slice gets the mean of their ranks, and a
  precision counts the chance that the successor would be within the top if they were shuffled.
- Intervals are percentiles over utterances drawn with replacement, since the slices of one
  utterance are not independent; the candidates stay what they are.
- ``null`` is what scores without information give.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.assessment.estimate import Estimate
from pseudovoice.assessment.replicates import draw_speakers
from pseudovoice.choices import RANKING_REPLICATES
from pseudovoice.errors import InputError

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

TOP = 0.10
_CHUNK = 100


@dataclass(frozen=True)
class Ranks:
    """For each query: how many candidates score above its successor, and how many the same.

    ``tied`` counts the successor itself and is at least 1. ``slices`` is the number N of all
    slices, ``utterance`` what each query comes from.
    """

    above: Int64
    tied: Int64
    slices: int
    utterance: Int64

    @property
    def rank(self) -> Float64:
        """r(w), the mean rank where scores tie."""
        return self.above + (self.tied + 1) / 2

    @property
    def normalised(self) -> Float64:
        """r(w) over the largest possible rank, the number of slices minus one."""
        return self.rank / (self.slices - 1)

    def within(self, places: int) -> Float64:
        """The chance that the successor is among the first ``places``."""
        return np.clip((places - self.above) / self.tied, 0.0, 1.0)


@dataclass(frozen=True)
class Ranking:
    """Successor identification: the paper's columns, as fractions."""

    slices: int
    queries: int
    average: Estimate
    median: Estimate
    top_1: Estimate
    top_10: Estimate

    def to_dict(self) -> dict[str, Any]:
        figures = {
            name: [getattr(self, name).value, getattr(self, name).low, getattr(self, name).high]
            for name in ("average", "median", "top_1", "top_10")
        }
        return {"slices": self.slices, "queries": self.queries, **figures}


def measure(ranks: Ranks, *, replicates: int = RANKING_REPLICATES, seed: int = 0) -> Ranking:
    """The metrics of an attack from its ranks."""
    if ranks.above.size == 0:
        raise InputError("No slice has a successor, so there is nothing to find; slice shorter.")
    candidates = ranks.slices - 1
    places = max(1, int(TOP * candidates))
    normalised, first, tenth = ranks.normalised, ranks.within(1), ranks.within(places)
    drawn = _draws(ranks.utterance, replicates, seed)
    return Ranking(
        ranks.slices,
        ranks.above.size,
        _mean(normalised, drawn, (candidates + 1) / 2 / candidates),
        _median(normalised, drawn, (candidates + 1) / 2 / candidates),
        _mean(first, drawn, 1 / candidates),
        _mean(tenth, drawn, places / candidates),
    )


def _draws(utterance: Int64, replicates: int, seed: int) -> Float64 | None:
    """How often each query counts in each replicate; None if there is nothing to draw from."""
    _, numbers = np.unique(utterance, return_inverse=True)
    utterances = int(numbers.max()) + 1
    if replicates < 20 or utterances < 3:
        return None
    return draw_speakers(np.random.default_rng(seed), replicates, utterances)[:, numbers]


def _mean(values: Float64, drawn: Float64 | None, null: float) -> Estimate:
    value = float(values.mean())
    if drawn is None:
        return Estimate(value, null=null)
    return _estimate(value, drawn @ values / drawn.sum(axis=1), null)


def _median(values: Float64, drawn: Float64 | None, null: float) -> Estimate:
    value = float(np.median(values))
    if drawn is None:
        return Estimate(value, null=null)
    order = np.argsort(values, kind="stable")
    medians = np.empty(len(drawn))
    for begin in range(0, len(drawn), _CHUNK):
        part = np.cumsum(drawn[begin : begin + _CHUNK][:, order], axis=1)
        half = part[:, -1:] / 2
        low, high = (part < half).sum(axis=1), (part <= half).sum(axis=1)
        medians[begin : begin + _CHUNK] = (values[order][low] + values[order][high]) / 2
    return _estimate(value, medians, null)


def _estimate(value: float, replicates: Float64, null: float) -> Estimate:
    low, high = np.quantile(replicates, [0.025, 0.975])
    return Estimate(value, float(low), float(high), null=null, chance=bool(low <= null <= high))
