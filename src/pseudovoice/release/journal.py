"""What of a protected corpus is made, and how each file looked when it was: the owner's alone.

One row for each file, in SQLite: it is looked up, replaced and taken out by name, so memory and
time of a row do not grow with the corpus. The file is on the disk before its row is.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path

from pseudovoice.errors import InputError


@dataclass(frozen=True)
class Made:
    """One file: the stamp of what it was made from, and what it was when it was done.

    ``changed`` is its time of change in nanoseconds, ``frames`` its length in samples.
    """

    stamp: str
    size: int
    sha256: str
    changed: int
    frames: int
    sample_rate: int


class Journal:
    """From the place of a file below the output to what is known of it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows = sqlite3.connect(path, timeout=0.0)
        # One run alone has it, so no memory need be shared, which network file systems cannot.
        self._rows.execute("PRAGMA locking_mode=EXCLUSIVE")
        self._rows.execute("PRAGMA journal_mode=WAL")
        self._rows.execute("PRAGMA synchronous=NORMAL")
        with self._rows:
            self._rows.execute(
                "CREATE TABLE IF NOT EXISTS made (place TEXT PRIMARY KEY, stamp TEXT, "
                "size INTEGER, sha256 TEXT, changed INTEGER, frames INTEGER, sample_rate INTEGER) "
                "WITHOUT ROWID"
            )

    def get(self, place: str) -> Made | None:
        row = self._rows.execute(
            "SELECT stamp, size, sha256, changed, frames, sample_rate FROM made WHERE place = ?",
            (place,),
        ).fetchone()
        return None if row is None else Made(*row)

    def put(self, place: str, made: Made) -> None:
        with self._rows:
            self._rows.execute(
                "INSERT OR REPLACE INTO made VALUES (?, ?, ?, ?, ?, ?, ?)", (place, *astuple(made))
            )

    def drop(self, places: Iterable[str]) -> None:
        with self._rows:
            self._rows.executemany("DELETE FROM made WHERE place = ?", ((p,) for p in places))

    def places(self) -> Iterator[str]:
        yield from (place for (place,) in self._rows.execute("SELECT place FROM made"))

    def close(self) -> None:
        self._rows.close()


@contextmanager
def opened(path: Path) -> Iterator[Journal]:
    """The journal at ``path``; one that cannot be used is a sentence, wherever it shows."""
    try:
        journal = Journal(path)
        try:
            yield journal
        finally:
            journal.close()
    except sqlite3.Error as error:
        remedy = "remove it, and everything is protected again"
        if getattr(error, "sqlite_errorcode", None) in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
            remedy = "make room on its disk, and start again: what was finished before is kept"
        raise InputError(
            f"{path}: the journal of the protected files cannot be used ({error}); {remedy}."
        ) from None


def count_made(path: Path) -> int:
    """How many files a journal knows; 0 if there is none, or another run has it."""
    if not path.is_file():
        return 0
    try:
        rows = sqlite3.connect(path, timeout=0.0)
        try:
            return int(rows.execute("SELECT count(*) FROM made").fetchone()[0])
        finally:
            rows.close()
    except sqlite3.Error:
        return 0
