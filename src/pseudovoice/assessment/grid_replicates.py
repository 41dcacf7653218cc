"""Every scalar and every speaker's disclosure in replicates of a grid of counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit
from threadpoolctl import threadpool_limits

from pseudovoice.assessment import zebra
from pseudovoice.assessment.evaluate import BATCH_METRICS, Oracle, evaluate_counts
from pseudovoice.assessment.grid import Grid, Panel, Singles
from pseudovoice.assessment.grid_draws import Bootstrap, Drawn, Pairing, Permutation
from pseudovoice.assessment.replicates import Replicates
from pseudovoice.assessment.similarity import similarity_of_mean, terms_of_llr
from pseudovoice.calibration.ladder import Floats

CHUNK = 100
"""Replicates that are held at once."""


def bootstrap_grid(grid: Grid, drawn: Floats, similarity: str | None) -> Replicates:
    """Bootstrap replicates from how often each speaker is drawn, shape (replicates, speakers)."""
    return _in_chunks(grid, Bootstrap.usable(grid, drawn), drawn, Bootstrap, similarity)


def permutation_grid(grid: Grid, names: NDArray[np.intp], similarity: str | None) -> Replicates:
    """Permutations from new names of the speakers, shape (replicates, speakers)."""
    return _in_chunks(grid, Permutation.usable(grid, names), names, Permutation, similarity)


def once_grid(grid: Grid, similarity: str | None) -> Replicates:
    """The data as they are: everybody keeps the own name."""
    return permutation_grid(grid, np.arange(grid.speakers)[None], similarity)


def _in_chunks(
    grid: Grid,
    usable: NDArray[np.bool_],
    draws: NDArray[Any],
    kind: Callable[[Grid, NDArray[Any]], Drawn],
    similarity: str | None,
) -> Replicates:
    """All replicates, NaN where one has no trial of a class; no D_diag without ``similarity``."""
    names = (*BATCH_METRICS, "d_diag", "d_diag_log")
    scalars = {name: np.full(usable.size, np.nan) for name in names}
    d_ece, l_w = np.full((2, usable.size, grid.speakers), np.nan)
    there = np.flatnonzero(usable)
    with threadpool_limits(1):
        for k in range(0, there.size, CHUNK):
            at = there[k : k + CHUNK]
            drawn = kind(grid, draws[at])
            found, oracle = _scalars(grid, drawn)
            if similarity is not None:
                found |= _dominance(grid, drawn, oracle, similarity)
            for name, values in found.items():
                scalars[name][at] = values
            d_ece[at], l_w[at] = _per_speaker(drawn, oracle)
    return Replicates(scalars, d_ece, l_w)


def _scalars(grid: Grid, drawn: Drawn) -> tuple[dict[str, Floats], Oracle]:
    mated, nonmated = drawn.mated, drawn.nonmated
    cost = mated @ -log_expit(grid.scores) / mated.sum(axis=1)
    cost += nonmated @ -log_expit(-grid.scores) / nonmated.sum(axis=1)
    onto = grid.onto_bins
    histograms = None if onto is None else (mated @ onto, nonmated @ onto)
    return evaluate_counts(mated, nonmated, cost / (2.0 * np.log(2.0)), histograms, grid.edges)


@dataclass(frozen=True)
class _Dominance:
    """Similarities and their logarithms, summed over a panel's cells: shape (panel, 2, 2, R)."""

    terms: Singles
    """What a trial of each rung is worth, shape (rungs, replicates)."""
    pairing: Pairing
    similarity: str
    symmetric: bool

    def __call__(self, panel: Panel) -> Floats:
        of_logs = self.similarity == "geometric"
        sums = np.empty((len(panel.rows), 2, 2, self.terms.shape[1]))
        for k in range(len(sums)):
            speaker = panel.first + k
            begin = speaker if self.symmetric else 0
            mean: Singles = panel.counts(k)[begin:] @ self.terms
            mean /= panel.trials[k, begin:, None].astype(np.float32)
            figures: Singles = np.empty((2, *mean.shape), np.float32)
            figures[0] = similarity_of_mean(mean, self.similarity)  # type: ignore[arg-type]
            # Of a geometric mean the logarithm is at hand.
            figures[1] = mean * np.float32(1.0 / np.log(2.0)) if of_logs else np.log2(figures[0])
            sums[k] = self.pairing.pairs(speaker, figures)
        return sums


def _dominance(grid: Grid, drawn: Drawn, oracle: Oracle, similarity: str) -> dict[str, Floats]:
    """D_diag and its log-domain sibling."""
    laplace = oracle.laplace
    terms = laplace.on_rungs(terms_of_llr(laplace.llr, similarity)).T.astype(np.float32)
    work = _Dominance(terms, drawn.pairing, similarity, grid.symmetric)
    sums = np.empty((grid.speakers, 2, 2, terms.shape[1]))
    for first, part in grid.over_panels(work):
        sums[first : first + len(part)] = part
    (own, own_log), (rest, rest_log) = sums.sum(axis=0)
    cells, others = drawn.cells()
    return {
        "d_diag": np.abs(own / cells - rest / others),
        "d_diag_log": np.abs(own_log / cells - rest_log / others),
    }


def _per_speaker(drawn: Drawn, oracle: Oracle) -> tuple[Floats, Floats]:
    """D_ECE and l_w of each speaker's own trials."""
    plain, laplace = oracle.plain, oracle.laplace

    def gain(sign: float) -> Floats:
        # −inf stands only where the replicate has no trial of the class.
        terms = zebra.disclosure_of_llr(sign * plain.llr)
        return plain.on_rungs(np.where(np.isfinite(terms), terms, 0.0))

    d_ece = zebra.D_ECE_MAX * drawn.per_speaker(gain(1.0), gain(-1.0))
    # Along the rungs the LLR only rises: a speaker's strongest evidence is at one of the ends.
    strength = laplace.on_rungs(np.abs(laplace.llr))
    low, high = (np.take_along_axis(strength, end.astype(np.intp), axis=1) for end in drawn.ends())
    l_w = np.maximum(low, high) / np.log(10.0)
    l_w[np.diff(plain.row_start, append=plain.row.size) == 1] = 0.0
    return d_ece, np.where(np.isnan(d_ece), np.nan, l_w)
