"""Memory that nobody uses any more, given back."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache


def give_back() -> None:
    """Give the system the pages that are free, where its allocator would keep them.

    glibc learns to take large arrays from its heap once some were freed. Between them small things
    stay, and the heap of a long run grows by what no longer fits the gaps.
    """
    _trim()(0)


@cache
def _trim() -> Callable[[int], int]:
    if sys.platform != "linux":
        return lambda _: 0
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError):  # a C library other than GNU's
        return lambda _: 0
    trim.argtypes, trim.restype = [ctypes.c_size_t], ctypes.c_int
    return lambda kept: int(trim(kept))
