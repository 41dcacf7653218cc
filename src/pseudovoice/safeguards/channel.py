"""One channel of a recording on its way through safeguards, however long it is."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.atomic import unwritable

SHORT = 1 << 21
"""Samples that are kept in memory, as one piece: two minutes at 16 kHz."""

PIECE = 1 << 18
"""Samples of a piece of anything longer."""


class Channel:
    """Samples of one channel: in memory while they are few, else in a private temporary file.

    The file has no name and lies on the disk of ``place``, the file that is to come of it, since
    a system's folder for temporary files is often memory. It keeps 32 bits a sample, and its space
    is free again as soon as nobody holds the channel. Without a place all stays in memory.
    """

    def __init__(self, place: Path | None, pieces: Iterable[NDArray[Any]] = ()) -> None:
        self._place = place
        self._kept: list[NDArray[np.float64]] = []
        self._file: IO[bytes] | None = None
        self._length = 0
        for piece in pieces:
            self._append(np.asarray(piece))

    def __del__(self) -> None:
        if self._file is not None:
            self._file.close()

    def another(self, pieces: Iterable[NDArray[Any]]) -> Channel:
        """A channel of these pieces in the same place."""
        return Channel(self._place, pieces)

    def __len__(self) -> int:
        return self._length

    def __eq__(self, other: object) -> bool:
        """Whether all samples are the same."""
        if self is other or not isinstance(other, Channel) or len(self) != len(other):
            return self is other
        return all(map(np.array_equal, self.pieces(), other.pieces()))

    __hash__ = None  # type: ignore[assignment]

    def part(self, first: int, last: int) -> NDArray[np.float64]:
        """Samples from ``first`` to before ``last``, as far as there are any."""
        first, last = max(0, first), min(last, self._length)
        if self._file is None:
            return self._all()[first:last]
        self._file.seek(4 * first)
        raw = self._file.read(4 * max(0, last - first))
        return np.frombuffer(raw, np.float32).astype(np.float64)

    def pieces(self) -> Iterator[NDArray[np.float64]]:
        """All samples from the first, piece by piece; may be asked for again and again."""
        size = PIECE if self._length > SHORT else SHORT
        for first in range(0, self._length, size):
            yield self.part(first, first + size)

    def _all(self) -> NDArray[np.float64]:
        if len(self._kept) != 1:
            self._kept = [np.concatenate([np.zeros(0), *self._kept])]
        return self._kept[0]

    def _append(self, samples: NDArray[Any]) -> None:
        self._length += samples.size
        if self._place is None or self._length <= SHORT:
            self._kept.append(np.asarray(samples, np.float64))
            return
        try:
            if self._file is None:
                self._place.parent.mkdir(parents=True, exist_ok=True)
                self._file = tempfile.TemporaryFile(dir=self._place.parent)  # noqa: SIM115
            for part in (*self._kept, samples):
                self._file.write(np.ascontiguousarray(part, np.float32).data)
            self._kept = []
            # Now, while the error can be said of this file, and not when something reads it.
            self._file.flush()
        except OSError as error:
            raise unwritable(self._place, error) from None


def of_length(pieces: Iterable[NDArray[np.float64]], length: int) -> Iterator[NDArray[np.float64]]:
    """Pieces of so many samples in all: cut, or filled with zeros at the end."""
    made = 0
    for piece in pieces:
        kept = piece[: length - made]
        made += kept.size
        yield kept
    yield np.zeros(length - made)


def whole(pieces: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
    """All pieces as one array."""
    return np.concatenate([np.zeros(0), *pieces])
