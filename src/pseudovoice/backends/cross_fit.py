"""Fusion that is learnt on other people than those whom it judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pseudovoice.calibration.fusion import learn_fusion
from pseudovoice.calibration.ladder import Floats
from pseudovoice.scores.scoreset import ScoreSet, bare

FOLDS = 5
FEWEST = 6
"""People: with fewer, too few are left to learn from."""


def same_trials(a: ScoreSet, b: ScoreSet) -> bool:
    """Whether two sets score the same trials, as far as speakers tell."""
    return (
        a.speakers == b.speakers
        and np.array_equal(a.enrol, b.enrol)
        and np.array_equal(a.trial, b.trial)
    )


def cross_fitted(parts: Sequence[ScoreSet], seed: int = 0) -> ScoreSet:
    """One score per trial, fused of those of all parts, which score the same trials.

    People are dealt into folds. Trials between folds a and b are judged by weights that were learnt
    on trials among the people of all other folds. Those within a fold, among which are all mated
    ones, are judged by the weights of that fold and the next, not by weights of their own: learnt
    on more people these would be a little better, and that alone would tell mated trials from
    others. For the same reason each fusion is brought to one scale over all trials, mated or not:
    only the weights differ, and of a single part nothing changes but the scale.
    """
    first = parts[0]
    scores = np.column_stack([part.score for part in parts])
    fold = _folds(len(first.speakers), seed)
    row, column = fold[first.enrol], fold[first.trial]
    within = row == column
    low, high = np.minimum(row, column), np.maximum(row, column)
    beside = (row[within] + 1) % FOLDS
    low[within], high[within] = np.minimum(row[within], beside), np.maximum(row[within], beside)
    fused: Floats = np.empty(first.score.size)
    for a, b in combinations(range(FOLDS), 2):
        judged = (low == a) & (high == b)
        others = ~(np.isin(row, (a, b)) | np.isin(column, (a, b)))
        whole = learn_fusion(scores[others], first.mated[others])(scores)
        spread = max(float(whole.std()), np.finfo(float).tiny)
        fused[judged] = (whole[judged] - whole.mean()) / spread
    return replace(bare(first), score=fused)


def _folds(people: int, seed: int) -> NDArray[np.intp]:
    order = np.random.default_rng([seed, FOLDS]).permutation(people)
    fold: NDArray[np.intp] = order % FOLDS
    return fold
