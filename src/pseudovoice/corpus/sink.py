"""What libsndfile writes into: no error may leave a callback, and none may be lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import IO, TypeVar

T = TypeVar("T")


class Sink:
    """A file for libsndfile's callbacks, which have no way to say what went wrong.

    An exception inside one is printed and forgotten, and a short count ends in an error without a
    reason, or for Ogg and MP3 in none. So from the first error on everything seems to succeed and
    nothing is written; :meth:`check` raises that error once libsndfile has closed.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._failure: OSError | None = None
        self._at = self._length = 0

    def write(self, data: bytes) -> int:
        self._attempt(lambda: self._stream.write(data))
        self._at += len(data)
        self._length = max(self._length, self._at)
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._length}[whence]
        self._at = base + offset
        self._attempt(lambda: self._stream.seek(self._at))
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, count: int) -> bytes:
        found = self._attempt(lambda: self._stream.read(count)) or b""
        self._at += len(found)
        return found

    def _attempt(self, action: Callable[[], T]) -> T | None:
        if self._failure is None:
            try:
                return action()
            except OSError as error:
                self._failure = error
        return None

    def check(self) -> None:
        """Raise the first error, or one for bytes that are not there although nothing failed."""
        self._attempt(self._stream.flush)
        if self._failure is not None:
            raise self._failure
        there = os.fstat(self._stream.fileno()).st_size
        if there != self._length:
            raise OSError(f"{there} of {self._length} bytes are on the disk")
