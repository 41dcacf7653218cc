"""Measurements kept by content: the same audio through the same model is never measured twice.

One SQLite file in the user's cache, beside that of the embeddings. A measurement is there whole or
not at all, so a killed run goes on where it was. What is kept are transcripts among others:
personal data.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pseudovoice.sqlite_store import SqliteStore

T = TypeVar("T")


def measure_key(*parts: str) -> str:
    """Name of a measurement: hashes of the audio and of the model, and how it was measured."""
    # JSON keeps the parts apart: ("a", "bc") and ("ab", "c") must differ.
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


class NotKeptError(Exception):
    """A value that would have to be measured, where nothing is."""


class Notes:
    """What is measured on the way of some items, for whoever collects the results to keep.

    ``store`` is looked into where it is at hand; with ``measured`` False nothing is measured, and
    what is not there raises :class:`NotKeptError`.
    """

    def __init__(self, store: MeasureStore | None, *, measured: bool = True) -> None:
        self._store, self._measured = store, measured
        self._found: dict[str, Any] = {}
        self.fresh: dict[str, Any] = {}

    def kept(self, key: str, compute: Callable[[], T]) -> T:
        """The value that is there, or a fresh one."""
        if not self.has(key):
            if not self._measured:
                raise NotKeptError(key)
            self.fresh[key] = compute()
        value: T = self.fresh[key] if key in self.fresh else self._found[key]
        return value

    def has(self, key: str) -> bool:
        """Whether it is there, or was measured."""
        if self._store is not None and key not in self._found:
            self._found |= self._store.get([key])
        return key in self._found or key in self.fresh


class MeasureStore:
    """A table from key to a JSON value; safe to use from several threads and processes."""

    def __init__(self, path: Path) -> None:
        self._kept = SqliteStore(path, table="measure", column="value", what="measurements")

    def get(self, keys: Iterable[str]) -> dict[str, Any]:
        """The values that are there."""
        try:
            return {key: json.loads(text) for key, text in self._kept.get(keys, str).items()}
        except ValueError as error:
            raise self._kept.unusable(error) from None

    def put(self, values: Mapping[str, Any]) -> None:
        """Keep some values, all or none of them."""
        self._kept.put({key: json.dumps(value) for key, value in values.items()})

    def close(self) -> None:
        self._kept.close()
