"""Columns of white-space separated text, streamed into arrays.

The file goes through Arrow's CSV reader in blocks; ids become dictionary codes on the way, so
that a hundred million trials cost arrays of numbers and one string per distinct id.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow import csv

from pseudovoice.errors import InputError, Problem, few
from pseudovoice.scores.trials import Names

BLOCK = 1 << 23
_RUNS = re.compile(rb" {2,}")
_EDGES = re.compile(rb"^ | $", re.MULTILINE)
_TO_SPACE = bytes.maketrans(b"\t\v\f", b"   ")


class _SingleSpaced(io.RawIOBase):
    """A file with tabs and runs of spaces turned into one space, line ends into \\n.

    Arrow splits at one delimiter character; Kaldi files use whatever white space they like.
    """

    def __init__(self, raw: BinaryIO) -> None:
        self._raw, self._ready, self._rest, self._first = raw, memoryview(b""), b"", True

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            block = self._raw.read(BLOCK)
            if self._first:
                block, self._first = block.removeprefix(b"\xef\xbb\xbf"), False
            whole = self._rest + block
            cut = len(whole) if not block else whole.rfind(b"\n") + 1
            if not block and not whole:
                return 0
            self._rest = whole[cut:] if block else b""
            self._ready = memoryview(_single_spaced(whole[:cut]))
        n = min(len(buffer), len(self._ready))
        buffer[:n], self._ready = self._ready[:n], self._ready[n:]
        return n


def _single_spaced(text: bytes) -> bytes:
    text = text.translate(_TO_SPACE, b"\r")
    if b"  " in text:
        text = _RUNS.sub(b" ", text)
    if b" \n" in text or b"\n " in text or text[:1] == b" " or text[-1:] == b" ":
        text = _EDGES.sub(b"", text)
    return text


def first_lines(path: Path, lines: int = 1000) -> list[list[str]]:
    """The fields of the first non-empty lines, to tell the format by."""
    with path.open("rb") as raw:
        head = raw.read(1 << 18)
    text = _single_spaced(head.removeprefix(b"\xef\xbb\xbf"))
    if b"\0" in text:
        raise InputError(
            f"{path}: this is a binary file of no known format; give scores as text, "
            "CSV, Parquet or BOSARIS HDF5."
        )
    try:
        whole = text.decode("utf-8", errors="strict" if len(head) < 1 << 18 else "ignore")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: this is not UTF-8 text (byte {error.start}); convert the file to UTF-8."
        ) from None
    rows = [line.split() for line in whole.split("\n")[:lines] if line.strip()]
    if not rows:
        raise InputError(f"{path}: the file is empty; there is nothing to read.")
    return rows if len(head) < 1 << 18 else rows[:-1] or rows


@dataclass(frozen=True)
class TextColumns:
    """The columns of a text file by name, the line of each row, and what was wrong elsewhere."""

    columns: dict[str, Names | NDArray[np.float64]]
    line: NDArray[np.int64]
    problems: list[Problem]


def read_columns(path: Path, names: Sequence[str], numbers: Sequence[str] = ()) -> TextColumns:
    """Read a text file of ``len(names)`` columns; ``numbers`` names those that hold numbers.

    Lines with another number of fields, and numbers that are none, are listed and left out.
    """
    skipped: list[tuple[int, int]] = []

    def skip(row: Any) -> str:
        skipped.append((row.number, row.actual_columns))
        return "skip"

    types = {
        name: pa.float64() if name in numbers else pa.dictionary(pa.int32(), pa.string())
        for name in names
    }
    try:
        table = _read(path, names, types, skip)
        blank = wrong = np.zeros(table.num_rows, bool)
        if names[0] not in numbers:
            blank = pc.equal(table[names[0]].cast(pa.string()), "").to_numpy()
    except pa.ArrowInvalid as error:
        if "UTF8" in str(error) or "UTF-8" in str(error):
            raise InputError(
                f"{path}: this is not UTF-8 text; convert the file to UTF-8."
            ) from None
        skipped.clear()
        table, blank, wrong = _read_with_bad_numbers(path, names, numbers, types, skip)
    total = table.num_rows + len(skipped)
    line = np.delete(np.arange(1, total + 1), [number - 1 for number, _ in skipped])
    problems = [
        Problem(
            f"{path}:{number}",
            f"the line has {fields} field(s) where {len(names)} are expected",
            "it is left out; correct the line",
        )
        for number, fields in skipped[:5]
    ]
    if len(skipped) > 5:
        problems.append(
            Problem(
                str(path),
                f"{len(skipped) - 5} more lines have a wrong number of fields",
                "they are left out; correct the file",
            )
        )
    if (wrong & ~blank).any():
        bad = line[wrong & ~blank].tolist()
        problems.append(
            Problem(
                f"{path}:{bad[0]}",
                f"{len(bad)} line(s) hold something that is not "
                f"a number where a score is expected (lines {few(bad)})",
                "they are left out; rescore these trials",
            )
        )
    if (wrong | blank).any():
        kept = ~(wrong | blank)
        table, line = table.filter(pa.array(kept)), line[kept]
    columns = {
        name: table[name].to_numpy() if name in numbers else to_names(table[name]) for name in names
    }
    return TextColumns(columns, line, problems)


def _read(path: Path, names: Sequence[str], types: dict[str, Any], skip: Any) -> Any:
    with path.open("rb") as raw:
        return csv.read_csv(
            io.BufferedReader(_SingleSpaced(raw), BLOCK),
            read_options=csv.ReadOptions(
                column_names=list(names), use_threads=False, block_size=BLOCK
            ),
            parse_options=csv.ParseOptions(
                delimiter=" ",
                quote_char=False,
                escape_char=False,
                ignore_empty_lines=False,
                invalid_row_handler=skip,
            ),
            convert_options=csv.ConvertOptions(
                column_types=types, null_values=[], strings_can_be_null=False
            ),
        )


def _read_with_bad_numbers(
    path: Path,
    names: Sequence[str],
    numbers: Sequence[str],
    types: dict[str, Any],
    skip: Any,
) -> tuple[Any, NDArray[np.bool_], NDArray[np.bool_]]:
    """Read again with the numbers as text, to find the lines that are blank or hold none."""
    as_text = {name: pa.string() if name in numbers else kind for name, kind in types.items()}
    table = _read(path, names, as_text, skip)
    wrong = np.zeros(table.num_rows, bool)
    blank = pc.equal(table[names[0]].cast(pa.string()), "").to_numpy()
    for name in numbers:
        column = table[name].combine_chunks()
        fits = pc.match_substring_regex(
            column,
            r"^[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf(inity)?|nan)$",
            ignore_case=True,
        )
        values = pc.cast(pc.if_else(fits, pc.utf8_ltrim(column, "+"), "nan"), pa.float64())
        wrong |= ~fits.to_numpy(zero_copy_only=False)
        table = table.set_column(table.schema.get_field_index(name), name, values)
    return table, blank, wrong


def to_names(column: Any) -> Names:
    """An Arrow column of ids as codes and distinct values."""
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(whole, pa.ChunkedArray):
        whole = pa.concat_arrays(whole.unify_dictionaries().chunks or [pa.array([], pa.string())])
    if not pa.types.is_dictionary(whole.type):
        whole = pc.dictionary_encode(whole.cast(pa.string()))
    return Names(
        whole.indices.to_numpy(zero_copy_only=False).astype(np.int32),
        tuple(whole.dictionary.to_pylist()),
    )
