"""Bytes of an open file from any place in it, on any system."""

from __future__ import annotations

import os


def read_at(descriptor: int, count: int, offset: int) -> bytes:
    """Up to ``count`` bytes from ``offset``; the file then stands at its beginning again.

    ``os.pread`` would do it in one call, but Windows has none. Whoever reads on, libsndfile
    above all, takes the place where the file stands for its beginning.
    """
    os.lseek(descriptor, offset, os.SEEK_SET)
    parts = []
    try:
        # One call may give less than was asked for, and never gives more than 2 GB.
        while count > 0 and (part := os.read(descriptor, count)):
            parts.append(part)
            count -= len(part)
    finally:
        os.lseek(descriptor, 0, os.SEEK_SET)
    return b"".join(parts)
