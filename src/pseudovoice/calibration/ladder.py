"""Scores as a ladder of counts: the sufficient statistic of everything an oracle can say.

Oracle calibration, error rates and disclosure depend on the scores only through their order
and their labels. So the scores are sorted once and kept as *rungs*: each rung is a set of
scores that no threshold needs to tell apart, with the number of mated and non-mated scores on
it. Two things share a rung:

* tied scores, whatever their labels (pooling ties first is what keeps 100 identical scores
  from looking like evidence);
* a run of scores of one class with no score of the other class among or between them. Such a
  run always ends in one block of the isotonic fit, so nothing is lost, and a million
  non-mated scores against 50,000 mated ones shrink to at most 100,001 rungs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pseudovoice.errors import InputError

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Ladder:
    """Counts of mated and non-mated scores on each rung, from the lowest score upwards.

    ``low`` and ``high`` are the smallest and the largest score on the rung.
    """

    low: Floats
    high: Floats
    mated: Floats
    nonmated: Floats

    @property
    def n_mated(self) -> int:
        return int(self.mated.sum())

    @property
    def n_nonmated(self) -> int:
        return int(self.nonmated.sum())


def validate(mated: ArrayLike, nonmated: ArrayLike) -> tuple[Floats, Floats]:
    """Check two classes of scores; return them as float64 vectors.

    Raises InputError for an empty class and for scores that are not finite numbers: a NaN has
    no place in an order, and an infinite score has no place on a linear scale.
    """
    arrays = []
    for name, values in (("mated", mated), ("non-mated", nonmated)):
        try:
            array = np.asarray(values, dtype=np.float64).ravel()
        except (TypeError, ValueError):
            raise InputError(
                f"The {name} scores are not all numbers, or not of one length; give a flat list of "
                "numbers."
            ) from None
        if array.size == 0:
            raise InputError(
                f"There is no {name} score; both classes are needed to say anything about "
                "evidence: check the key and the speaker names."
            )
        if not np.isfinite(array).all():
            bad = np.flatnonzero(~np.isfinite(array))
            raise InputError(
                f"{bad.size} {name} score(s) are not finite (first at index {bad[0]}: "
                f"{array[bad[0]]}); rescore or remove these trials."
            )
        arrays.append(array)
    return arrays[0], arrays[1]


def ladder(mated: Floats, nonmated: Floats) -> Ladder:
    """Build the ladder of two classes of *sorted* scores."""
    if mated.size <= nonmated.size:
        low, high, few, many = _interleave(mated, nonmated)
        return Ladder(low, high, few, many)
    low, high, few, many = _interleave(nonmated, mated)
    return Ladder(low, high, many, few)


def _interleave(few: Floats, many: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Rungs of two sorted classes: the distinct values of ``few``, and the gaps between them."""
    first = np.flatnonzero(np.concatenate(([True], few[1:] != few[:-1])))
    value = few[first]
    left = np.searchsorted(many, value, "left")
    right = np.searchsorted(many, value, "right")

    # Rung 2k+1 is the k-th distinct value of `few`; rung 2k the gap of `many` below it.
    rungs = 2 * value.size + 1
    start, stop = np.empty(value.size + 1, np.intp), np.empty(value.size + 1, np.intp)
    start[0], start[1:] = 0, right
    stop[:-1], stop[-1] = left, many.size
    low, high = np.empty(rungs), np.empty(rungs)
    count_few, count_many = np.zeros(rungs), np.zeros(rungs)
    low[1::2] = high[1::2] = value
    low[0::2] = many[np.minimum(start, many.size - 1)]
    high[0::2] = many[np.maximum(stop - 1, 0)]
    count_few[1::2] = np.diff(first, append=few.size)
    count_many[1::2] = right - left
    count_many[0::2] = stop - start
    there = (count_few + count_many) > 0
    return low[there], high[there], count_few[there], count_many[there]
