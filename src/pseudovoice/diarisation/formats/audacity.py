"""Audacity's labels: a line ``start  end  label`` with tabs for each, the label being the person.

A file belongs to one recording, whose name it does not hold: it is that of the file.
"""

from __future__ import annotations

from collections.abc import Iterable

from pseudovoice.diarisation.formats.faults import FormatFault, turn_of
from pseudovoice.diarisation.formats.names import plain
from pseudovoice.diarisation.turns import Turns


def read_audacity(text: str, stem: str) -> list[Turns]:
    turns = []
    for number, line in enumerate(text.splitlines(), 1):
        # A line that begins with a backslash gives the frequencies of the label before it.
        if not line.strip() or line.startswith("\\"):
            continue
        fields = line.split("\t", 2)
        if len(fields) != 3:
            raise FormatFault(number, "is no label (start, end and person with tabs between)")
        # Where a language writes decimals with a comma, so does Audacity.
        start, end = (field.replace(",", ".") for field in fields[:2])
        turns.append(turn_of(start, end, fields[2], number))
    return [Turns.of(plain(stem), turns)]


def write_audacity(recordings: Iterable[Turns]) -> str:
    (one,) = recordings
    return "".join(f"{t.start:.6f}\t{t.end:.6f}\t{t.person}\n" for t in one.turns)
