"""Replicates of a grid of counts, a chunk at a time: speakers drawn again, or renamed.

A bootstrap replicate is w·C·w for the table C of counts and the weights w of the speakers, and
the trials of one speaker are a row of C·w. A permutation picks n of the n² cells as mated, and the
other trials of a speaker are all that the speaker has but these. Nothing is computed per pair of
speakers and replicate, except by `pairs` for what is not linear in the counts.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pseudovoice.assessment.grid import Grid, Rungs, Singles, on_all_cores
from pseudovoice.calibration.ladder import Floats


class Drawn(Protocol):
    """A chunk of replicates of a grid."""

    mated: Floats
    """Trials per rung, shape (replicates, rungs)."""
    nonmated: Floats

    def per_speaker(self, of_mated: Floats, of_nonmated: Floats) -> Floats:
        """Mean over a speaker's mated trials plus mean over the non-mated, (replicates, speakers).

        Given is what a trial of each rung is worth, shape (replicates, rungs). NaN for a speaker
        who is not in the replicate or has no trial of a class.
        """

    def ends(self) -> tuple[Rungs, Rungs]:
        """Lowest and highest rung with a trial of each speaker, shape (replicates, speakers)."""

    def pairs(self, speaker: int, values: Singles) -> tuple[Floats, Floats]:
        """Sum figures of the cells over a speaker's row: the mated ones, and the others.

        Given in each replicate, shape (figures, columns, replicates). Where the grid is symmetric
        the columns begin at the speaker, and each cell stands for its mirror image too.
        """

    def cells(self) -> tuple[Floats, Floats]:
        """Mated and other cells of each replicate, counted as often as they are drawn."""


class Bootstrap:
    """Speakers drawn with replacement: a cell counts w_i as mated, w_i·w_j as non-mated."""

    @staticmethod
    def usable(grid: Grid, drawn: Floats) -> NDArray[np.bool_]:
        """Which replicates have trials of both classes."""
        others = grid.trials.copy()
        np.fill_diagonal(others, 0.0)
        enough: NDArray[np.bool_] = (drawn @ grid.trials.diagonal() > 0) & (
            ((drawn @ others) * drawn).sum(axis=1) > 0
        )
        return enough

    def __init__(self, grid: Grid, drawn: Floats) -> None:
        n, _, rungs = grid.counts.shape
        self._grid, self._drawn = grid, drawn
        self._weights = weights = np.ascontiguousarray(drawn.T, np.float32)
        # What each speaker has with the others, as the row and as the column.
        self._sides = np.empty((1 if grid.symmetric else 2, n, len(drawn), rungs), np.float32)

        def weigh(speaker: int) -> None:
            others = weights.copy()
            others[speaker] = 0.0
            for side, counts in zip(
                self._sides, (grid.counts[speaker], grid.counts[:, speaker]), strict=False
            ):
                np.matmul(others.T, counts, out=side[speaker])

        on_all_cores(weigh, n)
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

    def pairs(self, speaker: int, values: Singles) -> tuple[Floats, Floats]:
        begin = speaker if self._grid.symmetric else 0
        at, mine, weights = speaker - begin, self._drawn[:, speaker], self._weights[begin:]
        rest = np.einsum("cr,fcr->fr", weights[:at], values[:, :at])
        rest += np.einsum("cr,fcr->fr", weights[at + 1 :], values[:, at + 1 :])
        return mine * values[:, at], (2.0 if self._grid.symmetric else 1.0) * mine * rest

    def cells(self) -> tuple[Floats, Floats]:
        n = self._drawn.sum(axis=1)
        return n, n * n - np.square(self._drawn).sum(axis=1)


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
        each = np.arange(grid.speakers)
        self.mated = np.empty((len(names), grid.counts.shape[2]))

        def pick(r: int) -> None:
            self.mated[r] = grid.counts[each, self._new[r]].sum(axis=0, dtype=np.float64)

        on_all_cores(pick, len(names))
        # Each trial has a speaker on either side; those of a speaker's own touch one only.
        self.nonmated = (grid.touching.sum(axis=0) + grid.own.sum(axis=0)) / 2.0 - self.mated

    def per_speaker(self, of_mated: Floats, of_nonmated: Floats) -> Floats:
        grid, each = self._grid, np.arange(self._grid.speakers)
        worth, all_trials = of_nonmated @ grid.touching.T, grid.touching.sum(axis=1)
        out = np.empty((len(self._new), each.size))

        def add_up(r: int) -> None:
            new, old = self._new[r], self._old[r]
            mated = grid.counts[each, new]
            # A speaker who keeps the name has one mated cell, others one on either side.
            mated[new != each] += grid.counts[old, each][new != each]
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

    def pairs(self, speaker: int, values: Singles) -> tuple[Floats, Floats]:
        symmetric = self._grid.symmetric
        begin = speaker if symmetric else 0
        own = np.zeros((len(values), len(self._new)))
        # Of a symmetric grid only one half is here: cells whose mirror image is mated, too.
        for k, name in enumerate((self._new, self._old) if symmetric else (self._new,)):
            column = name[:, speaker]
            here = (column >= begin + k).nonzero()[0]
            own[:, here] += values[:, column[here] - begin, here]
        every = values.sum(axis=1).astype(np.float64)
        return own, (2.0 * every - values[:, 0] if symmetric else every) - own

    def cells(self) -> tuple[Floats, Floats]:
        n = np.full(len(self._new), float(self._grid.speakers))
        return n, n * n - n
