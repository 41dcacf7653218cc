"""A draw that is the same on every machine: by the hash of a name, whatever the order."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def drawn(items: Sequence[T], count: int, name_of: Callable[[T], str]) -> list[T]:
    """``count`` of the items, or all if there are fewer, in their own order.

    An item is drawn or not by its own name: who adds a recording changes nothing for the others.
    """

    def rank(k: int) -> bytes:
        return hashlib.sha256(f"pseudovoice demo\0{name_of(items[k])}".encode()).digest()

    kept = sorted(range(len(items)), key=rank)[:count]
    return [items[k] for k in sorted(kept)]
