"""Every segment against every segment, block by block, into counts.

Pass 1 counts the scores of each class on fine bins; that settles the calibration and every
scalar of it. Pass 2 computes the same scores again and counts them per pair of speakers on a
few hundred rungs, which settles the similarity matrix, the per-speaker figures and the
replicates. Computing twice costs less than keeping: the matrix of 20,000 segments has 400 million
scores. What all pairs of many speakers have is too much for memory as well, and lies in a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.assessment import linkability
from pseudovoice.assessment.grid import Runs, Singles
from pseudovoice.assessment.similarity import terms_of_llr
from pseudovoice.assessment.zebra import disclosure_of_llr
from pseudovoice.calibration.ladder import Floats
from pseudovoice.calibration.pav import Blocks, pool_adjacent_violators
from pseudovoice.cores import usable_cores
from pseudovoice.engines import chosen, in_parallel
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.pair_table import PairTable, narrowest, pair_table, put_rows

BINS = 1 << 20
MOST_RUNGS = 256
MOST_CELL_COUNTS = 1 << 26
"""Counts of all pairs of speakers up to which there are more rungs than D_sys asks for."""
BLOCK_ROWS, BLOCK_COLUMNS = 512, 1024
"""Scores of one block: enough for a fast product, few enough to stay in the cache (2 MB)."""
MOST_HELD = 1 << 31
"""Scores a worker counts in 32 bits before it adds them to its totals."""
STRIP_COLUMNS = 1 << 14
"""Columns that a worker has at a time: 16 MB of 256 numbers each."""
MOST_ROWS, MOST_CELLS = 1 << 13, 1 << 22
"""Rows of one task, and counts that come back of it."""


Counts = NDArray[np.uint32] | Floats


@dataclass(frozen=True)
class SortedVectors:
    """Vectors sorted by speaker, ready to be multiplied; ``speaker`` is the code of each row."""

    vectors: Singles
    speaker: NDArray[np.int32]
    order: NDArray[np.intp]
    """Where each row stood before sorting: tells a segment from its protected version."""

    def runs(self, speakers: int) -> Runs:
        """Where the segments of each speaker begin, and where those of the last end."""
        return np.searchsorted(self.speaker, np.arange(speakers + 1)).astype(np.int64)


def sort_by_speaker(vectors: Singles, speaker: NDArray[np.int32]) -> SortedVectors:
    """Bring the segments of each speaker together."""
    order = np.argsort(speaker, kind="stable")
    return SortedVectors(np.ascontiguousarray(vectors[order], np.float32), speaker[order], order)


@dataclass(frozen=True)
class Comparison:
    """One condition: rows against columns, both sorted by speaker.

    Scores are products of the vectors. ``symmetric`` says that rows and columns are the same
    segments, so that half of the products tell everything; ``same_segment`` that row k and
    column k are one segment or its two versions, whose comparison is no trial.
    """

    rows: SortedVectors
    columns: SortedVectors
    speakers: tuple[str, ...]
    symmetric: bool
    same_segment: bool
    low: float = -1.0001
    high: float = 1.0001

    @cached_property
    def column_runs(self) -> Runs:
        return self.columns.runs(len(self.speakers))

    @property
    def most_trials(self) -> int:
        """What no pair of speakers has more of."""
        everybody = len(self.speakers)
        rows, columns = (np.diff(side.runs(everybody)) for side in (self.rows, self.columns))
        return int(rows.max()) * int(columns.max())

    @cached_property
    def no_trial(self) -> NDArray[np.intp]:
        """The column each row may not be compared with, −1 where there is none."""
        place = np.full(max(self.rows.order.max(), self.columns.order.max()) + 1, -1)
        if self.same_segment:
            place[self.columns.order] = np.arange(self.columns.order.size)
        return np.where(self.rows.order >= 0, place[self.rows.order], -1)

    def shares(self) -> list[tuple[int, int]]:
        """First and last row of each share of the work: about a block of rows, whole speakers.

        Nobody else then adds to the counts of these speakers.
        """
        runs = self.rows.runs(len(self.speakers))
        shares, start = [], 0
        for stop, following in pairwise(runs[1:]):
            if stop > start and following - start > BLOCK_ROWS:
                shares.append((start, int(stop)))
                start = int(stop)
        return [*shares, (start, int(runs[-1]))]


@dataclass(frozen=True)
class Block:
    """Scores of some rows with some columns, in bins from ``shift`` below the range."""

    rows: slice
    column: int
    products: Singles


@dataclass(frozen=True)
class ColumnStrip:
    """Columns from ``first`` to before ``last``; vectors are fetched when their turn comes."""

    first: int
    last: int
    vectors: Callable[[], Singles]


@dataclass(frozen=True)
class RowStrip:
    """Whole speakers as rows: nobody else adds to what they have. ``strips`` are all columns.

    ``shares`` are first and last row of each share in it. Blocks keep to them, so that nothing that
    is added up depends on how many go together.
    """

    shares: tuple[tuple[int, int], ...]
    vectors: Singles
    speaker: NDArray[np.int32]
    no_trial: NDArray[np.intp]
    strips: tuple[ColumnStrip, ...]

    @property
    def people(self) -> tuple[int, int]:
        """The first speaker, and the one after the last."""
        return int(self.speaker[0]), int(self.speaker[-1]) + 1


@dataclass(frozen=True)
class Scale:
    """From a score to its place on the bins: score · ``factor`` + ``shift``, in float32."""

    factor: np.float32
    shift: np.float32


def count_all_pairs(
    comparison: Comparison,
    *,
    similarity: str = "geometric",
    bins: int = BINS,
    workers: int | None = None,
) -> BinnedScores:
    """Count every trial of a condition, in two passes over the scores.

    Workers take one strip of the rows after the other; each multiplies its blocks and sweeps over
    them while they are in its cache. What they count is added up here.
    """
    per_score = bins / (comparison.high - comparison.low)
    scale = Scale(np.float32(per_score), np.float32(-comparison.low * per_score))
    sweep = Sweep(
        comparison.columns.speaker, comparison.column_runs, comparison.symmetric, scale, bins
    )
    strips = _column_strips(comparison)
    mated, nonmated = np.zeros(bins), np.zeros(bins)
    tasks = _row_strips(comparison, strips, workers, 1)
    for _, counted in in_parallel(FirstPass(sweep), tasks, workers):
        mated += counted[0]
        nonmated += counted[1]
    if comparison.symmetric:
        nonmated *= 2.0
    edges = _edges(comparison, mated, nonmated)
    rung_of_bin = _rungs(comparison, mated, nonmated, edges)
    steps = _steps(mated, nonmated, rung_of_bin, similarity)
    speakers, rungs = len(comparison.speakers), int(rung_of_bin[-1]) + 1
    count = narrowest(comparison.most_trials)
    cells = Cells.empty(speakers, rungs, count)
    tasks = _row_strips(comparison, strips, workers, rungs)
    work = SecondPass(sweep, steps, speakers, rungs, count)
    for task, part in in_parallel(work, tasks, workers):
        cells.put(part, task.people[0], symmetric=comparison.symmetric)
    return BinnedScores(
        comparison.speakers,
        comparison.low,
        comparison.high,
        mated,
        nonmated,
        rung_of_bin,
        cells.counts,
        edges,
        similarity,
        cells.terms,
        cells.llr,
        cells.gain,
        cells.strongest,
    )


def _column_strips(comparison: Comparison) -> tuple[ColumnStrip, ...]:
    vectors, share = comparison.columns.vectors, chosen().share
    bounds = range(0, len(vectors), STRIP_COLUMNS)
    return tuple(
        ColumnStrip(k, min(k + STRIP_COLUMNS, len(vectors)), share(vectors[k : k + STRIP_COLUMNS]))
        for k in bounds
    )


def _row_strips(
    comparison: Comparison, strips: tuple[ColumnStrip, ...], workers: int | None, rungs: int
) -> Iterator[RowStrip]:
    """All rows, some shares at a time: few enough for everybody to have work to the end."""
    rows, shares = comparison.rows, comparison.shares()
    fair = min(max(1, rows.speaker.size // (8 * (workers or usable_cores()))), MOST_ROWS)
    per_speaker = rungs * len(comparison.speakers)
    together: list[tuple[int, int]] = []
    for k, share in enumerate(shares):
        together.append(share)
        first = together[0][0]
        if k + 1 < len(shares):
            last = shares[k + 1][1]
            people = int(rows.speaker[last - 1]) - int(rows.speaker[first]) + 1
            if last - first <= fair and people * per_speaker <= MOST_CELLS:
                continue
        here = slice(first, share[1])
        yield RowStrip(
            tuple((a - first, b - first) for a, b in together),
            rows.vectors[here],
            rows.speaker[here],
            comparison.no_trial[here],
            strips,
        )
        together = []


@dataclass(frozen=True)
class Sweep:
    """What both passes need to know of the columns, save their vectors."""

    column_speaker: NDArray[np.int32]
    column_runs: Runs
    symmetric: bool
    scale: Scale
    bins: int

    def blocks(self, rows: RowStrip) -> Iterator[Block]:
        """The scores of some rows with all columns; a block is overwritten by the next."""
        place = np.empty(BLOCK_ROWS * BLOCK_COLUMNS, np.float32)
        for strip in rows.strips:
            own = self.column_runs[rows.speaker[0]] if self.symmetric else 0
            if strip.last <= own:
                continue  # counted as rows already
            vectors = strip.vectors()
            places = ((k, last) for a, last in rows.shares for k in range(a, last, BLOCK_ROWS))
            for row, last in places:
                here = slice(row, min(row + BLOCK_ROWS, last))
                a = rows.vectors[here] * self.scale.factor
                # In a symmetric comparison earlier columns were counted as rows already.
                begin = int(self.column_runs[rows.speaker[row]]) if self.symmetric else 0
                for column in range(max(begin, strip.first), strip.last, BLOCK_COLUMNS):
                    at = column - strip.first
                    b = vectors[at : at + BLOCK_COLUMNS]
                    out = place[: a.shape[0] * b.shape[0]].reshape(a.shape[0], b.shape[0])
                    yield Block(here, column, np.matmul(a, b.T, out=out))


@dataclass(frozen=True)
class FirstPass:
    """Pass 1: scores per class and fine bin."""

    sweep: Sweep

    def __call__(self, rows: RowStrip) -> tuple[Counts, Counts]:
        from pseudovoice.assessment.sweeps import count_classes  # compiled, which few sets need

        sweep = self.sweep
        totals: list[Floats] = []
        counts = np.zeros(sweep.bins, np.uint32), np.zeros(sweep.bins, np.uint32)
        held = 0
        for block in sweep.blocks(rows):
            if held + block.products.size > MOST_HELD:
                totals = totals or [np.zeros(sweep.bins), np.zeros(sweep.bins)]
                for total, count in zip(totals, counts, strict=True):
                    total += count
                    count[:] = 0
                held = 0
            held += block.products.size
            count_classes(
                block.products,
                sweep.scale.shift,
                block.column,
                rows.speaker[block.rows],
                rows.no_trial[block.rows],
                sweep.column_runs,
                sweep.symmetric,
                *counts,
            )
        if not totals:
            return counts
        return totals[0] + counts[0], totals[1] + counts[1]


def _edges(comparison: Comparison, mated: Floats, nonmated: Floats) -> Floats | None:
    """The bins of D_sys, from the lowest to the highest fine bin that holds a score."""
    if mated.sum() < linkability.FEWEST_MATED:
        return None
    filled = np.flatnonzero(mated + nonmated)
    width = (comparison.high - comparison.low) / mated.size
    low, high = comparison.low + (filled[[0, -1]] + 0.5) * width
    return np.linspace(low, high, min(int(mated.sum()) // 10, 100) + 1)


def _rungs(
    comparison: Comparison, mated: Floats, nonmated: Floats, edges: Floats | None
) -> NDArray[np.int32]:
    """Which rung each fine bin belongs to: equal class mass, and the bins of D_sys kept whole."""
    n, bins = len(comparison.speakers), mated.size
    most = int(min(MOST_RUNGS, max(16, MOST_CELL_COUNTS // max(1, n * n))))
    width = (comparison.high - comparison.low) / bins
    starts = np.zeros(bins, bool)
    if edges is not None:
        at = np.ceil((edges[1:-1] - comparison.low) / width).astype(np.intp)
        starts[np.clip(at, 0, bins - 1)] = True
    mass = np.cumsum(mated) / mated.sum() + np.cumsum(nonmated) / nonmated.sum()
    share = max(2, most - int(starts.sum()) - 1)
    group = np.ceil(mass * (share / 2.0) - 1e-9)
    starts[1:] |= np.diff(group) > 0
    starts[0] = False
    return np.cumsum(starts).astype(np.int32)


@dataclass(frozen=True)
class Cells:
    """What pass 2 counts per pair of speakers: trials on rungs, sums, the strongest evidence."""

    counts: PairTable
    terms: PairTable
    llr: PairTable
    gain: PairTable
    strongest: PairTable

    @classmethod
    def empty(cls, speakers: int, rungs: int, count: np.dtype[Any]) -> Cells:
        square = (speakers, speakers)
        return cls(
            pair_table((*square, rungs), count), *(pair_table(square, np.float64) for _ in range(4))
        )

    def put(self, part: Cells, first: int, *, symmetric: bool) -> None:
        """Take over what some speakers have."""
        for field in fields(self):
            mine, theirs = getattr(self, field.name), getattr(part, field.name)
            put_rows(mine, theirs, first, symmetric=symmetric)


@dataclass(frozen=True)
class Steps:
    """What a score is worth, now that the calibration is known.

    Blocks of the calibration and rungs span hundreds of fine bins. Wherever neither changes is one
    *step*: the tables of some thousand steps stay in the fastest cache, those of a million bins
    would not.
    """

    of_bin: NDArray[np.unsignedinteger]
    rung: NDArray[np.uint16]
    worth: Floats
    """Per step: term of the similarity, LLR, gain of a non-mated and of a mated trial."""
    strength: Floats

    def strongest(self, lowest: NDArray[np.int32], highest: NDArray[np.int32]) -> Floats:
        """LLRs rise with the score: the strongest evidence is at the lowest or highest bin."""
        there = highest >= 0
        strongest = np.zeros(there.shape)
        low, high = (self.strength[self.of_bin[end[there]]] for end in (lowest, highest))
        strongest[there] = np.maximum(low, high)
        return strongest


def _steps(
    mated: Floats, nonmated: Floats, rung_of_bin: NDArray[np.int32], similarity: str
) -> Steps:
    filled = np.flatnonzero(mated + nonmated)
    a, b = mated[filled][None], nonmated[filled][None]
    plain, laplace = (pool_adjacent_violators(a, b, laplace=rule) for rule in (False, True))
    starts = np.diff(rung_of_bin, prepend=-1) > 0
    for blocks in (plain, laplace):
        starts[filled[blocks.first_rung]] = True
    first = np.flatnonzero(starts)
    of_bin = np.cumsum(starts) - 1
    # A step may begin with empty bins, which are never looked up: the filled bin below decides.
    below = np.maximum(np.searchsorted(filled, first, "right") - 1, 0)

    def table(blocks: Blocks, of_blocks: Floats) -> Floats:
        return of_blocks[np.searchsorted(blocks.first_rung, below, "right") - 1]

    worth = [
        table(laplace, terms_of_llr(laplace.llr, similarity)),
        table(laplace, laplace.llr),
        # −inf stands where no trial of the class falls.
        table(plain, disclosure_of_llr(-plain.llr)),
        table(plain, disclosure_of_llr(plain.llr)),
    ]
    return Steps(
        of_bin.astype(np.uint16 if first.size <= 1 << 16 else np.uint32),
        rung_of_bin[first].astype(np.uint16),
        np.ascontiguousarray(np.stack(worth, axis=1)),
        table(laplace, np.abs(laplace.llr)),
    )


@dataclass(frozen=True)
class SecondPass:
    """Pass 2: what each pair of speakers has."""

    sweep: Sweep
    steps: Steps
    speakers: int
    rungs: int
    count: np.dtype[Any]
    """Integers that hold what one pair of speakers has: the least room here and on the way."""

    def __call__(self, rows: RowStrip) -> Cells:
        from pseudovoice.assessment.sweeps import count_cells

        sweep, steps, (first, last) = self.sweep, self.steps, rows.people
        square = (last - first, self.speakers)
        counts, sums = np.zeros((*square, self.rungs), self.count), np.zeros((3, *square))
        lowest, highest = np.full(square, sweep.bins, np.int32), np.full(square, -1, np.int32)
        for block in sweep.blocks(rows):
            count_cells(
                block.products,
                sweep.scale.shift,
                block.column,
                rows.speaker[block.rows],
                rows.no_trial[block.rows],
                sweep.column_speaker,
                sweep.column_runs,
                sweep.symmetric,
                steps.of_bin,
                steps.rung,
                steps.worth,
                counts,
                sums,
                lowest,
                highest,
                first,
            )
        terms, llr, gain = sums
        strongest = steps.strongest(lowest, highest)
        return Cells(counts, terms, llr, gain, strongest)
