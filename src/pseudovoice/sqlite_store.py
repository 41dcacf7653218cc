"""What was computed once, kept by content in one SQLite file of the user's cache.

Its transactions are what makes a killed run harmless: a value is there whole or not at all, and the
next run goes on from there. Where the user's cache is an address, what is not in the file is looked
for there, and what is new goes there as well.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from pseudovoice.errors import InputError
from pseudovoice.models.cache import shared_cache
from pseudovoice.private import close_to_others, private_file

Value = TypeVar("Value", bytes, str)

MOST_ASKED = 500
"""Keys in one query; SQLite bounds the number of parameters."""


class SqliteStore:
    """A table from key to bytes or text; safe to use from several threads and processes."""

    def __init__(self, path: Path, *, table: str, column: str, what: str) -> None:
        """``what`` names the content to a person; ``table`` and ``column`` are our constants."""
        self._path, self._table, self._column, self._what = path, table, column, what
        self._lock = threading.Lock()
        self._shared = shared_cache(what)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            private_file(path)
            for beside in ("-wal", "-shm"):  # new ones get the permissions of the first
                close_to_others(path.with_name(path.name + beside))
            self._database = sqlite3.connect(path, timeout=60.0, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            with self._database:
                self._database.execute(
                    f"CREATE TABLE IF NOT EXISTS {table} "
                    f"(key TEXT PRIMARY KEY, {column} BLOB NOT NULL) WITHOUT ROWID"
                )
        except (sqlite3.Error, OSError) as error:
            raise self.unusable(error) from None

    def unusable(self, error: Exception) -> InputError:
        return InputError(
            f"{self._path}: the store of {self._what} cannot be used ({error}); delete it, or set "
            "PSEUDOVOICE_CACHE to a folder that can be written."
        )

    def get(self, keys: Iterable[str], kind: type[Value]) -> dict[str, Value]:
        """The values that are there and are of this kind."""
        wanted = list(keys)
        found = self._here(wanted, kind)
        if self._shared is not None:
            elsewhere = self._shared.get((key for key in wanted if key not in found), kind)
            self._keep(elsewhere)
            found |= elsewhere
        return found

    def _here(self, wanted: list[str], kind: type[Value]) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for start in range(0, len(wanted), MOST_ASKED):
            part = wanted[start : start + MOST_ASKED]
            marks = ",".join("?" * len(part))
            try:
                with self._lock:
                    rows = self._database.execute(
                        f"SELECT key, {self._column} FROM {self._table} WHERE key IN ({marks})",
                        part,
                    ).fetchall()
            except sqlite3.Error as error:
                raise self.unusable(error) from None
            found |= {key: value for key, value in rows if isinstance(value, kind)}
        return found

    def put(self, values: Mapping[str, bytes] | Mapping[str, str]) -> None:
        """Keep some values, all or none of them; here first, so that a store may fail."""
        self._keep(values)
        if self._shared is not None:
            self._shared.put(values)

    def _keep(self, values: Mapping[str, bytes] | Mapping[str, str]) -> None:
        try:
            with self._lock, self._database:
                self._database.executemany(
                    f"INSERT OR REPLACE INTO {self._table} VALUES (?, ?)", values.items()
                )
        except sqlite3.Error as error:
            raise self.unusable(error) from None

    def close(self) -> None:
        with self._lock:
            self._database.close()
