"""Which format a score or key file has: detected, echoed, refused when two fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

from pseudovoice.errors import InputError, UsageError
from pseudovoice.scores.formats.bosaris import read_bosaris
from pseudovoice.scores.formats.lines import check_file, fields, first_lines
from pseudovoice.scores.formats.names import FORMATS, TEXT_FORMATS
from pseudovoice.scores.formats.table import DELIMITERS, is_header, read_table, trials_of
from pseudovoice.scores.formats.text import read_columns
from pseudovoice.scores.trials import LABELS, Trials

BELONGS = {
    "label": "a key: name it with `trials`",
    "score": "scores: name them with `oo`, `op`, `pp` or `pq`",
}
"""Where a file belongs that was given in the wrong place."""

Most = Callable[[Callable[[str], bool], tuple[str, ...]], bool]

MAGIC = {b"PAR1": "parquet", b"\x89HDF\r\n\x1a\n": "bosaris"}
FOREIGN = {
    b"\x1f\x8b": "a gzip file; unpack it first",
    b"PK\x03\x04": "a zip or npz file; embeddings go to `pseudovoice assess embeddings`",
    b"\xff\xfe": "UTF-16 text; convert the file to UTF-8",
    b"\xfe\xff": "UTF-16 text; convert the file to UTF-8",
}
"""Beginnings of files that people hand over by mistake."""


def read_trials(path: str | Path, needs: str, format: str = "auto") -> Trials:
    """Read a file of trials that holds at least what is needed: ``score`` or ``label``."""
    path = Path(path)
    check_file(path)
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
                "give it as `trials` and name a file with scores."
                if needs == "score"
                else "name the file with target and nontarget."
            )
        )
    if not len(trials):
        first = f" First: {trials.problems[0]}" if trials.problems else ""
        raise InputError(
            f"{path}: no line of this file can be used as {found}; correct the file, or say what "
            f"it is with `formats`.{first}"
        )
    return trials


def detect(path: Path, needs: str) -> str:
    """The one format that fits the file's beginning; a sentence where none or two do."""
    with path.open("rb") as raw:
        magic = raw.read(8)
    for beginning, format in MAGIC.items():
        if magic.startswith(beginning):
            return format
    for beginning, what in FOREIGN.items():
        if magic.startswith(beginning):
            raise InputError(f"{path}: this is {what}.")
    lines = first_lines(path)
    if path.suffix.lower() in (".csv", ".tsv"):
        return path.suffix.lower()[1:]
    for format, delimiter in DELIMITERS.items():
        if is_header(lines[0].split(delimiter)):
            return format
    rows = [fields(line) for line in lines]
    if len(rows[0]) == 1 and "," in rows[0][0]:
        return "csv"
    width = Counter(len(row) for row in rows).most_common(1)[0][0]
    columns = list(zip(*(row for row in rows if len(row) == width), strict=True))

    def fitting(most: Most, needs: str) -> list[str]:
        return [
            name
            for name, holds in _formats_with(needs).items()
            if len(holds) == width
            and all(most(_LOOKS[kind], columns[k]) for k, kind in enumerate(holds))
        ]

    fits = fitting(_mostly, needs)
    whole = fitting(_wholly, needs)
    if len(whole) == 1 or len(fits) == 1:
        return whole[0] if len(whole) == 1 else fits[0]
    if not fits:
        known = ", ".join(_layout(name) for name in _formats_with(needs))
        other = "label" if needs == "score" else "score"
        hint = f" It looks like {BELONGS[other]}." if fitting(_wholly, other) else ""
        raise InputError(
            f"{path}: the first line ({' '.join(rows[0])[:80]}) fits no known format with a "
            f"{needs}; expected {known}, or a CSV, Parquet or BOSARIS file.{hint}"
        )
    named = {path.name: fits[0]}
    raise InputError(
        f"{path}: the file could be {fits[0]} ({_layout(fits[0])}) or {fits[1]} "
        f"({_layout(fits[1])}); say which with `formats={named}`."
    )


def _formats_with(needs: str) -> dict[str, tuple[str, ...]]:
    """Text formats that hold what is needed; a key must name its trials besides."""
    return {
        name: holds
        for name, holds in TEXT_FORMATS.items()
        if needs in holds and (needs == "score" or "trial" in holds)
    }


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


def _wholly(is_kind: Callable[[str], bool], column: tuple[str, ...]) -> bool:
    return all(map(is_kind, column))


def _read_text(path: Path, format: str) -> Trials:
    holds = TEXT_FORMATS[format]
    return trials_of(path, format, read_columns(path, holds, numbers=("score",)))
