"""Trials as they stand in a file: columns of codes, never an object per trial."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import Problem

LABELS = {
    "target": True,
    "nontarget": False,
    "impostor": False,
    "imp": False,
    "1": True,
    "0": False,
    "true": True,
    "false": False,
}
"""How files say mated and non-mated, compared in lower case."""


@dataclass(frozen=True)
class Names:
    """A column of ids: ``values`` are the distinct ones, ``codes`` index them, one per trial."""

    codes: NDArray[np.int32]
    values: tuple[str, ...]

    def take(self, keep: NDArray[np.bool_] | NDArray[np.intp] | slice) -> Names:
        return Names(self.codes[keep], self.values).distinct()

    def distinct(self) -> Names:
        """The same ids with each value once, and only those that occur: no phantom speakers."""
        there = np.bincount(self.codes, minlength=len(self.values)) > 0
        if there.all() and len(set(self.values)) == len(self.values):
            return self
        values = dict.fromkeys(
            v for v, is_there in zip(self.values, there, strict=True) if is_there
        )
        code_of = {value: k for k, value in enumerate(values)}
        return Names(self.recode(code_of).astype(np.int32), tuple(values))

    def recode(self, code_of: dict[str, int]) -> NDArray[np.int64]:
        """Codes in another list of names; −1 where a name is not in it."""
        table = np.array([code_of.get(value, -1) for value in self.values], np.int64)
        return table[self.codes] if table.size else np.empty(0, np.int64)


@dataclass(frozen=True)
class Trials:
    """What one file says of each trial; a column it does not have is None.

    ``line`` is the line (or row) of each trial in the file, for the sentences about it.
    """

    path: str
    format: str
    line: NDArray[np.int64]
    enrol: Names | None = None
    trial: Names | None = None
    score: NDArray[np.float64] | None = None
    label: NDArray[np.bool_] | None = None
    enrol_speaker: Names | None = None
    trial_speaker: Names | None = None
    problems: tuple[Problem, ...] = field(default=())

    def __len__(self) -> int:
        return int(self.line.size)


def first_of_equal(values: NDArray[np.int64], order: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each value the place of its first equal; ``order`` sorts them stably.

    Places that are not in ``order`` keep their own.
    """
    first = np.arange(values.size)
    ranked = values[order]
    new = np.ones(order.size, bool)
    new[1:] = ranked[1:] != ranked[:-1]
    start = np.maximum.accumulate(np.where(new, np.arange(order.size), 0))
    first[order] = order[start]
    return first


def conflicting(first: NDArray[np.intp], label: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Trials that are listed with both labels."""
    differs = np.zeros(first.size, bool)
    differs[first[label != label[first]]] = True
    return differs[first]
