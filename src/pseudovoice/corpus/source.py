"""What decoders read from: a read that fails must not pass for the end of the file."""

from __future__ import annotations

import io
import os


class Source:
    """An open file for the callbacks of libsndfile and FFmpeg, which cannot say what went wrong.

    libsndfile itself takes a failed read for a short one: in the header it then goes on with zeros,
    and 16-bit samples become 8-bit ones without a word. So the first error is kept, and
    :meth:`check` raises it.
    """

    def __init__(self, descriptor: int) -> None:
        self._file = io.FileIO(descriptor, closefd=False)
        self._failure: OSError | None = None

    def readinto(self, buffer: memoryview) -> int:
        try:
            return self._file.readinto(buffer) or 0
        except OSError as error:
            self._failure = self._failure or error
            return 0

    def read(self, count: int) -> bytes:
        try:
            return self._file.read(count) or b""
        except OSError as error:
            self._failure = self._failure or error
            return b""

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        try:
            return self._file.seek(offset, whence)
        except OSError:  # before the beginning: libsndfile asks, and goes on without
            return -1

    def tell(self) -> int:
        return self._file.tell()

    def check(self) -> None:
        """Raise the first error."""
        if self._failure is not None:
            raise self._failure
