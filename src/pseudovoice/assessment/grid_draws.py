"""Replicates of a grid of counts, a chunk at a time: speakers drawn again, or renamed.

A bootstrap replicate is w·C·w for the table C of counts and the weights w of the speakers, and
the trials of one speaker are a row of C·w. A permutation picks n of the n² cells as mated, and the
other trials of a speaker are all that the speaker has but these. Nothing is computed per pair of
speakers and replicate, except by `pairs` for what is not linear in the counts.

What goes over the counts is a record of its own, so that it can be done elsewhere. What is kept of
a chunk has a speaker, a replicate and a rung, never two speakers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from pseudovoice.assessment.grid import Grid, Panel, Rungs, Singles, on_all_cores
from pseudovoice.calibration.ladder import Floats


class Pairing(Protocol):
    """Which cells a chunk of replicates counts, and how often."""

    def pairs(self, speaker: int, values: Singles) -> tuple[Floats, Floats]:
        """Sum figures of the cells over a speaker's row: the mated ones, and the others.

        Given in each replicate, shape (figures, columns, replicates). Where the grid is symmetric
        the columns begin at the speaker, and each cell stands for its mirror image too.
        """


class Drawn(Protocol):
    """A chunk of replicates of a grid."""

    mated: Floats
    """Trials per rung, shape (replicates, rungs)."""
    nonmated: Floats

    @property
    def pairing(self) -> Pairing: ...

    def per_speaker(self, of_mated: Floats, of_nonmated: Floats) -> Floats:
        """Mean over a speaker's mated trials plus mean over the non-mated, (replicates, speakers).

        Given is what a trial of each rung is worth, shape (replicates, rungs). NaN for a speaker
        who is not in the replicate or has no trial of a class.
        """

    def ends(self) -> tuple[Rungs, Rungs]:
        """Lowest and highest rung with a trial of each speaker, shape (replicates, speakers)."""

    def cells(self) -> tuple[Floats, Floats]:
        """Mated and other cells of each replicate, counted as often as they are drawn."""


@dataclass(frozen=True)
class Weighing:
    """What each speaker of a panel has with the others, as the row and as the column, weighed."""

    weights: Singles
    """How often each speaker is drawn, shape (speakers, replicates)."""

    def __call__(self, panel: Panel) -> Singles:
        sides = 1 if panel.columns is None else 2
        shape = (sides, len(panel.rows), self.weights.shape[1], panel.rows.shape[2])
        out = np.empty(shape, np.float32)
        for k in range(len(panel.rows)):
            others = self.weights.copy()
            others[panel.first + k] = 0.0
            np.matmul(others.T, panel.counts(k), out=out[0, k])
            if panel.columns is not None:
                np.matmul(others.T, panel.columns[:, k].astype(np.float32), out=out[1, k])
        return out


@dataclass(frozen=True)
class Summing:
    """Trials of different people per rung, of a panel's rows, in each replicate: to the last one.

    In double precision, so that sums of any panels are whole numbers still.
    """

    drawn: Floats
    """Shape (replicates, speakers)."""

    def __call__(self, panel: Panel) -> Floats:
        total = np.zeros((len(self.drawn), panel.rows.shape[2]))
        for k, row in enumerate(panel.rows):
            others = self.drawn.copy()
            others[:, panel.first + k] = 0.0
            total += self.drawn[:, panel.first + k, None] * (others @ row.astype(np.float64))
        return total


@dataclass(frozen=True)
class DrawnPairs:
    """A cell counts w_i as mated, w_i·w_j as non-mated."""

    weights: Singles
    symmetric: bool

    def pairs(self, speaker: int, values: Singles) -> tuple[Floats, Floats]:
        begin = speaker if self.symmetric else 0
        mine = self.weights[speaker].astype(np.float64)
        at, weights = speaker - begin, self.weights[begin:]
        rest = np.einsum("cr,fcr->fr", weights[:at], values[:, :at])
        rest += np.einsum("cr,fcr->fr", weights[at + 1 :], values[:, at + 1 :])
        return mine * values[:, at], (2.0 if self.symmetric else 1.0) * mine * rest


class Bootstrap:
    """Speakers drawn with replacement: a cell counts w_i as mated, w_i·w_j as non-mated."""

    @staticmethod
    def usable(grid: Grid, drawn: Floats) -> NDArray[np.bool_]:
        """Which replicates have trials of both classes."""
        own = grid.trials.diagonal()
        others = ((drawn @ grid.trials) * drawn).sum(axis=1) - np.square(drawn) @ own
        enough: NDArray[np.bool_] = (drawn @ own > 0) & (others > 0)
        return enough

    def __init__(self, grid: Grid, drawn: Floats) -> None:
        n, _, rungs = grid.counts.shape
        self._grid, self._drawn = grid, drawn
        weights = np.ascontiguousarray(drawn.T, np.float32)
        self.pairing = DrawnPairs(weights, grid.symmetric)
        # What each speaker has with the others, as the row and as the column.
        self._sides = np.empty((1 if grid.symmetric else 2, n, len(drawn), rungs), np.float32)
        for first, part in grid.over_panels(Weighing(weights), columns=True):
            self._sides[:, first : first + part.shape[1]] = part
        self.mated = drawn @ grid.own
        # For each replicate the rows, weighed: (1, speakers) times (speakers, rungs).
        rows = weights.T[:, None] @ self._sides[0].transpose(1, 0, 2)
        self.nonmated = rows[:, 0].astype(np.float64)

    def per_speaker(self, of_mated: Floats, of_nonmated: Floats) -> Floats:
        worth = of_nonmated.astype(np.float32)
        gain, trials = np.zeros((2, *self._drawn.shape))

        def add_up(speaker: int) -> None:
            for side in self._sides:
                gain[:, speaker] += np.einsum("rg,rg->r", side[speaker], worth)
                trials[:, speaker] += side[speaker].sum(axis=1)

        on_all_cores(add_up, gain.shape[1])
        with np.errstate(invalid="ignore", divide="ignore"):
            own = of_mated @ self._grid.own.T / self._grid.trials.diagonal()
            return np.where(self._drawn > 0, own + gain / trials, np.nan)

    def ends(self) -> tuple[Rungs, Rungs]:
        lowest, highest = self._grid.ends
        return (
            np.stack([lowest[w > 0].min(axis=0) for w in self._drawn]),
            np.stack([highest[w > 0].max(axis=0) for w in self._drawn]),
        )

    def cells(self) -> tuple[Floats, Floats]:
        n = self._drawn.sum(axis=1)
        return n, n * n - np.square(self._drawn).sum(axis=1)


@dataclass(frozen=True)
class Picking:
    """The mated cell of each speaker of a panel in each replicate: (replicates, panel, rungs)."""

    new: NDArray[np.intp]

    def __call__(self, panel: Panel) -> NDArray[Any]:
        each = np.arange(len(panel.rows))
        names = self.new[:, panel.first : panel.first + each.size]
        return np.stack([panel.rows[each, name] for name in names])


@dataclass(frozen=True)
class NamedPairs:
    """A row's cell with the column of its new name is mated."""

    new: NDArray[np.intp]
    old: NDArray[np.intp]
    symmetric: bool

    def pairs(self, speaker: int, values: Singles) -> tuple[Floats, Floats]:
        begin = speaker if self.symmetric else 0
        own = np.zeros((len(values), len(self.new)))
        # Of a symmetric grid only one half is here: cells whose mirror image is mated, too.
        for k, name in enumerate((self.new, self.old) if self.symmetric else (self.new,)):
            column = name[:, speaker]
            here = (column >= begin + k).nonzero()[0]
            own[:, here] += values[:, column[here] - begin, here]
        every = values.sum(axis=1).astype(np.float64)
        return own, (2.0 * every - values[:, 0] if self.symmetric else every) - own


class Permutation:
    """Enrolment speakers renamed: the cell of a row and the column of its new name is mated."""

    @staticmethod
    def usable(grid: Grid, names: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which replicates have trials of both classes."""
        mated = grid.trials[np.arange(grid.speakers), np.argsort(names, axis=1)].sum(axis=1)
        enough: NDArray[np.bool_] = (mated > 0) & (mated < grid.trials.sum())
        return enough

    def __init__(self, grid: Grid, names: NDArray[np.intp]) -> None:
        self._grid = grid
        # Names are handed out as `replicates.permutation` does.
        self._new = np.argsort(names, axis=1)
        self._old = np.argsort(self._new, axis=1)
        self.pairing = NamedPairs(self._new, self._old, grid.symmetric)
        n, _, rungs = grid.counts.shape
        self._picked = np.empty((len(names), n, rungs), grid.counts.dtype)
        for first, part in grid.over_panels(Picking(self._new)):
            self._picked[:, first : first + part.shape[1]] = part
        self.mated = self._picked.sum(axis=1, dtype=np.float64)
        # Each trial has a speaker on either side; those of a speaker's own touch one only.
        self.nonmated = (grid.touching.sum(axis=0) + grid.own.sum(axis=0)) / 2.0 - self.mated

    def per_speaker(self, of_mated: Floats, of_nonmated: Floats) -> Floats:
        grid, each = self._grid, np.arange(self._grid.speakers)
        worth, all_trials = of_nonmated @ grid.touching.T, grid.touching.sum(axis=1)
        out = np.empty((len(self._new), each.size))

        def add_up(r: int) -> None:
            mated = self._picked[r].astype(np.float32)
            # A speaker who keeps the name has one mated cell, others one on either side: that of
            # the row which has their name now.
            moved = self._new[r] != each
            mated[moved] += self._picked[r][self._old[r][moved]]
            trials = mated.sum(axis=1, dtype=np.float64)
            with np.errstate(invalid="ignore", divide="ignore"):
                own = mated @ of_mated[r] / trials
                out[r] = own + (worth[r] - mated @ of_nonmated[r]) / (all_trials - trials)

        on_all_cores(add_up, len(out))
        return out

    def ends(self) -> tuple[Rungs, Rungs]:
        lowest, highest = self._grid.ends
        shape = self._new.shape
        return (
            np.broadcast_to(lowest.min(axis=0), shape),
            np.broadcast_to(highest.max(axis=0), shape),
        )

    def cells(self) -> tuple[Floats, Floats]:
        n = np.full(len(self._new), float(self._grid.speakers))
        return n, n * n - n
