"""Texts as cells of CSV and TSV files, which somebody may open in a spreadsheet.

A cell that begins like a formula is run as one: a speaker called ``=HYPERLINK(…)`` would act on
whoever looks at a table. Such a text gets a ``'`` before it, the spreadsheets' own mark of text;
numbers need none. A text that would look as if it had been marked is marked too, so that reading
gives back what was written, whatever that was. Paths get ``./`` instead and stay paths.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import Any

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Beginnings by which a spreadsheet takes a text for a formula."""

_MARK = "'"
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def as_cell(text: str) -> str:
    """The text so that no spreadsheet runs it."""
    bare = text.lstrip(_MARK)
    if not bare.startswith(FORMULA) or (bare is text and _NUMBER.fullmatch(text)):
        return text
    return _MARK + text


def from_cell(cell: str) -> str:
    """The text that was written as a cell."""
    if cell.startswith(_MARK) and cell.lstrip(_MARK).startswith(FORMULA):
        return cell.removeprefix(_MARK)
    return cell


def as_path_cell(path: str) -> str:
    """The path so that no spreadsheet runs it and every program finds the file."""
    return f"./{path}" if path.startswith(FORMULA) else path


class _Lines(list[str]):
    """Lines with ``\\n`` at their end, written with ``\\r\\n``.

    The csv module quotes only the line ends it writes itself: with ``\\n`` alone, an id that
    holds ``\\r`` would begin a new row.
    """

    def write(self, line: str) -> None:
        self.append(line.removesuffix("\r\n") + "\n")


def to_csv(records: Sequence[dict[str, Any]], columns: Sequence[str]) -> str:
    """Records as CSV; a text that a spreadsheet would run as a formula is marked with ``'``."""
    out = _Lines()
    writer = csv.DictWriter(out, columns)
    writer.writeheader()
    for record in records:
        cells = {name: record[name] for name in columns}
        writer.writerow({n: as_cell(v) if isinstance(v, str) else v for n, v in cells.items()})
    return "".join(out)
