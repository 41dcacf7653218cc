"""What is fuzzed: one reader, the bytes it is given, and real inputs to begin with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pseudovoice.errors import PseudovoiceError

NEXT_FILE = b"\x1c"
"""Parts the files of one input; the old character for it, which no text has."""

DEEP = b"[" * 3000
"""JSON that is nested deeper than Python can go, which no engine is patient enough to find."""


@dataclass(frozen=True)
class Target:
    """A reader as a function of an empty folder and of bytes.

    ``read`` returns, or raises one of ``refusals`` with a sentence; whatever else it does is a
    finding, an AssertionError about what it returned too. ``seeds`` are inputs made by our own
    writers, in a folder of their own. ``words`` help the engine to guess what the format looks
    like, and ``smoke`` is how often the ordinary tests call it.
    """

    name: str
    read: Callable[[Path, bytes], object]
    seeds: Callable[[Path], Sequence[bytes]]
    words: Sequence[bytes] = ()
    refusals: tuple[type[Exception], ...] = (PseudovoiceError,)
    longest: int = 4096
    smoke: int = 200


def joined(*files: bytes) -> bytes:
    """Several files as one input."""
    return NEXT_FILE.join(files)


def parted(data: bytes, count: int) -> list[bytes]:
    """The files of one input: always so many, the last ones empty where too few are there."""
    parts = data.split(NEXT_FILE, count - 1)
    return parts + [b""] * (count - len(parts))


def chosen(data: bytes, choices: Sequence[str]) -> tuple[str, bytes]:
    """One of some choices, by the first byte, and the bytes after it."""
    return choices[data[0] % len(choices) if data else 0], data[1:]


def choosing(choice: str, choices: Sequence[str], data: bytes) -> bytes:
    """The input from which `chosen` takes this choice."""
    return bytes([choices.index(choice)]) + data
