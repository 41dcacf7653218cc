"""Counts of all pairs of speakers as a table, for replicates that weigh speakers, not pairs.

`replicates` weighs every pair of speakers one by one, which is right for any list of trials. Where
all pairs of n speakers were compared, the sums over pairs come apart, and `grid_draws` makes use of
that.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pseudovoice.calibration.ladder import Floats
from pseudovoice.cores import usable_cores

Singles = NDArray[np.float32]
Rungs = NDArray[np.int32]
Runs = NDArray[np.int64]
"""Where the columns of each speaker begin, and after the last speaker where they end."""


@dataclass(frozen=True)
class Grid:
    """Counts of all pairs, shape (speakers, speakers, rungs), with what goes with them."""

    counts: Singles
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

    @cached_property
    def own(self) -> Floats:
        """Counts of each speaker with itself, shape (speakers, rungs)."""
        each = np.arange(self.speakers)
        return self.counts[each, each].astype(np.float64)

    @cached_property
    def symmetric(self) -> bool:
        """Whether the pair (i, j) has the counts of (j, i): half of the cells then tell all."""
        return all(
            np.array_equal(self.counts[k, k + 1 :], self.counts[k + 1 :, k])
            for k in range(self.speakers)
        )

    @cached_property
    def touching(self) -> Floats:
        """Trials per rung with each speaker on either side, the speaker's own counted once."""
        sides = np.zeros_like(self.own)
        for k, row in enumerate(self.counts):
            sides += row
            sides[k] += row.sum(axis=0, dtype=np.float64)
        return sides - self.own

    @cached_property
    def ends(self) -> tuple[Rungs, Rungs]:
        """Lowest and highest rung with a trial of the pair, whoever of the two is the row."""
        rungs = self.counts.shape[2]
        lowest = np.empty((self.speakers, self.speakers), np.int32)
        highest = np.empty_like(lowest)
        for k, row in enumerate(self.counts):
            there = row > 0
            some = self.trials[k] > 0
            lowest[k] = np.where(some, there.argmax(axis=1), rungs - 1)
            highest[k] = np.where(some, rungs - 1 - there[:, ::-1].argmax(axis=1), 0)
        return np.minimum(lowest, lowest.T), np.maximum(highest, highest.T)


def on_all_cores(work: Callable[[int], None], times: int) -> None:
    """Do something for 0, 1, 2, …; matrix products should run on one core each meanwhile."""
    left = iter(range(times))

    def one_after_the_other(_: int) -> None:
        for k in left:
            work(k)

    cores = usable_cores()
    with ThreadPoolExecutor(cores) as pool:
        list(pool.map(one_after_the_other, range(cores)))
