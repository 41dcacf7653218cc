"""Embeddings kept by content: the same audio through the same encoder is never embedded twice.

One SQLite file in the user's cache. Its transactions are what makes a killed run harmless: an
embedding is there whole or not at all, and the next run goes on from there.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import InputError

Vector = NDArray[np.float32]

MOST_ASKED = 500
"""Keys in one query; SQLite bounds the number of parameters."""


def embedding_key(audio: str, encoder: str, parameters: str) -> str:
    """Name of an embedding: hashes of the audio and of the encoder, and how it was prepared."""
    return hashlib.sha256(f"{audio} {encoder} {parameters}".encode()).hexdigest()


class EmbeddingStore:
    """A table from key to vector; safe to use from several threads and processes."""

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path, timeout=60.0, check_same_thread=False)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            with self._database:
                self._database.execute(
                    "CREATE TABLE IF NOT EXISTS embedding (key TEXT PRIMARY KEY, vector BLOB NOT "
                    "NULL) WITHOUT ROWID"
                )
        except (sqlite3.Error, OSError) as error:
            raise InputError(
                f"{path}: the store of embeddings cannot be used ({error}); delete it, or set "
                "PSEUDOVOICE_CACHE to a folder that can be written."
            ) from None

    def get(self, keys: Iterable[str], dimension: int) -> dict[str, Vector]:
        """The vectors that are there; one of another length is not what was asked for."""
        wanted = list(keys)
        found: dict[str, Vector] = {}
        for start in range(0, len(wanted), MOST_ASKED):
            part = wanted[start : start + MOST_ASKED]
            marks = ",".join("?" * len(part))
            with self._lock:
                rows = self._database.execute(
                    f"SELECT key, vector FROM embedding WHERE key IN ({marks})", part
                ).fetchall()
            for key, blob in rows:
                vector = np.frombuffer(blob, "<f4")
                if vector.size == dimension:
                    found[key] = vector
        return found

    def put(self, vectors: Mapping[str, Vector]) -> None:
        """Keep some vectors, all or none of them."""
        rows = [(key, vector.astype("<f4").tobytes()) for key, vector in vectors.items()]
        with self._lock, self._database:
            self._database.executemany("INSERT OR REPLACE INTO embedding VALUES (?, ?)", rows)

    def close(self) -> None:
        with self._lock:
            self._database.close()
