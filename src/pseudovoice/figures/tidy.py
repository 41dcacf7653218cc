"""The tidy data behind a figure: columns of equal length, and how they become a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from typing import Any

import numpy as np

from pseudovoice.cells import as_cell

Columns = dict[str, list[Any]]
"""Name → values; all columns are equally long, one row per thing drawn."""


def columns(**values: Iterable[Any]) -> Columns:
    """Columns of plain Python values, checked to be equally long."""
    made = {
        name: column.tolist() if isinstance(column, np.ndarray) else list(column)
        for name, column in values.items()
    }
    if len({len(column) for column in made.values()}) > 1:
        raise ValueError(f"columns of different lengths: { {k: len(v) for k, v in made.items()} }")
    return made


def stack(tables: Iterable[Columns]) -> Columns:
    """One table below the other; they have the same columns."""
    out: Columns = {}
    for table in tables:
        for name, column in table.items():
            out.setdefault(name, []).extend(column)
    return out


def to_csv(table: Columns) -> str:
    """The table as CSV: full precision, absent values empty, names harmless in a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    for row in zip(*table.values(), strict=True):
        writer.writerow([_cell(value) for value in row])
    return text.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return as_cell(value) if isinstance(value, str) else str(value)
