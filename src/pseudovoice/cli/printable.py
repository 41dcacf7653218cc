"""Text that a terminal may be given."""

from __future__ import annotations

from pseudovoice.storage.near import named


def printable(text: str) -> str:
    """Text from data without control characters, which could move a terminal's cursor or worse.

    Addresses stand in it as they were given.
    """
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in named(text))
