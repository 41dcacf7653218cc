"""One sweep over a block of scores, compiled: bins, classes and pairs of speakers at once.

The scores of a block lie in the processor's cache when the sweep begins. Each is read once, turned
into its bin and counted; whole-array steps would write and read the block anew for every figure.
Segments stand sorted by speaker, so the columns of a speaker are one run, and a block is told whose
its rows and columns are by the runs alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pseudovoice.assessment.grid import Runs, Singles
from pseudovoice.compiled import compiled


@compiled
def bins_of(products: Singles, shift: np.float32, top: np.float32, out: NDArray[np.int32]) -> None:
    """The fine bin of each score; what lies beyond the range goes to the outermost bins."""
    zero = np.float32(0.0)
    for k in range(products.size):
        place = products[k] + shift
        place = place if place > zero else zero  # this way round, NaN becomes 0 and no wild index
        place = place if place < top else top
        out[k] = np.int32(place)


@compiled
def count_classes(
    products: Singles,
    shift: np.float32,
    column: int,
    speaker: NDArray[np.int32],
    no_trial: NDArray[np.intp],
    runs: Runs,
    symmetric: bool,
    mated: NDArray[np.uint32],
    nonmated: NDArray[np.uint32],
) -> None:
    """Pass 1: add the scores of a block to the histograms of their classes.

    ``column`` is the place of the block's first column among all, ``no_trial`` that of the column
    a row may not be compared with. In a symmetric comparison columns of earlier speakers are left
    out: they were counted when they were rows.
    """
    rows, columns = products.shape
    top = np.float32(mated.size - 1)
    signed = np.empty(columns, np.int32)
    place = signed.view(np.uint32)  # an unsigned index needs no look whether it is below 0
    for r in range(rows):
        bins_of(products[r], shift, top, signed)
        first = min(max(runs[speaker[r]] - column, 0), columns)
        last = min(max(runs[speaker[r] + 1] - column, 0), columns)
        if not symmetric:
            for k in range(first):
                nonmated[place[k]] += np.uint32(1)
        for k in range(first, last):
            mated[place[k]] += np.uint32(1)
        for k in range(last, columns):
            nonmated[place[k]] += np.uint32(1)
        skip = no_trial[r] - column  # counted with the others, and taken out again
        if first <= skip < last:
            mated[place[skip]] -= np.uint32(1)
        elif last <= skip < columns or (0 <= skip < first and not symmetric):
            nonmated[place[skip]] -= np.uint32(1)


@compiled
def count_cells(
    products: Singles,
    shift: np.float32,
    column: int,
    speaker: NDArray[np.int32],
    no_trial: NDArray[np.intp],
    column_speaker: NDArray[np.int32],
    runs: Runs,
    symmetric: bool,
    step_of_bin: NDArray[np.uint16] | NDArray[np.uint32],
    rung_of_step: NDArray[np.uint16],
    worth: NDArray[np.float64],
    counts: NDArray[np.unsignedinteger],
    sums: NDArray[np.float64],
    lowest: NDArray[np.int32],
    highest: NDArray[np.int32],
    first_speaker: int,
) -> None:
    """Pass 2: add the scores of a block to what their pairs of speakers have.

    The arrays that are added to begin with ``first_speaker``.

    ``worth`` holds for each step the figures that are added up in ``sums``: three, and a fourth
    that takes the place of the third for mated trials. ``counts`` are trials per rung, ``lowest``
    and ``highest`` the outermost bins of a pair.
    """
    rows, columns = products.shape
    top = np.float32(step_of_bin.size - 1)
    signed = np.empty(columns, np.int32)
    place = signed.view(np.uint32)
    for r in range(rows):
        me, skip = speaker[r], no_trial[r] - column
        at = me - first_speaker
        bins_of(products[r], shift, top, signed)
        end = max(runs[me] - column, 0) if symmetric else 0
        while end < columns:
            other = column_speaker[column + end]
            begin, end = end, min(runs[other + 1] - column, columns)
            low, high = lowest[at, other], highest[at, other]
            a, b, c = 0.0, 0.0, 0.0
            cell = counts[at, other]
            if other == me or begin <= skip < end:
                gain = 3 if other == me else 2
                for k in range(begin, end):
                    if k != skip:
                        low, high = min(low, signed[k]), max(high, signed[k])
                        step = step_of_bin[place[k]]
                        cell[rung_of_step[step]] += 1
                        a += worth[step, 0]
                        b += worth[step, 1]
                        c += worth[step, gain]
            else:  # nearly all: the same without a question for each score
                for k in range(begin, end):
                    low, high = min(low, signed[k]), max(high, signed[k])
                    step = step_of_bin[place[k]]
                    cell[rung_of_step[step]] += 1
                    a += worth[step, 0]
                    b += worth[step, 1]
                    c += worth[step, 2]
            lowest[at, other], highest[at, other] = low, high
            sums[0, at, other] += a
            sums[1, at, other] += b
            sums[2, at, other] += c
