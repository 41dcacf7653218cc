"""Oracle calibration: pool adjacent violators (Brümmer & du Preez 2013; noe2022 §3.5, Eq. 5).

Conventions
-----------
* LLR = logit(PAV posterior) − ln(n_mated / n_nonmated), natural logarithm.
* Ties are pooled first (see `ladder`), so equal scores always share one LLR.
* The *plain* fit serves D_ECE, Cllr_min and ECE profiles and may hold ±inf; the *Laplace* fit
  adds one mated and one non-mated pseudo-score at each extreme, which are dropped again after
  pooling. It keeps every LLR finite and serves l_w and the similarity matrices.
* Every function works on a batch of count vectors of shape (rows, rungs): one row is the
  point estimate, many rows are the replicates of a bootstrap or a permutation. There is one
  code path for both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import isotonic_regression

from pseudovoice.calibration.ladder import Floats, Ladder, ladder, validate


@dataclass(frozen=True)
class Blocks:
    """The isotonic fit of each row, as blocks laid end to end.

    ``row`` names the row a block belongs to and ``first_rung`` the flat index (row × rungs +
    rung) it starts at; ``row_start`` is the first block of each row. ``mated`` and
    ``nonmated`` are the counts in the block (without Laplace's pseudo-scores), ``llr`` its
    log-likelihood-ratio, ``n_mated`` and ``n_nonmated`` the totals of each row.
    """

    row: NDArray[np.intp]
    row_start: NDArray[np.intp]
    first_rung: NDArray[np.intp]
    mated: Floats
    nonmated: Floats
    llr: Floats
    n_mated: Floats
    n_nonmated: Floats
    shape: tuple[int, int]

    def sum_rows(self, terms: Floats) -> Floats:
        """Add up a quantity of the blocks within each row."""
        return np.add.reduceat(terms, self.row_start)

    def on_rungs(self, of_blocks: Floats) -> Floats:
        """A quantity of the blocks laid out over every rung of every row, shape (rows, rungs)."""
        length = np.diff(self.first_rung, append=self.shape[0] * self.shape[1])
        return np.repeat(of_blocks, length).reshape(self.shape)


def pool_adjacent_violators(mated: Floats, nonmated: Floats, *, laplace: bool = False) -> Blocks:
    """Fit the PAV posterior to each row of counts, shape (rows, rungs).

    All rows go through one isotonic regression: row r's posteriors are lifted by 2r, so that
    blocks never reach across rows. Only the block boundaries are taken from that fit; the LLRs
    come from the counts themselves, at full precision.
    """
    rows, rungs = mated.shape
    n_mated, n_nonmated = mated.sum(axis=1), nonmated.sum(axis=1)
    weight = mated + nonmated
    with np.errstate(invalid="ignore"):
        lifted = mated / weight
    lifted += 2.0 * np.arange(rows)[:, None]
    # Rungs that no trial of this replicate stands on join the block of the rung before them.
    weight, lifted = weight.ravel(), lifted.ravel()
    filled = np.flatnonzero(weight)
    if filled.size < weight.size:
        weight, lifted = weight[filled], lifted[filled]
    block = filled[isotonic_regression(lifted, weights=weight).blocks[:-1]]
    row = block // rungs
    row_start = np.flatnonzero(np.diff(row, prepend=-1))
    block[row_start] = np.arange(rows) * rungs

    in_mated = np.add.reduceat(mated.ravel(), block)
    in_nonmated = np.add.reduceat(nonmated.ravel(), block)
    with np.errstate(divide="ignore"):
        # Shares of each class, not the odds of the counts: a block of everything is exactly 0.
        llr = np.log(in_mated / n_mated[row]) - np.log(in_nonmated / n_nonmated[row])
    plain = Blocks(
        row, row_start, block, in_mated, in_nonmated, llr, n_mated, n_nonmated, (rows, rungs)
    )
    return with_pseudo_scores(plain) if laplace else plain


def with_pseudo_scores(plain: Blocks) -> Blocks:
    """The Laplace fit of the same counts, from the blocks of their plain fit.

    Pooling adjacent violators gives one result in whatever order it pools. So what the plain
    fit pooled stays pooled, and only the pseudo-scores at either end are left to be joined.
    """
    rows, rungs = plain.shape
    each = np.arange(rows)
    low = plain.row_start + 2 * each
    high = np.append(plain.row_start[1:], plain.row.size) + 2 * each + 1
    real = np.ones(plain.row.size + 2 * rows, bool)
    real[low] = real[high] = False
    mated, nonmated = np.ones(real.size), np.ones(real.size)
    mated[real], nonmated[real] = plain.mated, plain.nonmated
    row, rung = np.empty(real.size, np.intp), np.empty(real.size, np.intp)
    row[real], row[low], row[high] = plain.row, each, each
    rung[real], rung[low], rung[high] = plain.first_rung, each * rungs, (each + 1) * rungs

    weight = mated + nonmated
    block = isotonic_regression(mated / weight + 2.0 * row, weights=weight).blocks[:-1]
    mated, nonmated = np.add.reduceat(mated, block), np.add.reduceat(nonmated, block)
    row, rung = row[block], rung[block]
    llr = np.log(mated / plain.n_mated[row]) - np.log(nonmated / plain.n_nonmated[row])
    start = np.flatnonzero(np.diff(row, prepend=-1))
    for edge in (start, np.append(start[1:], row.size) - 1):
        mated[edge] -= 1.0
        nonmated[edge] -= 1.0
    real = (mated + nonmated) > 0  # blocks of pseudo-scores alone go with them
    row, rung = row[real], rung[real]
    start = np.flatnonzero(np.diff(row, prepend=-1))
    rung[start] = row[start] * rungs
    return Blocks(
        row,
        start,
        rung,
        mated[real],
        nonmated[real],
        llr[real],
        plain.n_mated,
        plain.n_nonmated,
        plain.shape,
    )


@dataclass(frozen=True)
class Calibration:
    """The oracle calibration of one condition: a step function from score to LLR.

    ``low``/``high`` bound each step, ``llr`` is its value, ``mated``/``nonmated`` count the
    scores on it. Calling it maps scores of the same set to their LLRs; to calibrate *other*
    scores, learn a map (`calibration.maps`), which says what happens between the steps.
    """

    low: Floats
    high: Floats
    llr: Floats
    mated: Floats
    nonmated: Floats
    laplace: bool

    def __call__(self, scores: ArrayLike) -> Floats:
        """LLRs of scores this calibration was made from; shape is kept."""
        return self.llr[self.step_of(scores)]

    def step_of(self, scores: ArrayLike) -> NDArray[np.intp]:
        """The step each score stands on; below the first is the first."""
        array = np.asarray(scores, dtype=np.float64)
        return np.maximum(np.searchsorted(self.low, array, "right") - 1, 0)


def calibrate(mated: ArrayLike, nonmated: ArrayLike, *, laplace: bool = False) -> Calibration:
    """Calibrate scores as an oracle that knows the labels would.

    LLR = logit(PAV posterior) − ln(n_mated / n_nonmated), noe2022 Eq. 5. Ties share one LLR.
    With ``laplace`` every LLR is finite; without it the extremes may be ±inf.

    >>> calibration = calibrate([2.0, 3.0], [1.0, 2.0])
    >>> calibration([1.0, 2.0, 3.0])
    array([-inf,   0.,  inf])
    """
    a, b = validate(mated, nonmated)
    rungs = ladder(np.sort(a), np.sort(b))
    return calibrate_ladder(rungs, laplace=laplace)


def calibrate_ladder(rungs: Ladder, *, laplace: bool) -> Calibration:
    """`calibrate` for scores that are a ladder already."""
    blocks = pool_adjacent_violators(rungs.mated[None], rungs.nonmated[None], laplace=laplace)
    last = np.append(blocks.first_rung[1:], rungs.low.size) - 1
    return Calibration(
        rungs.low[blocks.first_rung],
        rungs.high[last],
        blocks.llr,
        blocks.mated,
        blocks.nonmated,
        laplace,
    )
