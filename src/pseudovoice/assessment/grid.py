"""Counts of all pairs of speakers as a table, for replicates that weigh speakers, not pairs.

`replicates` weighs every pair of speakers one by one, which is right for any list of trials. Where
all pairs of n speakers were compared, the sums over pairs come apart, and `grid_draws` makes use of
that.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pseudovoice.calibration.ladder import Floats
from pseudovoice.cores import usable_cores
from pseudovoice.engines import chosen, in_parallel, in_threads
from pseudovoice.scores.pair_table import PairTable, is_held, is_symmetric, pair_table, panels

Singles = NDArray[np.float32]
Rungs = NDArray[np.int16]
Runs = NDArray[np.int64]
"""Where the columns of each speaker begin, and after the last speaker where they end."""
R = TypeVar("R")


@dataclass(frozen=True)
class Panel:
    """What some speakers have, from ``first`` on: as rows, with all others as columns.

    ``columns`` is what they have as columns, shape (speakers, panel, rungs), where it is another
    thing and somebody asks for it.
    """

    first: int
    rows: PairTable
    columns: PairTable | None
    trials: Floats

    def counts(self, k: int) -> Singles:
        """Counts of the k-th of them as the row, shape (speakers, rungs)."""
        counts: Singles = self.rows[k].astype(np.float32)
        return counts


@dataclass(frozen=True)
class Grid:
    """Counts of all pairs, shape (speakers, speakers, rungs), with what goes with them."""

    counts: PairTable
    trials: Floats
    """Trials of each pair of speakers, shape (speakers, speakers)."""
    scores: Floats
    """The mean score of each rung, which stands for its scores in Cllr."""
    edges: Floats | None
    onto_bins: Floats | None
    """Which bin of D_sys each rung falls into, shape (rungs, bins)."""

    @property
    def speakers(self) -> int:
        return int(self.counts.shape[0])

    def over_panels(
        self, work: Callable[[Panel], R], *, columns: bool = False
    ) -> Generator[tuple[int, R], None, None]:
        """What some work makes of each panel, with the panel's first speaker, in no order.

        Tables that memory does not hold are worth the way to other machines; each speaker's part is
        the same wherever it is made.
        """
        table = self.counts.view(np.ndarray)  # a file's array is not to travel as one
        parts = (
            Panel(
                first,
                table[first:last],
                table[:, first:last] if columns and not self.symmetric else None,
                self.trials[first:last],
            )
            for first, last in panels(table)
        )
        far = chosen().ships and not is_held(table)
        for part, made in in_parallel(work, parts) if far else in_threads(work, parts):
            yield part.first, made

    @cached_property
    def own(self) -> Floats:
        """Counts of each speaker with itself, shape (speakers, rungs)."""
        each = np.arange(self.speakers)
        return self.counts[each, each].astype(np.float64)

    @cached_property
    def symmetric(self) -> bool:
        """Whether the pair (i, j) has the counts of (j, i): half of the cells then tell all."""
        return is_symmetric(self.counts)

    @cached_property
    def touching(self) -> Floats:
        """Trials per rung with each speaker on either side, the speaker's own counted once."""
        sides = np.zeros_like(self.own)
        for first, last in panels(self.counts):
            panel = self.counts[first:last]
            sides[first:last] += panel.sum(axis=1, dtype=np.float64)
            if not self.symmetric:
                sides += panel.sum(axis=0, dtype=np.float64)
        return (2.0 * sides if self.symmetric else sides) - self.own

    @cached_property
    def ends(self) -> tuple[Rungs, Rungs]:
        """Lowest and highest rung with a trial of the pair, whoever of the two is the row."""
        lowest, highest = (pair_table(self.trials.shape, np.int16) for _ in range(2))
        for first, (low, high) in self.over_panels(_outermost):
            lowest[first : first + len(low)], highest[first : first + len(high)] = low, high
        if self.symmetric:
            return lowest, highest
        return np.minimum(lowest, lowest.T), np.maximum(highest, highest.T)


def _outermost(panel: Panel) -> tuple[Rungs, Rungs]:
    """Lowest and highest rung with a trial of each pair; beyond each other where there is none."""
    rungs = panel.rows.shape[2]
    lowest = np.empty(panel.trials.shape, np.int16)
    highest = np.empty_like(lowest)
    for k, row in enumerate(panel.rows):
        there = row > 0
        some = panel.trials[k] > 0
        lowest[k] = np.where(some, there.argmax(axis=1), rungs - 1)
        highest[k] = np.where(some, rungs - 1 - there[:, ::-1].argmax(axis=1), 0)
    return lowest, highest


def on_all_cores(work: Callable[[int], None], times: int) -> None:
    """Do something for 0, 1, 2, …; matrix products should run on one core each meanwhile."""
    left = iter(range(times))

    def one_after_the_other(_: int) -> None:
        for k in left:
            work(k)

    cores = usable_cores()
    with ThreadPoolExecutor(cores) as pool:
        list(pool.map(one_after_the_other, range(cores)))
