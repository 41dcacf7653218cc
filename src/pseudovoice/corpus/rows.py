"""Rows of a CSV, TSV, JSON-lines or Parquet file, with the place of each for a sentence."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ..errors import Problem
from ..json_tree import json_tree
from .columns import ListedRow, find_columns, make_row, unmarked
from .faults import ItemFault, ListingError
from .lines import LONGEST_LINE, encoding_of, numbered_lines
from .naming import quoted, shown
from .register import Register

# A transcript of more lines than this is rather a forgotten quotation mark.
_MOST_LINES = 100
_DELIMITED = (".csv", ".tsv", ".txt")
SUFFIXES = (".csv", ".tsv", ".txt", ".jsonl", ".parquet")
WORKBOOKS = frozenset((".xlsx", ".xls", ".xlsm", ".ods", ".numbers"))
"""What spreadsheets keep, and we do not read."""


def read_rows(path: Path, register: Register) -> Iterator[ListedRow]:
    """Each good row; a bad one becomes a problem of the register.

    Raises ListingError if the file as a whole makes no table: empty, no header, not Parquet.
    """
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        return _parquet(path, register)
    if suffix == ".jsonl":
        return _json_lines(path, register)
    if suffix in _DELIMITED:
        return _delimited(path, register)
    known = ", ".join(SUFFIXES)
    raise ListingError(Problem(shown(path), "is not a table that can be read", f"use {known}"))


def header_of(path: Path) -> list[str]:
    """The column names, lower case, of a table; empty if they cannot be found out."""
    if path.suffix.lower() == ".parquet":
        return _parquet_header(path)
    register = Register(path, "table")
    try:
        lines = numbered_lines(path, register)
        if path.suffix.lower() == ".jsonl":
            names = list(json_tree(next(lines, (1, ""))[1]))
        else:
            first, delimiter = _first_line(path, lines)
            names = next(csv.reader([first], delimiter=delimiter))
    except (OSError, ValueError, TypeError, csv.Error, StopIteration):
        return []
    return _lower(names)


def _parquet_header(path: Path) -> list[str]:
    import pyarrow.parquet  # 30 MB, for those who have such tables

    try:
        return _lower(pyarrow.parquet.read_schema(path).names)
    except (OSError, pyarrow.ArrowException, ValueError):
        return []


def _lower(names: Iterable[object]) -> list[str]:
    return [str(name).strip().lower() for name in names]


def _first_line(path: Path, lines: Iterator[tuple[int, str]]) -> tuple[str, str]:
    """The line of the column names, empty if there is none, and what stands between cells.

    Spreadsheets write ; where the decimal sign is a comma, and tabs into what they call Unicode
    text; some programs say which to Excel, in a line of its own.
    """
    first = next((line for _, line in lines if line.strip()), "")
    said = first.strip()
    if said.lower().startswith("sep=") and len(said) == 5:
        return next((line for _, line in lines if line.strip()), ""), said[-1]
    if path.suffix.lower() == ".tsv":
        return first, "\t"
    return first, max((",", ";", "\t"), key=first.count)


def _delimited(path: Path, register: Register) -> Iterator[ListedRow]:
    lines = numbered_lines(path, register, blank=True, encoding=encoding_of(path))
    first, delimiter = _first_line(path, lines)
    if not first:
        raise _no_table(path, register)
    try:
        header = [cell.strip() for cell in next(csv.reader([first], delimiter=delimiter), [])]
    except csv.Error as error:
        what = f"the first line is not well-formed ({error})"
        raise ListingError(Problem(shown(path), what, "write the column names again")) from None
    columns = find_columns(header)
    if not columns:
        raise ListingError(
            Problem(
                shown(path),
                "the first line has none of the columns utt, path and speaker",
                "put the column names into the first line",
            )
        )
    double = sorted(name for name in columns.values() if header.count(name) > 1)
    if double:
        what = f"the first line has the column {quoted(double[0])} twice"
        raise ListingError(Problem(shown(path), what, "rename one of the two"))
    for place, cells, fault in _cells(path, lines, delimiter):
        try:
            if fault is not None:
                raise ItemFault(f"the row is not well-formed ({fault})", "correct the quotes")
            if len(cells) != len(header):
                raise ItemFault(
                    f"the row has {len(cells)} cells, the header has {len(header)}",
                    "quote cells that contain the separator",
                )
            row = unmarked(make_row(place, dict(zip(header, cells, strict=True)), columns))
            if delimiter != ",":
                row = replace(row, start=_decimal(row.start), end=_decimal(row.end))
        except ItemFault as item_fault:
            register.fault(place, item_fault)
            continue
        yield row


def _cells(
    path: Path, lines: Iterator[tuple[int, str]], delimiter: str
) -> Iterator[tuple[str, Sequence[str], str | None]]:
    """Place, cells and fault of each row; a quoted CSV cell may span lines, a TSV cell may not."""
    if delimiter == "\t":
        for number, line in lines:
            if line.strip():
                yield shown(path, number), [_unquoted(cell) for cell in line.split("\t")], None
        return
    # csv.reader over the whole file would let one forgotten quotation mark swallow every row up
    # to the next one; so rows are parsed singly, and lines that were taken in vain given back.
    returned: deque[tuple[int, str]] = deque()
    while (item := returned.popleft() if returned else next(lines, None)) is not None:
        number, text = item
        taken: list[tuple[int, str]] = []
        while text.strip():
            try:
                cells = next(csv.reader([text], delimiter=delimiter, strict=True))
            except csv.Error as error:
                more = None
                short = len(taken) < _MOST_LINES and len(text) < LONGEST_LINE
                if "unexpected end" in str(error) and short:
                    more = returned.popleft() if returned else next(lines, None)
                if more is not None:
                    taken.append(more)
                    text = f"{text}\n{more[1]}"
                    continue
                returned.extendleft(reversed(taken))
                yield shown(path, number), [], str(error)
            else:
                yield shown(path, number), cells, None
            break


def _decimal(seconds: str | None) -> str | None:
    """A number with its decimal point, which is a comma where cells are not parted by one."""
    return seconds if seconds is None else seconds.replace(",", ".")


def _unquoted(cell: str) -> str:
    # In TSV a quotation mark is a character like any other; but some writers quote whole cells.
    if len(cell) >= 2 and cell[0] == cell[-1] == '"':
        return cell[1:-1].replace('""', '"')
    return cell


def _json_lines(path: Path, register: Register) -> Iterator[ListedRow]:
    for place, record in json_records(path, register):
        try:
            row = make_row(place, record, find_columns([str(name) for name in record]))
        except ItemFault as fault:
            register.fault(place, fault)
            continue
        yield row


def json_records(path: Path, register: Register) -> Iterator[tuple[str, dict[str, object]]]:
    """Place and contents of each line that is a JSON object."""
    for number, line in numbered_lines(path, register):
        try:
            record = json_tree(line)
        except ValueError:
            record = None
        if isinstance(record, dict):
            yield shown(path, number), record
        else:
            register.problem(
                shown(path, number), "the line is not a JSON object", "correct it or remove it"
            )


def _parquet(path: Path, register: Register) -> Iterator[ListedRow]:
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as table:
            columns = find_columns(table.schema_arrow.names)
            number = 0
            for batch in table.iter_batches(columns=list(columns.values())):
                for cells in batch.to_pylist():
                    number += 1
                    place = f"{shown(path)}, row {number}"
                    try:
                        row = make_row(place, cells, columns)
                    except ItemFault as fault:
                        register.fault(place, fault)
                        continue
                    yield row
    except (OSError, pyarrow.ArrowException, UnicodeDecodeError) as error:
        # What pyarrow found in the file may be in its message.
        told = "".join(character for character in str(error)[:100] if character.isprintable())
        reason = told.strip(" .:") or "damaged"
        raise ListingError(
            Problem(shown(path), f"cannot be read as Parquet ({reason})", "write the file again")
        ) from None


def _no_table(path: Path, register: Register) -> ListingError:
    # If the file could not be opened, that sentence says more than "is empty".
    if register.problems and register.problems[-1].where == shown(path):
        return ListingError(register.problems.pop())
    return ListingError(Problem(shown(path), "is empty", "give a table with a header line"))
