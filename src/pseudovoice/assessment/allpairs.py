"""Every segment against every segment, block by block, into counts.

Pass 1 counts the scores of each class on fine bins; that settles the calibration and every
scalar of it. Pass 2 computes the same scores again and counts them per pair of speakers on a
few hundred rungs, which settles the similarity matrix, the per-speaker figures and the
replicates. Computing twice costs less than keeping: the matrix of 20,000 segments has 400 million
scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from pseudovoice.assessment import linkability
from pseudovoice.assessment.similarity import terms_of_llr
from pseudovoice.assessment.zebra import disclosure_of_llr
from pseudovoice.calibration.ladder import Floats
from pseudovoice.calibration.pav import Blocks, pool_adjacent_violators
from pseudovoice.scores.binned import BinnedScores

BINS = 1 << 20
MOST_RUNGS = 256
MOST_CELL_COUNTS = 1 << 26
"""Counts kept per pair of speakers and rung, all together (256 MB)."""
BLOCK_ROWS = 64
"""Rows of one speaker that are scored at a time; their scores stay in the processor's cache."""


@dataclass(frozen=True)
class Segments:
    """Vectors sorted by speaker, ready to be multiplied; ``speaker`` is the code of each row."""

    vectors: NDArray[np.float32]
    speaker: NDArray[np.int32]
    order: NDArray[np.intp]
    """Where each row stood before sorting: tells a segment from its protected version."""

    def span(self, speaker: int) -> tuple[int, int]:
        first, last = np.searchsorted(self.speaker, [speaker, speaker + 1])
        return int(first), int(last)


def sort_by_speaker(vectors: NDArray[np.float32], speaker: NDArray[np.int32]) -> Segments:
    """Bring the segments of each speaker together."""
    order = np.argsort(speaker, kind="stable")
    return Segments(np.ascontiguousarray(vectors[order], np.float32), speaker[order], order)


@dataclass(frozen=True)
class Comparison:
    """One condition: rows against columns, both sorted by speaker.

    Scores are products of the vectors. ``symmetric`` says that rows and columns are the same
    segments, so that half of the products tell everything; ``same_segment`` that row k and
    column k are one segment or its two versions, whose comparison is no trial.
    """

    rows: Segments
    columns: Segments
    speakers: tuple[str, ...]
    symmetric: bool
    same_segment: bool
    low: float = -1.0001
    high: float = 1.0001

    def blocks(self) -> Iterator[tuple[int, int, int, int]]:
        """(speaker, first row, last row, first column) of each block of scores."""
        for speaker in range(len(self.speakers)):
            start, stop = self.rows.span(speaker)
            # In a symmetric comparison earlier columns were counted as rows already.
            begin = self.columns.span(speaker)[0] if self.symmetric else 0
            for row in range(start, stop, BLOCK_ROWS):
                yield speaker, row, min(row + BLOCK_ROWS, stop), begin


def count_all_pairs(
    comparison: Comparison, *, similarity: str = "geometric", bins: int = BINS, workers: int = 2
) -> BinnedScores:
    """Count every trial of a condition, in two passes over the scores."""
    with threadpool_limits(1), ThreadPoolExecutor(workers) as pool:
        blocks = list(comparison.blocks())
        shares = [[b for b in blocks if b[0] % workers == k] for k in range(workers)]
        scaled = _scaled(comparison, bins)
        first = list(pool.map(lambda part: _histograms(scaled, part, bins), shares))
        mated, nonmated = (np.sum([part[k] for part in first], axis=0) for k in (0, 1))
        edges = _edges(comparison, mated, nonmated)
        rung_of_bin = _rungs(comparison, mated, nonmated, edges)
        tables = _tables(mated, nonmated, similarity)
        cells = _empty_cells(len(comparison.speakers), int(rung_of_bin[-1]) + 1)
        list(pool.map(lambda part: _fill(scaled, part, rung_of_bin, tables, cells), shares))
    if comparison.symmetric:
        below, left = np.tril_indices(len(comparison.speakers), -1)
        for counted in (cells.counts, cells.terms, cells.llr, cells.gain, cells.strongest):
            counted[below, left] = counted[left, below]
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


def _scaled(comparison: Comparison, bins: int) -> Comparison:
    """The same comparison with vectors whose products are places on the fine bins.

    One more dimension carries the offset: scaling 400 million scores costs more than that.
    """
    scale = bins / (comparison.high - comparison.low)
    rows, columns = comparison.rows, comparison.columns
    one = np.ones((rows.vectors.shape[0], 1), np.float32)
    shift = np.full((columns.vectors.shape[0], 1), -comparison.low * scale, np.float32)
    return replace(
        comparison,
        rows=replace(rows, vectors=np.hstack([rows.vectors * np.float32(scale), one])),
        columns=replace(columns, vectors=np.hstack([columns.vectors, shift])),
    )


def _places(scaled: Comparison, row: int, last: int, begin: int, bins: int) -> NDArray[np.intp]:
    """The fine bin of every score of a block."""
    place = scaled.rows.vectors[row:last] @ scaled.columns.vectors[begin:].T
    if place.min() < 0 or place.max() >= bins:  # scores without a known range
        np.clip(place, 0, bins - 1, out=place)
    return place.astype(np.intp)


def _own(
    comparison: Comparison, speaker: int, row: int, last: int, begin: int
) -> tuple[slice, Floats]:
    """Columns of the block's own speaker, and which of their pairs are trials (weight 0 or 1)."""
    a, b = comparison.columns.span(speaker)
    weight = np.ones((last - row, b - a))
    if comparison.same_segment:
        weight[comparison.rows.order[row:last, None] == comparison.columns.order[None, a:b]] = 0.0
    return slice(a - begin, b - begin), weight


def _histograms(
    comparison: Comparison, blocks: list[tuple[int, int, int, int]], bins: int
) -> tuple[Floats, Floats]:
    """Pass 1: scores per class and fine bin."""
    mated, every = np.zeros(bins), np.zeros(bins)
    twice = 2.0 if comparison.symmetric else 1.0
    for speaker, row, last, begin in blocks:
        place = _places(comparison, row, last, begin, bins)
        own, weight = _own(comparison, speaker, row, last, begin)
        # All columns at once, then the few of the speaker's own taken out again.
        counted = np.bincount(place.ravel(), minlength=bins)
        mine = place[:, own].ravel()
        every += twice * (counted - np.bincount(mine, minlength=bins))
        mated += np.bincount(mine, weight.ravel(), bins)
    return mated, every


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
class Tables:
    """What a score of each fine bin is worth, now that the calibration is known."""

    term: NDArray[np.float32]
    llr: NDArray[np.float32]
    gain_mated: NDArray[np.float32]
    gain_nonmated: NDArray[np.float32]
    strength: Floats


def _tables(mated: Floats, nonmated: Floats, similarity: str) -> Tables:
    filled = np.flatnonzero(mated + nonmated)
    a, b = mated[filled][None], nonmated[filled][None]
    plain, laplace = (pool_adjacent_violators(a, b, laplace=rule) for rule in (False, True))
    # Empty bins are never looked up; the rung below lends them a value.
    below = np.maximum(np.searchsorted(filled, np.arange(mated.size), "right") - 1, 0)

    def table(blocks: Blocks, of_blocks: Floats) -> NDArray[np.float32]:
        on_bins: NDArray[np.float32] = blocks.on_rungs(of_blocks)[0][below].astype(np.float32)
        return on_bins

    return Tables(
        table(laplace, terms_of_llr(laplace.llr, similarity)),
        table(laplace, laplace.llr),
        # −inf stands where no trial of the class falls; finite, it stays silent there.
        table(plain, np.maximum(disclosure_of_llr(plain.llr), -1e9)),
        table(plain, np.maximum(disclosure_of_llr(-plain.llr), -1e9)),
        laplace.on_rungs(np.abs(laplace.llr))[0][below],
    )


@dataclass(frozen=True)
class Cells:
    """What pass 2 counts per pair of speakers."""

    counts: NDArray[np.float32]
    terms: Floats
    llr: Floats
    gain: Floats
    strongest: Floats


def _empty_cells(speakers: int, rungs: int) -> Cells:
    square = (speakers, speakers)
    return Cells(np.zeros((*square, rungs), np.float32), *(np.zeros(square) for _ in range(4)))


def _fill(
    comparison: Comparison,
    blocks: list[tuple[int, int, int, int]],
    rung_of_bin: NDArray[np.int32],
    tables: Tables,
    cells: Cells,
) -> None:
    """Pass 2: what each pair of speakers has; every speaker's blocks fill a row of their own."""
    n, _, rungs = cells.counts.shape
    rung_table = rung_of_bin.astype(np.intp)
    offset = comparison.columns.speaker.astype(np.intp) * rungs
    for speaker, row, last, begin in blocks:
        place = _places(comparison, row, last, begin, rung_of_bin.size)
        here = comparison.columns.speaker[begin:]
        starts = np.flatnonzero(np.diff(here, prepend=-1))
        who = here[starts]
        code = rung_table[place]
        code += offset[begin:]
        counted = np.bincount(code.ravel(), minlength=n * rungs).reshape(n, rungs)
        counted = counted.astype(np.float32)

        def total(values: NDArray[np.float32], starts: NDArray[np.intp] = starts) -> Floats:
            # Over the rows first, where sums run along memory; then over a speaker's columns.
            return np.add.reduceat(values.sum(axis=0, dtype=np.float64), starts)

        terms, llr = total(tables.term[place]), total(tables.llr[place])
        gain = total(tables.gain_nonmated[place])
        # LLRs rise with the score: the strongest evidence is at the lowest or the highest bin.
        lowest = np.minimum.reduceat(place.min(axis=0), starts)
        highest = np.maximum.reduceat(place.max(axis=0), starts)
        strongest = np.maximum(tables.strength[lowest], tables.strength[highest])

        own, weight = _own(comparison, speaker, row, last, begin)
        mine, me = place[:, own], who == speaker
        counted[speaker] = np.bincount(rung_table[mine].ravel(), weight.ravel(), rungs)
        terms[me] = (tables.term[mine] * weight).sum()
        llr[me] = (tables.llr[mine] * weight).sum()
        gain[me] = (tables.gain_mated[mine] * weight).sum()
        strongest[me] = (tables.strength[mine] * weight).max(initial=0.0)

        cells.counts[speaker] += counted
        cells.terms[speaker, who] += terms
        cells.llr[speaker, who] += llr
        cells.gain[speaker, who] += gain
        cells.strongest[speaker, who] = np.maximum(cells.strongest[speaker, who], strongest)
