"""CSV, TSV and Parquet tables of trials, columns by name."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from pseudovoice.errors import InputError, Problem, few
from pseudovoice.scores.formats.text import (
    Column,
    Separation,
    TextColumns,
    bad_numbers,
    is_empty,
    parse_numbers,
    read_columns,
    to_names,
)
from pseudovoice.scores.trials import LABELS, Names, Trials

COLUMNS = {
    "enrol": ("enrol", "enroll", "enrolment", "enrollment", "model", "modelid", "utt1", "enrol_id"),
    "trial": ("trial", "test", "segment", "segmentid", "utt2", "trial_id", "test_id"),
    "score": ("score", "llr", "scores"),
    "label": ("label", "target", "mated", "key", "is_target"),
    "enrol_speaker": ("enrol_speaker", "enroll_speaker", "enrol_spk", "spk1"),
    "trial_speaker": ("trial_speaker", "test_speaker", "trial_spk", "spk2"),
}
"""What a column may be called, compared in lower case."""

DELIMITERS = {"csv": ",", "tsv": "\t"}


def read_table(path: Path, kind: str) -> Trials:
    """Read a table whose header names the columns; ``kind`` is ``csv``, ``tsv`` or ``parquet``."""
    read = _read_parquet(path) if kind == "parquet" else _read_separated(path, DELIMITERS[kind])
    return trials_of(path, kind, read)


def trials_of(path: Path, format: str, read: TextColumns) -> Trials:
    """Columns as trials; those without an id or a label that means something are left out."""
    problems = list(read.problems)
    keep = np.ones(read.line.size, bool)
    for side in ("enrol", "trial"):
        if side in read.columns and (empty := is_empty(read.names(side))).any():
            keep &= ~empty
            rows = read.line[empty]
            problems.append(
                Problem(
                    f"{path}:{rows[0]}",
                    f"{rows.size} line(s) have an empty {side} id (lines {few(rows.tolist())})",
                    "they are left out; name both sides of each trial",
                )
            )
    label = None
    if "label" in read.columns:
        label, bad = labels_of(read.names("label"))
        if bad.any():
            problems.append(bad_labels(path, read.line[bad]))
            keep &= ~bad
    kept = keep if not keep.all() else np.s_[:]  # most files are whole: no copies
    return Trials(
        str(path),
        format,
        read.line[kept],
        **{
            name: read.names(name).take(kept)
            for name in ("enrol", "trial", "enrol_speaker", "trial_speaker")
            if name in read.columns
        },
        score=read.numbers("score")[kept] if "score" in read.columns else None,
        label=None if label is None else label[kept],
        problems=tuple(problems),
    )


def labels_of(column: Names) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Mated or not, and where the label says neither."""
    meaning = [LABELS.get(value.lower()) for value in column.values]
    mated = np.array([value is True for value in meaning], bool)
    unknown = np.array([value is None for value in meaning], bool)
    return mated[column.codes], unknown[column.codes]


def bad_labels(path: Path, lines: NDArray[np.int64]) -> Problem:
    """The sentence about labels that say neither mated nor non-mated."""
    return Problem(
        f"{path}:{lines[0]}",
        f"{lines.size} line(s) have a label that is neither target "
        f"nor nontarget (lines {few(lines.tolist())})",
        "they are left out; write target or nontarget, or 1 or 0",
    )


def _read_separated(path: Path, delimiter: str) -> TextColumns:
    """A CSV or TSV file. Ids stay text: 007 is not 7."""
    header, line = _header(path, delimiter)
    field_of = {column: field for field, column in columns_of(header, path).items()}
    return read_columns(
        path,
        [field_of.get(column, "") for column in header],
        numbers=("score",),
        separation=Separation(delimiter, quoted=True, header=line),
    )


def _header(path: Path, delimiter: str) -> tuple[list[str], int]:
    """The first row that is not blank, and its line."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.reader(file, delimiter=delimiter)
            for row in rows:
                if any(cell.strip() for cell in row):
                    return row, rows.line_num
    except UnicodeDecodeError:
        raise InputError(f"{path}: this is not UTF-8 text; convert the file to UTF-8.") from None
    except csv.Error as error:
        raise InputError(f"{path}: the header cannot be read ({error}); write it again.") from None
    raise InputError(f"{path}: the file is empty; there is nothing to read.")


def _read_parquet(path: Path) -> TextColumns:
    try:
        # Not read_table(): it takes folder names such as label=1 for columns.
        with pq.ParquetFile(path) as file:
            found = columns_of(file.schema_arrow.names, path)
            table = file.read(list(found.values()))
        columns: dict[str, Column] = {
            field: to_names(_text(table[name])) for field, name in found.items() if field != "score"
        }
        score = _numbers(table[found["score"]]) if "score" in found else None
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        why = str(error).strip().partition("\n")[0]
        raise InputError(
            f"{path}: the Parquet table cannot be read ({why}); write it again, ids as text "
            "and scores as numbers."
        ) from None
    line = np.arange(1, table.num_rows + 1)
    if score is None:
        return TextColumns(columns, line, [])
    values, bad = score
    keep = ~bad
    kept = {name: c.take(keep) for name, c in columns.items() if isinstance(c, Names)}
    return TextColumns({**kept, "score": values[keep]}, line[keep], bad_numbers(path, line[bad]))


def _text(column: Any) -> Any:
    """A column as text: whole numbers as such, so that 1.0 of a nullable column is 1."""
    return column if pa.types.is_dictionary(column.type) else column.cast(pa.string())


def _numbers(column: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """A column as numbers, and where it holds none."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        values = column.cast(pa.float64(), safe=False)
        return values.to_numpy(), values.is_null().to_numpy()
    return parse_numbers(column.cast(pa.string()))


def is_header(cells: Sequence[str]) -> bool:
    """Whether the first line of a text file is a header: two names of columns or more."""
    known = {spelling for spellings in COLUMNS.values() for spelling in spellings}
    return len(cells) > 1 and sum(cell.strip().strip('"').lower() in known for cell in cells) > 1


def columns_of(header: Iterable[str], path: Path) -> dict[str, str]:
    """Which column of the file holds what."""
    found: dict[str, str] = {}
    header = list(header)
    for column in header:
        for field, spellings in COLUMNS.items():
            if column.strip().lower() in spellings:
                if field in found:
                    raise InputError(
                        f"{path}: the columns {found[field]} and {column} both look "
                        f"like the {field}; rename one of them."
                    )
                found[field] = column
    if not ({"enrol", "trial"} <= found.keys() or {"score", "label"} <= found.keys()):
        raise InputError(
            f"{path}: the header names {few(header)}; a table of trials needs columns "
            "enrol and trial, with score or label, or score and label."
        )
    return found
