"""CSV, TSV and Parquet tables of trials, columns by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyarrow import csv

from pseudovoice.errors import InputError, Problem, few
from pseudovoice.scores.formats.text import to_names
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


def read_table(path: Path, kind: str) -> Trials:
    """Read a table whose header names the columns; ``kind`` is ``csv``, ``tsv`` or ``parquet``."""
    table = _load(path, kind)
    found = _columns_of(table.column_names, path)
    line = np.arange(table.num_rows, dtype=np.int64) + (1 if kind == "parquet" else 2)
    names: dict[str, Names] = {
        field: to_names(table[column])
        for field, column in found.items()
        if field not in ("score", "label")
    }
    problems: list[Problem] = []
    score = label = None
    wrong = np.zeros(table.num_rows, bool)
    if "score" in found:
        score, bad = _numbers(table[found["score"]])
        if bad.any():
            rows = line[bad].tolist()
            problems.append(
                Problem(
                    f"{path}:{rows[0]}",
                    f"{len(rows)} row(s) hold no number in the "
                    f"column {found['score']} (rows {few(rows)})",
                    "they are left out; rescore these trials",
                )
            )
            wrong |= bad
    if "label" in found:
        label, bad = labels_of(to_names(table[found["label"]].cast(pa.string())))
        if bad.any():
            problems.append(bad_labels(path, line[bad]))
            wrong |= bad
    keep = ~wrong
    return Trials(
        str(path),
        kind,
        line[keep],
        **{field: column.take(keep) for field, column in names.items()},
        score=None if score is None else score[keep],
        label=None if label is None else label[keep],
        problems=tuple(problems),
    )


def labels_of(column: Names) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Mated or not, and where the label says neither."""
    meaning = [LABELS.get(value.lower()) for value in column.values]
    mated = np.array([value is True for value in meaning], bool)
    unknown = np.array([value is None for value in meaning], bool)
    if not meaning:
        return np.empty(0, bool), np.empty(0, bool)
    return mated[column.codes], unknown[column.codes]


def bad_labels(path: Path, lines: NDArray[np.int64]) -> Problem:
    """The sentence about labels that say neither mated nor non-mated."""
    return Problem(
        f"{path}:{lines[0]}",
        f"{lines.size} line(s) have a label that is neither target "
        f"nor nontarget (lines {few(lines.tolist())})",
        "they are left out; write target or nontarget, or 1 or 0",
    )


def _load(path: Path, kind: str) -> Any:
    try:
        if kind == "parquet":
            return pq.read_table(path)
        return csv.read_csv(
            path,
            parse_options=csv.ParseOptions(delimiter="\t" if kind == "tsv" else ","),
            convert_options=csv.ConvertOptions(
                null_values=[], strings_can_be_null=False, auto_dict_encode=True
            ),
        )
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(
            f"{path}: the {kind} table cannot be read ({str(error).splitlines()[0]}); "
            "write it again."
        ) from None


def _columns_of(header: list[str], path: Path) -> dict[str, str]:
    """Which column of the file holds what."""
    found: dict[str, str] = {}
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


def _numbers(column: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """A column as numbers, and where it holds none."""
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        values = column.cast(pa.float64())
        return values.to_numpy(), pc.is_null(values).to_numpy()
    text = to_names(column.cast(pa.string()))
    meaning = []
    for value in text.values:
        try:
            meaning.append((float(value), False))
        except (TypeError, ValueError):
            meaning.append((np.nan, True))
    values = np.array([value for value, _ in meaning])[text.codes]
    return values, np.array([bad for _, bad in meaning], bool)[text.codes]
