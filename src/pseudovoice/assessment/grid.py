"""Replicates of counted scores: weights of speakers, not of pairs of speakers.

`replicates` weighs every pair of speakers one by one, which is right for any list of trials. Where
all pairs of n speakers were compared, a bootstrap replicate is w·C·w for the table C of counts, and
a permutation picks n of its n² cells: two matrix products in place of n² weights a replicate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.assessment import zebra
from pseudovoice.assessment.evaluate import BATCH_METRICS, Oracle, evaluate_counts
from pseudovoice.assessment.replicates import Replicates
from pseudovoice.assessment.similarity import similarity_of_mean, terms_of_llr
from pseudovoice.assessment.tally import Tally
from pseudovoice.calibration.ladder import Floats

CHUNK = 64
"""Replicates whose tables of n × n figures are held at once."""

Singles = NDArray[np.float32]


@dataclass(frozen=True)
class Grid:
    """Counts of all pairs, shape (speakers, speakers, rungs), with what goes with them."""

    counts: Singles
    tally: Tally
    onto_bins: Floats | None
    """Which bin of D_sys each rung falls into, shape (rungs, bins)."""

    @property
    def speakers(self) -> int:
        return int(self.counts.shape[0])

    def square(self, of_cells: NDArray[np.generic]) -> Singles:
        """A figure of the tally's cells laid out by row and column speaker, 0 elsewhere."""
        out = np.zeros((self.speakers, self.speakers), np.float32)
        out[self.tally.row, self.tally.column] = of_cells
        return out


@dataclass(frozen=True)
class Drawn:
    """One replicate: how often each cell counts as mated and as non-mated, shape (n, n)."""

    mated: Singles
    nonmated: Singles


def bootstrap_grid(grid: Grid, drawn: Floats) -> Iterator[tuple[Floats, Floats, list[Drawn]]]:
    """Chunks of bootstrap replicates: their counts on the rungs, and their weights."""
    n, _, rungs = grid.counts.shape
    own = grid.counts[np.arange(n), np.arange(n)]
    flat = grid.counts.reshape(n, n * rungs)
    for k in range(0, len(drawn), CHUNK):
        w = drawn[k : k + CHUNK].astype(np.float32)
        every = np.einsum("rsg,rs->rg", (w @ flat).reshape(len(w), n, rungs), w, optimize=True)
        nonmated = every.astype(np.float64) - (np.square(w) @ own).astype(np.float64)
        weights = []
        for row in w:
            pairs = np.outer(row, row)
            np.fill_diagonal(pairs, 0.0)
            weights.append(Drawn(np.diag(row), pairs))
        yield (w @ own).astype(np.float64), np.maximum(nonmated, 0.0), weights


def permutation_grid(
    grid: Grid, names: NDArray[np.intp]
) -> Iterator[tuple[Floats, Floats, list[Drawn]]]:
    """Chunks of permutations, drawn as `replicates.permutation` draws them."""
    n = grid.speakers
    total = grid.counts.sum(axis=(0, 1), dtype=np.float64)
    order = np.argsort(names, axis=1)
    rows = np.arange(n)
    for k in range(0, len(order), CHUNK):
        part = order[k : k + CHUNK]
        mated = np.stack([grid.counts[rows, new].sum(axis=0, dtype=np.float64) for new in part])
        weights = []
        for new in part:
            mine = np.zeros((n, n), np.float32)
            mine[rows, new] = 1.0
            weights.append(Drawn(mine, 1.0 - mine))
        yield mated, total - mated, weights


def replicate_grid(
    grid: Grid,
    chunks: Iterator[tuple[Floats, Floats, list[Drawn]]],
    similarity: str,
    with_matrix: bool,
) -> Replicates:
    """All scalars and every speaker's disclosure in each replicate."""
    names = [*BATCH_METRICS, *(("d_diag", "d_diag_log") if with_matrix else ())]
    out: dict[str, list[Floats]] = {name: [] for name in names}
    d_ece, l_w = [], []
    cost = [grid.square(c) for c in (grid.tally.cost_mated, grid.tally.cost_nonmated)]
    for mated, nonmated, weights in chunks:
        usable = (mated.sum(axis=1) > 0) & (nonmated.sum(axis=1) > 0)
        if not usable.all():  # a draw of a single speaker has no pair of two: too few speakers
            keep = np.flatnonzero(usable)
            mated, nonmated, weights = mated[keep], nonmated[keep], [weights[k] for k in keep]
        if not weights:
            continue
        spent = np.array(
            [
                (w.mated * cost[0]).sum() / m.sum() + (w.nonmated * cost[1]).sum() / o.sum()
                for w, m, o in zip(weights, mated, nonmated, strict=True)
            ]
        )
        histograms = (
            None if grid.onto_bins is None else (mated @ grid.onto_bins, nonmated @ grid.onto_bins)
        )
        scalars, oracle = evaluate_counts(
            mated, nonmated, spent / (2.0 * np.log(2.0)), histograms, grid.tally.edges
        )
        if with_matrix:
            scalars |= _dominance(grid, weights, oracle, similarity)
        for name, values in scalars.items():
            out[name].append(values)
        expected, worst = _per_speaker(grid, weights, oracle)
        d_ece.append(expected)
        l_w.append(worst)
    nobody = np.empty((0, grid.speakers))
    return Replicates(
        {name: np.concatenate(values) for name, values in out.items() if values},
        np.concatenate([nobody, *d_ece]),
        np.concatenate([nobody, *l_w]),
    )


def _per_cell(grid: Grid, on_rungs: Floats) -> Singles:
    """Sum a figure of the rungs over the trials of each cell, for each replicate."""
    n, _, rungs = grid.counts.shape
    flat = grid.counts.reshape(n * n, rungs)
    summed: Singles = (flat @ on_rungs.T.astype(np.float32)).T
    return np.ascontiguousarray(summed).reshape(len(on_rungs), n, n)


def _dominance(
    grid: Grid, weights: list[Drawn], oracle: Oracle, similarity: str
) -> dict[str, Floats]:
    """D_diag and its log-domain sibling."""
    terms = oracle.laplace.on_rungs(terms_of_llr(oracle.laplace.llr, similarity))
    mean = _per_cell(grid, terms) / grid.square(grid.tally.n)
    values = similarity_of_mean(mean, similarity)  # type: ignore[arg-type]
    logs = np.log2(values)

    def gaps(of: NDArray[np.floating]) -> Floats:
        return np.array(
            [
                abs((w.mated * v).sum() / w.mated.sum() - (w.nonmated * v).sum() / w.nonmated.sum())
                for w, v in zip(weights, of, strict=True)
            ]
        )

    return {"d_diag": gaps(values), "d_diag_log": gaps(logs)}


def _per_speaker(grid: Grid, weights: list[Drawn], oracle: Oracle) -> tuple[Floats, Floats]:
    """D_ECE and l_w of each speaker's own trials."""
    plain, n = oracle.plain, grid.square(grid.tally.n)
    finite: Callable[[Floats], Floats] = lambda x: np.maximum(x, -1e9)  # noqa: E731
    gains = [
        _per_cell(grid, plain.on_rungs(finite(zebra.disclosure_of_llr(sign * plain.llr))))
        for sign in (1.0, -1.0)
    ]
    strength = oracle.laplace.on_rungs(np.abs(oracle.laplace.llr)).astype(np.float32)
    first, last = (
        grid.square(edge).astype(np.intp) for edge in (grid.tally.first, grid.tally.last)
    )
    single = np.diff(plain.row_start, append=plain.row.size) == 1
    total = np.zeros((len(weights), grid.speakers))
    worst = np.zeros_like(total)
    for r, w in enumerate(weights):
        for weight, gain in ((w.mated, gains[0][r]), (w.nonmated, gains[1][r])):
            with np.errstate(invalid="ignore", divide="ignore"):
                total[r] += _touching(np.where(weight > 0, weight * gain, 0.0)) / _touching(
                    weight * n
                )
        strongest = np.maximum(strength[r][first], strength[r][last])
        strongest = np.where((w.mated + w.nonmated > 0) & (n > 0), strongest, 0.0)
        worst[r] = np.maximum(strongest.max(axis=0), strongest.max(axis=1))
    worst[single] = 0.0
    return zebra.D_ECE_MAX * total, np.where(np.isnan(total), np.nan, worst / np.log(10.0))


def _touching(cells: NDArray[np.floating]) -> Floats:
    """Sum over the cells with each speaker on either side, the cell of a speaker's own once."""
    sums: Floats = cells.sum(axis=0, dtype=np.float64) + cells.sum(axis=1, dtype=np.float64)
    return sums - cells.diagonal()
