"""Measurements kept by content: the same audio through the same model is never measured twice.

One SQLite file in the user's cache, beside that of the embeddings. A measurement is there whole or
not at all, so a killed run goes on where it was. What is kept are transcripts among others:
personal data.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pseudovoice.errors import InputError

MOST_ASKED = 500
"""Keys in one query; SQLite bounds the number of parameters."""


def measure_key(*parts: str) -> str:
    """Name of a measurement: hashes of the audio and of the model, and how it was measured."""
    # JSON keeps the parts apart: ("a", "bc") and ("ab", "c") must differ.
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class MeasureStore:
    """A table from key to a JSON value; safe to use from several threads and processes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=60.0, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            with self._database:
                self._database.execute(
                    "CREATE TABLE IF NOT EXISTS measure (key TEXT PRIMARY KEY, value TEXT NOT "
                    "NULL) WITHOUT ROWID"
                )
        except (sqlite3.Error, OSError) as error:
            raise self._unusable(error) from None

    def _unusable(self, error: Exception) -> InputError:
        return InputError(
            f"{self._path}: the store of measurements cannot be used ({error}); delete it, or set "
            "PSEUDOVOICE_CACHE to a folder that can be written."
        )

    def get(self, keys: Iterable[str]) -> dict[str, Any]:
        """The values that are there."""
        wanted = list(keys)
        found: dict[str, Any] = {}
        for start in range(0, len(wanted), MOST_ASKED):
            part = wanted[start : start + MOST_ASKED]
            marks = ",".join("?" * len(part))
            try:
                with self._lock:
                    rows = self._database.execute(
                        f"SELECT key, value FROM measure WHERE key IN ({marks})", part
                    ).fetchall()
                found |= {key: json.loads(value) for key, value in rows}
            except (sqlite3.Error, ValueError) as error:
                raise self._unusable(error) from None
        return found

    def put(self, values: Mapping[str, Any]) -> None:
        """Keep some values, all or none of them."""
        rows = [(key, json.dumps(value)) for key, value in values.items()]
        try:
            with self._lock, self._database:
                self._database.executemany("INSERT OR REPLACE INTO measure VALUES (?, ?)", rows)
        except sqlite3.Error as error:
            raise self._unusable(error) from None

    def close(self) -> None:
        with self._lock:
            self._database.close()
