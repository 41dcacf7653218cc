"""The bytes of a file, however large, some at a time."""

from __future__ import annotations

import mmap
from collections.abc import Iterator

Bytes = bytes | memoryview

SIZE = 1 << 24
OVERLAP = 1 << 12
"""Bytes that the next window has too: longer than anything that is looked for."""


def windows(data: Bytes) -> Iterator[memoryview]:
    """All bytes; pages of a mapped file are given back once they were looked at."""
    whole = memoryview(data)
    owner = whole.obj
    for start in range(0, len(whole), SIZE):
        with whole[start : start + SIZE + OVERLAP] as window:
            yield window
        if isinstance(owner, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            owner.madvise(mmap.MADV_DONTNEED, start, min(SIZE, len(whole) - start))
