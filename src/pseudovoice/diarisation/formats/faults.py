"""What is wrong with a file of turns, and the one way in which times are read."""

from __future__ import annotations

import math

from pseudovoice.diarisation.formats.names import plain
from pseudovoice.diarisation.turns import Turn

LONGEST = 1e7
"""Seconds: a turn that ends after four months is a mistake."""


class FormatFault(ValueError):
    """The line (None where there are none) and what is wrong with it, as the end of a sentence."""

    def __init__(self, line: int | None, what: str) -> None:
        super().__init__(what)
        self.line = line


def recording_of(name: object, line: int) -> str:
    """The name of a recording from what a file says."""
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise FormatFault(line, "does not say which recording it is of")
    return plain(name)


def turn_of(
    start: object, end: object, person: str, line: int | None, *, duration: bool = False
) -> Turn:
    """A turn from what a file says; with ``duration`` the second time is how long it lasts."""
    times = []
    for said in (start, end):
        try:
            time = float(said)  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise FormatFault(line, f"has {said!r} where a time in seconds should be") from None
        if not math.isfinite(time) or not 0.0 <= time <= LONGEST:
            raise FormatFault(line, f"has the time {said}, which lies in no recording")
        times.append(time)
    first, last = times[0], times[0] + times[1] if duration else times[1]
    if last < first:
        raise FormatFault(line, f"ends at {last:g} s, before it begins at {first:g} s")
    if not person.strip() or not person.isprintable():
        raise FormatFault(line, "does not say who speaks")
    return Turn(first, last, plain(person))
