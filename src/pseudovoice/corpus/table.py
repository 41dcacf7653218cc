"""Read a table of utterances: CSV, TSV, JSON lines or Parquet, one row each.

Columns (other usual names are understood, see ``columns.ALIASES``): utt, path, speaker, session,
gender, transcript, start, end, age, accent, language, emotion. Path and speaker are needed. A
relative path starts at the table's folder and must stay in it; an absolute path may lie anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePath

from ..errors import InputError
from .columns import ListedRow, gender
from .corpus import Corpus, Utterance
from .faults import ItemFault
from .naming import ids_from_paths, shown
from .paths import as_spelt, inside
from .register import Register
from .rows import read_rows


def read_table(path: Path) -> Corpus:
    """The corpus that a table lists."""
    path = path.resolve()
    if path.is_dir():
        raise InputError(
            f"{shown(path)}: is a folder, not a table; give the CSV, TSV or Parquet file itself."
        )
    register = Register(path, "table")
    rows = list(read_rows(path, register))
    add_rows(rows, path.parent, path.parent, register, absolute_allowed=True)
    return register.corpus(nothing="it should have the columns utt, path and speaker")


def add_rows(
    rows: Sequence[ListedRow],
    folder: Path,
    root: Path,
    register: Register,
    *,
    absolute_allowed: bool,
) -> None:
    """Register the rows of one table whose relative paths start at ``folder``, inside ``root``.

    Rows without an id get one from their path, as in a plain folder.
    """
    usable = []
    for row in rows:
        try:
            if row.path is None:
                raise ItemFault("the path is empty", "name the audio file")
            if row.speaker is None:
                raise ItemFault("the speaker is empty", "give the utterance a speaker")
            if PurePath(row.path).is_absolute() and absolute_allowed:
                file = as_spelt(Path(row.path))
            else:
                file = inside(root, row.path, folder)
            usable.append((row, row.path, row.speaker, file, row.times()))
        except ItemFault as fault:
            register.fault(row.place, fault)
    # Only now: a row that is left out must not make the ids of the others longer.
    paths = [PurePath(path) for _, path, *_ in usable]
    names = _with_starts(
        ids_from_paths(paths, [speaker for _, _, speaker, *_ in usable]),
        [start for *_, (start, _) in usable],
    )
    for (row, _, speaker, file, (start, end)), name in zip(usable, names, strict=True):
        utterance = Utterance(
            id=row.id or name,
            speaker=speaker,
            path=file,
            start=start,
            end=end,
            session=row.session,
            gender=gender(row.gender),
            transcript=row.transcript,
            labels=row.labels,
        )
        register.add(utterance, row.place)


def _with_starts(names: Sequence[str], starts: Sequence[float | None]) -> list[str]:
    """Names of rows that may be parts of one file: with the milliseconds at which they begin.

    As soon as one file is named twice, so that parts that are left out later rename no others.
    """
    if len(set(names)) == len(names) or all(start is None for start in starts):
        return list(names)
    return [
        name if start is None else f"{name}-{_milliseconds(start):07d}"
        for name, start in zip(names, starts, strict=True)
    ]


def _milliseconds(start: float) -> int:
    # What is no time gets its sentence from the register.
    return round(1000 * start) if 0 <= start < 1e9 else 0
