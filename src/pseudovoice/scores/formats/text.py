"""Columns of separated text, streamed into arrays.

The file goes through Arrow's CSV reader in blocks; ids become dictionary codes on the way, so
that a hundred million trials cost arrays of numbers and one string per distinct id.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv

from pseudovoice.errors import InputError, Problem, few
from pseudovoice.scores.formats import lines
from pseudovoice.scores.trials import Names

Column = Names | NDArray[np.float64]

NUMBER = r"^[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf(inity)?|nan)$"
WRONG_LINES_SHOWN = 5


@dataclass(frozen=True)
class TextColumns:
    """The columns of a file by name, the line of each row, and what was wrong with the rest."""

    columns: dict[str, Column]
    line: NDArray[np.int64]
    problems: list[Problem]

    def names(self, column: str) -> Names:
        ids = self.columns[column]
        assert isinstance(ids, Names)
        return ids

    def numbers(self, column: str) -> NDArray[np.float64]:
        values = self.columns[column]
        assert isinstance(values, np.ndarray)
        return values


@dataclass(frozen=True)
class Separation:
    """How fields are told apart, and how many lines at the top are a header."""

    delimiter: str = " "
    quoted: bool = False
    header: int = 0


WHITE_SPACE = Separation()


def read_columns(
    path: Path,
    names: Sequence[str],
    numbers: Sequence[str] = (),
    separation: Separation = WHITE_SPACE,
) -> TextColumns:
    """Read a text file of ``len(names)`` columns; ``numbers`` names those that hold numbers.

    A column named ``""`` is not read. Blank lines are no lines. Lines with another number of
    fields, and numbers that are none, are listed and left out.
    """
    if path.stat().st_size == 0:
        raise InputError(f"{path}: the file is empty; there is nothing to read.")
    skipped: list[tuple[int, int]] = []
    wanted = [name for name in names if name]
    try:
        table = _read(path, names, numbers, separation, skipped)
    except pa.ArrowInvalid:  # a blank line or a bad number: read numbers as text to find them
        skipped.clear()
        try:
            table = _read(path, names, (), separation, skipped)
        except pa.ArrowInvalid as error:
            why = str(error).partition("\n")[0]
            raise InputError(
                f"{path}: no lines can be read from this file ({why}); write it again."
            ) from None
    read: dict[str, Column] = {}
    blank, wrong = np.ones(table.num_rows, bool), np.zeros(table.num_rows, bool)
    for name in wanted:
        column = table[name]
        if name not in numbers:
            ids = to_names(column, strip=separation.quoted)
            read[name] = ids
            blank &= is_empty(ids)
        elif pa.types.is_floating(column.type):
            read[name] = column.to_numpy()
            blank[:] = False
        else:
            text = column.cast(pa.string())
            blank &= pc.equal(pc.utf8_trim_whitespace(text), "").to_numpy()
            read[name], bad = parse_numbers(text)
            wrong |= bad
    first, last = separation.header + 1, separation.header + table.num_rows + len(skipped)
    line = np.delete(np.arange(first, last + 1), [number - first for number, _ in skipped])
    problems = _wrong_lines(path, skipped, len(names)) + bad_numbers(path, line[wrong & ~blank])
    if (wrong | blank).any():
        keep = ~(wrong | blank)
        line = line[keep]
        read = {
            name: column.take(keep) if isinstance(column, Names) else column[keep]
            for name, column in read.items()
        }
    return TextColumns(read, line, problems)


def is_empty(column: Names) -> NDArray[np.bool_]:
    """Where an id is the empty one."""
    empty: NDArray[np.bool_] = np.array([value == "" for value in column.values], bool)[
        column.codes
    ]
    return empty


def _read(
    path: Path,
    names: Sequence[str],
    numbers: Sequence[str],
    separation: Separation,
    skipped: list[tuple[int, int]],
) -> Any:
    def skip(row: Any) -> str:
        skipped.append((row.number, row.actual_columns))
        return "skip"

    ids = pa.dictionary(pa.int32(), pa.string())
    unread = [name or f"column {k}" for k, name in enumerate(names)]
    with path.open("rb") as raw:
        clean = lines.CleanLines(raw, path, squeeze=not separation.quoted)
        return csv.read_csv(
            io.BufferedReader(clean, lines.BLOCK),
            read_options=csv.ReadOptions(
                column_names=unread,
                skip_rows=separation.header,
                use_threads=False,
                block_size=lines.BLOCK,
            ),
            parse_options=csv.ParseOptions(
                delimiter=separation.delimiter,
                quote_char='"' if separation.quoted else False,
                escape_char=False,
                ignore_empty_lines=False,
                invalid_row_handler=skip,
            ),
            convert_options=csv.ConvertOptions(
                column_types={n: pa.float64() if n in numbers else ids for n in names if n},
                include_columns=[name for name in names if name],
                null_values=[],
                strings_can_be_null=False,
            ),
        )


def parse_numbers(text: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """A column of text as numbers, and where it holds none (they are NaN)."""
    text = pc.utf8_trim_whitespace(text)
    fits = pc.fill_null(pc.match_substring_regex(text, NUMBER, ignore_case=True), False)
    values = pc.cast(pc.if_else(fits, pc.utf8_ltrim(text, "+"), "nan"), pa.float64())
    return values.to_numpy(zero_copy_only=False), ~fits.to_numpy(zero_copy_only=False)


def _wrong_lines(path: Path, skipped: list[tuple[int, int]], expected: int) -> list[Problem]:
    problems = [
        Problem(
            f"{path}:{number}",
            f"the line has {fields} field(s) where {expected} are expected",
            "it is left out; correct the line",
        )
        for number, fields in skipped[:WRONG_LINES_SHOWN]
    ]
    if len(skipped) > WRONG_LINES_SHOWN:
        problems.append(
            Problem(
                str(path),
                f"{len(skipped) - WRONG_LINES_SHOWN} more lines have a wrong number of fields",
                "they are left out; correct the file",
            )
        )
    return problems


def bad_numbers(path: Path, line: NDArray[np.int64]) -> list[Problem]:
    """The sentence about lines whose score is no number."""
    if not line.size:
        return []
    return [
        Problem(
            f"{path}:{line[0]}",
            f"{line.size} line(s) hold something that is not "
            f"a number where a score is expected (lines {few(line.tolist())})",
            "they are left out; rescore these trials",
        )
    ]


def to_names(column: Any, *, strip: bool = False) -> Names:
    """An Arrow column of ids as codes and distinct values; no id at all is the empty one."""
    if isinstance(column, pa.ChunkedArray):
        column = column.unify_dictionaries().combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # no chunk at all, or too large for one
        column = pa.concat_arrays(column.chunks or [pa.array([], pa.string())])
    if not pa.types.is_dictionary(column.type):
        column = pc.dictionary_encode(column.cast(pa.string()))
    values = column.dictionary.cast(pa.string()).to_pylist()
    values = [value if value is not None else "" for value in values]
    codes = pc.fill_null(column.indices.cast(pa.int32()), len(values)).to_numpy(
        zero_copy_only=False
    )
    values = [*values, ""] if column.indices.null_count else values
    if codes.size and not 0 <= codes.min() <= codes.max() < len(values):
        raise pa.ArrowInvalid("an id points outside the list of ids")
    return Names(codes, tuple(v.strip() for v in values) if strip else tuple(values)).distinct()
