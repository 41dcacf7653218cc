"""The table that undoes slicing: which slice is which part of which utterance.

It is written only where the user asks for it, readable by its owner alone, and never into the
folder of the slices.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from pseudovoice.atomic import write_atomic
from pseudovoice.cells import as_cell, from_cell
from pseudovoice.errors import InputError, UsageError


@dataclass(frozen=True)
class Origin:
    """Where a slice comes from; ``position`` counts the slices of an utterance from 0."""

    slice: str
    utterance: str
    position: int
    start: float
    end: float
    speaker: str
    session: str
    text: str


_COLUMNS = tuple(field.name for field in fields(Origin))


def check_place(path: Path, out: Path) -> None:
    """Refuse a place for the table before any work: with the slices, or over something else.

    Only an earlier table may go. Whatever else has the name, or is a link to it, is a mistake: it
    may be the key.
    """
    if path.resolve().is_relative_to(out):
        raise UsageError(f"{path}: what undoes the slicing must not lie with the slices.")
    if not os.path.lexists(path):
        return
    try:
        if not path.is_file():
            raise ValueError
        with path.open(encoding="utf-8", newline="") as file:
            if file.readline(1000).strip() != ",".join(_COLUMNS):
                raise ValueError
    except (OSError, ValueError):
        raise UsageError(
            f"{path}: is there already and is no table of slices, so it is not overwritten; choose "
            "another name for `undo_table`."
        ) from None


def write_table(origins: Sequence[Origin], path: Path) -> None:
    """Write the table as CSV, by utterance and position."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(_COLUMNS)
    for origin in sorted(origins, key=lambda o: (o.speaker, o.utterance, o.position)):
        cells = [getattr(origin, name) for name in _COLUMNS]
        writer.writerow([as_cell(cell) if isinstance(cell, str) else cell for cell in cells])
    write_atomic(path, buffer.getvalue(), private=True)


def read_table(path: Path) -> tuple[Origin, ...]:
    """Read such a table; a bad line is an error, since an attack on half of it would mislead."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(
            f"{path}: there is no such table; `pseudovoice slice --undo-table FILE` writes one."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: the table of slices cannot be read ({error}).") from None
    try:
        return tuple(_origins(csv.DictReader(io.StringIO(text, newline="")), path))
    except csv.Error as error:
        raise InputError(f"{path}: the table of slices is damaged ({error}).") from None


def _origins(rows: csv.DictReader[str], path: Path) -> Iterator[Origin]:
    if not set(rows.fieldnames or ()).issuperset(_COLUMNS):
        raise InputError(
            f"{path}: is no table of slices, which has the columns {', '.join(_COLUMNS)}."
        )
    for row in rows:
        try:
            # Where a line is too short, the reader puts None for its cells; too long, for a name.
            if None in row or None in row.values():
                raise ValueError
            yield Origin(
                from_cell(row["slice"]),
                from_cell(row["utterance"]),
                int(row["position"]),
                float(row["start"]),
                float(row["end"]),
                from_cell(row["speaker"]),
                from_cell(row["session"]),
                from_cell(row["text"]),
            )
        except ValueError:
            raise InputError(
                f"{path}:{rows.line_num}: the line is not one of a table of slices; "
                "slice again with `pseudovoice slice --undo-table FILE`."
            ) from None
