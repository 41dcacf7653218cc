"""A condition whose scores were counted, not kept: the same figures from `BinnedScores`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit

from pseudovoice.assessment import zebra
from pseudovoice.assessment.condition import Condition
from pseudovoice.assessment.evaluate import Evaluation, Oracle, evaluate_counts
from pseudovoice.assessment.grid import Grid
from pseudovoice.assessment.grid_replicates import bootstrap_grid, once_grid, permutation_grid
from pseudovoice.assessment.linkability import bin_of
from pseudovoice.assessment.replicates import Replicates
from pseudovoice.assessment.similarity import (
    SimilarityMatrix,
    similarity_of_mean,
)
from pseudovoice.assessment.tally import Tally
from pseudovoice.assessment.zoo import Zoo, zoo_of_means
from pseudovoice.calibration.ladder import Floats
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.pair_table import pair_table, panels


@dataclass(frozen=True)
class BinnedCondition(Condition):
    """Scalars from the fine histograms, everything per speaker from the rungs.

    What the bins round away can only hide evidence: l_w and tag never exceed their exact values.
    """

    scores: BinnedScores  # type: ignore[assignment]

    @cached_property
    def _fine(self) -> tuple[dict[str, Floats], Oracle]:
        rungs = self.scores.ladder()
        a, b = rungs.mated, rungs.nonmated
        cost = -(a @ log_expit(rungs.low) / a.sum() + b @ log_expit(-rungs.low) / b.sum())
        edges, histograms = self.scores.edges, None
        if edges is not None:
            place = bin_of(rungs.low, edges)
            histograms = (
                _bincount(place, a, edges.size - 1)[None],
                _bincount(place, b, edges.size - 1)[None],
            )
        return evaluate_counts(
            a[None], b[None], np.array([cost / (2.0 * np.log(2.0))]), histograms, edges
        )

    @cached_property
    def evaluation(self) -> Evaluation:
        scalars = {name: float(values[0]) for name, values in self._fine[0].items()}
        n_mated, n_nonmated = int(self.scores.mated.sum()), int(self.scores.nonmated.sum())
        return Evaluation(
            **{"d_sys": None, **scalars},  # type: ignore[arg-type]
            tag=zebra.tag(scalars["l_w"]),
            l_w_ceiling=zebra.ceiling(n_mated, n_nonmated),
            n_mated=n_mated,
            n_nonmated=n_nonmated,
            constant=bool(self.scores.ladder().low.size == 1),
        )

    @cached_property
    def trials_per_pair(self) -> Floats:
        cells = self.scores.cells
        count = pair_table(cells.shape[:2], np.float64)
        for first, last in panels(cells):
            count[first:last] = cells[first:last].sum(axis=2, dtype=np.float64)
        return count

    @cached_property
    def rung_scores(self) -> Floats:
        """The mean score of each rung, which stands for its scores in Cllr."""
        rungs, rung = self.scores.cells.shape[2], self.scores.rung_of_bin
        every = self.scores.mated + self.scores.nonmated
        mass = _bincount(rung, every, rungs)
        return _bincount(rung, every * self.scores.centres, rungs) / np.maximum(mass, 1.0)

    @property
    def levels(self) -> int | None:
        return int(self.scores.cells.shape[2])

    @cached_property
    def labelled(self) -> Tally:
        """Counts pair by pair, for what the grid does not serve."""
        n, _, rungs = self.scores.cells.shape
        flat = self.scores.cells.reshape(n * n, rungs).astype(np.float32)
        count = flat.sum(axis=1, dtype=np.float64)
        cell = np.flatnonzero(count)
        if cell.size < flat.shape[0]:
            flat = flat[cell]
        mean, there = self.rung_scores, flat > 0
        edges = self.scores.edges
        bins = None
        if edges is not None:
            onto = np.zeros((rungs, edges.size - 1), np.float32)
            onto[np.arange(rungs), bin_of(mean, edges)] = 1.0
            bins = flat @ onto
        return Tally(
            row=(cell // n).astype(np.int32),
            column=(cell % n).astype(np.int32),
            n_speakers=n,
            n=count[cell],
            rungs=flat,
            low=mean,
            first=there.argmax(axis=1),
            last=rungs - 1 - there[:, ::-1].argmax(axis=1),
            cost_mated=(flat @ -log_expit(mean)).astype(np.float64),
            cost_nonmated=(flat @ -log_expit(-mean)).astype(np.float64),
            bins=bins,
            edges=edges,
            rounded=True,
        )

    @property
    def unlabelled(self) -> Tally:
        return self.labelled

    @cached_property
    def grid(self) -> Grid | None:
        """The counts as a table of all pairs; None where somebody is on one side only."""
        count = self.trials_per_pair
        if not (count.any(axis=0).all() and count.any(axis=1).all()):
            return None
        onto, edges = None, self.scores.edges
        if edges is not None:
            onto = np.zeros((self.rung_scores.size, edges.size - 1))
            onto[np.arange(len(onto)), bin_of(self.rung_scores, edges)] = 1.0
        return Grid(self.scores.cells, count, self.rung_scores, edges, onto)

    @property
    def _of_matrix(self) -> str | None:
        """The similarity, where there is a matrix."""
        return self.similarity if self.square[1] is None else None

    @cached_property
    def observed(self) -> Replicates:
        if self.grid is None:
            return super().observed
        return once_grid(self.grid, self._of_matrix)

    @cached_property
    def resampled(self) -> Replicates | None:
        if self.grid is None or self.resampling is None or not len(self.resampling.drawn):
            return super().resampled
        return bootstrap_grid(self.grid, self.resampling.drawn, self._of_matrix)

    @cached_property
    def permuted(self) -> Replicates | None:
        if self.grid is None or self.resampling is None or not len(self.resampling.names):
            return super().permuted
        return permutation_grid(self.grid, self.resampling.names, self._of_matrix)

    @cached_property
    def matrix(self) -> SimilarityMatrix | None:
        both, reason = self.square
        if reason is not None:
            return None
        values = pair_table((both.size, both.size), np.float64)
        for first, last in panels(values):
            inside = np.ix_(both[first:last], both)
            mean = self.scores.terms[inside] / self.trials_per_pair[inside]
            values[first:last] = similarity_of_mean(mean, self.similarity)
        return SimilarityMatrix(
            values,
            tuple(self.scores.speakers[k] for k in both),
            self.similarity,
        )

    @cached_property
    def per_speaker(self) -> tuple[Floats, Floats]:
        count, gain = self.trials_per_pair, self.scores.gain
        with np.errstate(invalid="ignore", divide="ignore"):
            own = gain.diagonal() / count.diagonal()
            cross = gain.sum(axis=0) + gain.sum(axis=1) - 2 * gain.diagonal()
            cross /= count.sum(axis=0) + count.sum(axis=1) - 2 * count.diagonal()
        d_ece = zebra.D_ECE_MAX * (own + cross)
        worst = np.maximum(self.scores.strongest.max(axis=0), self.scores.strongest.max(axis=1))
        worst = np.where(self.evaluation.l_w == 0.0, 0.0, worst / np.log(10.0))
        return d_ece, np.where(np.isnan(d_ece), np.nan, worst)

    @cached_property
    def zoo(self) -> Zoo:
        total, count = self.scores.llr, self.trials_per_pair
        own, own_count = total.diagonal(), count.diagonal()
        cross = total.sum(axis=0) + total.sum(axis=1) - 2 * own
        cross_count = count.sum(axis=0) + count.sum(axis=1) - 2 * own_count
        return zoo_of_means(self.scores.speakers, own, own_count, cross, cross_count)

    def warnings(self) -> list[str]:
        return [
            *super().warnings(),
            f"{self.name}: {self.evaluation.n_mated + self.evaluation.n_nonmated:,} scores were "
            f"counted on {self.scores.bins:,} bins of width {self.scores.width:.2g}; l_w and tag "
            "are binned: they may be lower than their exact values, never higher.",
        ]


def _bincount(at: NDArray[Any], weights: Floats, n: int) -> Floats:
    return np.bincount(at, weights, n).astype(np.float64, copy=False)
