"""Counts per pair of speakers: all that a replicate needs to know of the scores.

A bootstrap replicate weighs speakers, a permutation renames them; neither changes a score. So
the trials are counted once, per *cell* (enrolment speaker, trial speaker) and rung of the
ladder, and every replicate is a weighted sum of those counts. Counts from blocks, shards or
other machines add up to the same tally.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import log_expit

from pseudovoice.assessment import linkability
from pseudovoice.calibration.ladder import Floats, Ladder, ladder
from pseudovoice.scores.scoreset import Codes, ScoreSet

MOST_RUNGS = 16_384
FEW_RUNGS = 1_024
MANY_TRIALS = 1 << 18
"""Replicates run on scores rounded to at most MOST_RUNGS rungs of equal class mass, and of sets
with MANY_TRIALS to FEW_RUNGS: with so many, the interval does not depend on it, the time does."""


SMALL = 1 << 20
"""Up to so many possible values a table of them beats sorting."""

DENSE = 0.05
"""Share of filled places above which a plain matrix product beats a sparse one."""

Counts: TypeAlias = "csr_array | NDArray[np.float32]"
"""Trials per cell and place: sparse where most places are empty, dense where few are."""


@dataclass(frozen=True)
class Tally:
    """Counts of trials per cell and rung, with the per-cell sums that the rungs do not hold."""

    row: Codes
    column: Codes
    n_speakers: int
    n: Floats
    rungs: Counts
    low: Floats
    first: NDArray[np.intp]
    """The lowest rung with a trial of the cell, and ``last`` the highest."""
    last: NDArray[np.intp]
    cost_mated: Floats
    """Σ −ln σ(score) over the trials of the cell: its share of Cllr if the cell is mated."""
    cost_nonmated: Floats
    bins: Counts | None
    edges: Floats | None
    rounded: bool

    @property
    def mated(self) -> NDArray[np.bool_]:
        result: NDArray[np.bool_] = self.row == self.column
        return result


def tally(scores: ScoreSet, *, any_labels: bool, most_rungs: int | None = None) -> Tally:
    """Count the trials of a condition per cell.

    With ``any_labels`` the rungs are the distinct scores, so that they serve any renaming of
    the speakers; without it they are those of the true labels, which are far fewer.
    """
    n_speakers = len(scores.speakers)
    flat = scores.enrol.astype(np.int64) * n_speakers + scores.trial
    cells, cell = _occurring(flat, n_speakers * n_speakers)
    a, b = np.sort(scores.mated_scores), np.sort(scores.nonmated_scores)
    rungs = distinct(a, b) if any_labels else ladder(a, b)
    most = most_rungs or (FEW_RUNGS if scores.score.size >= MANY_TRIALS else MOST_RUNGS)
    rounded = rungs.low.size > most
    low = rungs.low[_round(rungs, most)] if rounded else rungs.low
    rung = np.searchsorted(low, scores.score, "right") - 1
    edges, bins = None, None
    if a.size >= linkability.FEWEST_MATED:
        edges = linkability.bin_edges(a, b)
        bins = _count(cell, linkability.bin_of(scores.score, edges), cells.size, edges.size - 1)
    counts = _count(cell, rung, cells.size, low.size)
    dense = counts.nnz > DENSE * cells.size * low.size
    return Tally(
        (cells // n_speakers).astype(np.int32),
        (cells % n_speakers).astype(np.int32),
        n_speakers,
        np.bincount(cell, minlength=cells.size).astype(np.float64),
        counts.toarray().astype(np.float32) if dense else counts,
        low,
        counts.indices[counts.indptr[:-1]],
        counts.indices[counts.indptr[1:] - 1],
        _sum(cell, -log_expit(scores.score), cells.size),
        _sum(cell, -log_expit(-scores.score), cells.size),
        bins,
        edges,
        rounded,
    )


def _sum(cell: NDArray[np.intp], terms: Floats, cells: int) -> Floats:
    """Add up a quantity of the trials within each cell."""
    return np.bincount(cell, terms, cells).astype(np.float64, copy=False)


def _occurring(values: NDArray[np.int64], below: int) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """The distinct values in order, and which of them each value is."""
    if below > SMALL:
        return np.unique(values, return_inverse=True)
    there = np.zeros(below, bool)
    there[values] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[values]


def _count(cell: NDArray[np.intp], at: NDArray[np.intp], cells: int, width: int) -> csr_array:
    """How many trials of each cell stand at each place."""
    place = cell * np.int64(width) + at
    if cells * width <= SMALL:
        everything = np.bincount(place, minlength=cells * width)
        flat = np.flatnonzero(everything)
        count = everything[flat]
    else:
        flat, count = np.unique(place, return_counts=True)
    start = np.searchsorted(flat, np.arange(cells + 1) * np.int64(width))
    return csr_array((count.astype(np.float64), flat % width, start), shape=(cells, width))


def distinct(mated: Floats, nonmated: Floats) -> Ladder:
    """A ladder whose rungs are the distinct scores."""
    value, inverse = np.unique(np.concatenate([mated, nonmated]), return_inverse=True)
    a = np.bincount(inverse[: mated.size], minlength=value.size).astype(np.float64)
    b = np.bincount(inverse[mated.size :], minlength=value.size).astype(np.float64)
    return Ladder(value, value, a, b)


def _round(rungs: Ladder, most: int) -> NDArray[np.intp]:
    """First rung of each of ``most`` groups of equal mass, the classes weighing alike."""
    mass = np.cumsum(rungs.mated) / rungs.mated.sum()
    mass += np.cumsum(rungs.nonmated) / rungs.nonmated.sum()
    group = np.ceil(mass * (most / 2.0) - 1e-9)
    return np.flatnonzero(np.diff(group, prepend=-1.0))
