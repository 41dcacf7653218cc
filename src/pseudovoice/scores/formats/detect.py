"""Which format a score or key file has: detected, echoed, refused when two fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from pseudovoice.errors import InputError, UsageError
from pseudovoice.scores.formats.bosaris import read_bosaris
from pseudovoice.scores.formats.table import bad_labels, labels_of, read_table
from pseudovoice.scores.formats.text import first_lines, read_columns
from pseudovoice.scores.trials import LABELS, Names, Trials

TEXT_FORMATS: dict[str, tuple[str, ...]] = {
    "scores": ("enrol", "trial", "score"),
    "wespeaker": ("enrol", "trial", "score", "label"),
    "score-label": ("score", "label"),
    "label-score": ("label", "score"),
    "kaldi-key": ("enrol", "trial", "label"),
    "voxceleb-key": ("label", "enrol", "trial"),
}
"""Text formats by name: what each column holds."""

FORMATS = (*TEXT_FORMATS, "csv", "tsv", "parquet", "bosaris")


def read_trials(path: str | Path, needs: str, format: str = "auto") -> Trials:
    """Read a file of trials that holds at least what is needed: ``score`` or ``label``."""
    path = Path(path)
    if not path.exists():
        raise InputError(f"{path}: there is no such file; check the path.")
    if path.is_dir():
        raise InputError(f"{path}: this is a folder; name the file in it.")
    if format != "auto" and format not in FORMATS:
        raise UsageError(f"There is no format {format!r}; choose one of {', '.join(FORMATS)}.")
    found = detect(path, needs) if format == "auto" else format
    if found in TEXT_FORMATS:
        trials = _read_text(path, found)
    else:
        trials = read_bosaris(path) if found == "bosaris" else read_table(path, found)
    if getattr(trials, needs) is None:
        raise InputError(
            f"{path}: this {found} file holds no {needs}s; "
            + (
                "give it as --trials and name a file with scores."
                if needs == "score"
                else "name the file with target and nontarget."
            )
        )
    return trials


def detect(path: Path, needs: str) -> str:
    """The one format that fits the file's beginning; a sentence where none or two do."""
    with path.open("rb") as raw:
        magic = raw.read(8)
    if magic[:4] == b"PAR1":
        return "parquet"
    if magic == b"\x89HDF\r\n\x1a\n":
        return "bosaris"
    rows = first_lines(path)
    if path.suffix.lower() in (".csv", ".tsv"):
        return path.suffix.lower()[1:]
    if len(rows[0]) == 1 and "," in rows[0][0]:
        return "csv"
    width = Counter(len(row) for row in rows).most_common(1)[0][0]
    columns = list(zip(*(row for row in rows if len(row) == width), strict=True))
    fits = [
        name
        for name, holds in TEXT_FORMATS.items()
        if needs in holds
        and len(holds) == width
        and all(_mostly(_LOOKS[kind], columns[k]) for k, kind in enumerate(holds))
    ]
    if len(fits) == 1:
        return fits[0]
    if not fits:
        known = [_layout(name) for name, holds in TEXT_FORMATS.items() if needs in holds]
        raise InputError(
            f"{path}: the first line ({' '.join(rows[0])[:80]}) fits no known format with a "
            f"{needs}; expected {', '.join(known)}, or a CSV, Parquet or BOSARIS file."
        )
    raise InputError(
        f"{path}: the file could be {fits[0]} ({_layout(fits[0])}) or {fits[1]} "
        f"({_layout(fits[1])}); say which with --format {path.name}={fits[0]}."
    )


def _layout(name: str) -> str:
    return "'" + " ".join(TEXT_FORMATS[name]) + "'"


def _is_label(value: str) -> bool:
    return value.lower() in LABELS


def _is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return True


def _is_id(value: str) -> bool:
    return bool(value)


_LOOKS: dict[str, Callable[[str], bool]] = {
    "label": _is_label,
    "score": _is_number,
    "enrol": _is_id,
    "trial": _is_id,
}


def _mostly(is_kind: Callable[[str], bool], column: tuple[str, ...]) -> bool:
    """Whether most values are of a kind: a bad line must not hide the format."""
    return sum(map(is_kind, column)) > len(column) / 2


def _read_text(path: Path, format: str) -> Trials:
    holds = TEXT_FORMATS[format]
    read = read_columns(path, holds, numbers=[kind for kind in holds if kind == "score"])
    columns, line, problems = read.columns, read.line, list(read.problems)
    keep = np.ones(line.size, bool)
    label = None
    if "label" in columns:
        assert isinstance(columns["label"], Names)
        label, bad = labels_of(columns["label"])
        if bad.any():
            problems.append(bad_labels(path, line[bad]))
            keep = ~bad
            label = label[keep]
    ids = {
        kind: column.take(keep)
        for kind, column in columns.items()
        if kind != "label" and isinstance(column, Names)
    }
    score = columns.get("score")
    return Trials(
        str(path),
        format,
        line[keep],
        **ids,
        score=score[keep] if isinstance(score, np.ndarray) else None,
        label=label,
        problems=tuple(problems),
    )
