"""Memory that nobody uses any more, given back."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache

LARGE = 1 << 22
"""Bytes of what is mapped for itself from the first call of :func:`give_back` on."""

_MMAP_THRESHOLD = -3


def give_back() -> None:
    """Give the system the pages that are free, where its allocator would keep them.

    glibc learns to take large arrays from its heap once some were freed. Between them small things
    stay, and the heap of a long run grows by what no longer fits the gaps. So it is told not to
    learn that, and to give back what is free of the rest.
    """
    _trim()(0)


@cache
def _trim() -> Callable[[int], int]:
    if sys.platform != "linux":
        return lambda _: 0
    try:
        library = ctypes.CDLL(None)
        trim = library.malloc_trim
        library.mallopt(_MMAP_THRESHOLD, LARGE)
    except (AttributeError, OSError):  # a C library other than GNU's
        return lambda _: 0
    trim.argtypes, trim.restype = [ctypes.c_size_t], ctypes.c_int
    return lambda kept: int(trim(kept))
