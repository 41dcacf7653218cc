"""Tables of all pairs of speakers: in memory while they are small, else in a file without a name.

What 10,000 speakers have with each other on a hundred rungs are 10 GB in the narrowest integers
that hold it. Whoever uses a table goes over it by panels of rows, so that memory holds a few of
these, and whatever the system has to spare for files.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from pseudovoice.errors import InputError

MOST_HELD = 1 << 28
"""Bytes of a table that is held in memory."""

PANEL = 1 << 24
"""Bytes of a panel: what one task is given of a table."""

PairTable = NDArray[Any]
"""An array of the shape (speakers, speakers) or (speakers, speakers, rungs)."""


def pair_table(shape: tuple[int, ...], dtype: DTypeLike) -> PairTable:
    """A table of zeros; one in a file goes with the table, and with the program at the latest."""
    size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
    if size <= MOST_HELD:
        return np.zeros(shape, dtype)
    with tempfile.TemporaryFile(prefix="pseudovoice-") as file:
        try:
            # Asked for now: a disk that is full only when a page is written ends the program.
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size)
            return np.memmap(file, dtype, "r+", shape=shape)
        except OSError as error:
            raise InputError(
                f"{tempfile.gettempdir()}: {shape[0]:,} speakers need a table of "
                f"{size / 1e9:.1f} GB there ({error.strerror or error}); set TMPDIR to a folder "
                "with more room, or assess fewer speakers at once."
            ) from None


def is_held(table: PairTable) -> bool:
    """Whether a table is small enough for memory."""
    return table.nbytes <= MOST_HELD


def narrowest(most: int) -> np.dtype[Any]:
    """The integers that hold counts up to ``most`` in the least room."""
    return np.min_scalar_type(most) if most < 1 << 32 else np.dtype(np.uint32)


def panels(table: PairTable) -> Iterator[tuple[int, int]]:
    """First row of each panel and the one after its last, in order."""
    rows = max(1, PANEL // max(1, table[0].nbytes))
    for first in range(0, len(table), rows):
        yield first, min(first + rows, len(table))


def put_rows(table: PairTable, part: PairTable, first: int, *, symmetric: bool) -> None:
    """Take over what some speakers have with all; of a symmetric table only later columns count.

    What those have as columns is the same again.
    """
    last = first + len(part)
    if not symmetric:
        table[first:last] = part
        return
    table[first:last, last:] = part[:, last:]
    table[last:, first:last] = part[:, last:].swapaxes(0, 1)
    for k in range(len(part)):
        table[first + k, first + k : last] = part[k, first + k : last]
        table[first + k : last, first + k] = part[k, first + k : last]


def is_symmetric(table: PairTable) -> bool:
    """Whether the pair (i, j) has what (j, i) has."""
    return all(
        np.array_equal(table[first:last, first:], table[first:, first:last].swapaxes(0, 1))
        for first, last in panels(table)
    )
