"""Embeddings kept by content: the same audio through the same encoder is never embedded twice."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pseudovoice.sqlite_store import SqliteStore

Vector = NDArray[np.float32]


def embedding_key(audio: str, encoder: str, parameters: str) -> str:
    """Name of an embedding: hashes of the audio and of the encoder, and how it was prepared."""
    return hashlib.sha256(f"{audio} {encoder} {parameters}".encode()).hexdigest()


class EmbeddingStore:
    """A table from key to vector; safe to use from several threads and processes."""

    def __init__(self, path: Path) -> None:
        self._kept = SqliteStore(path, table="embedding", column="vector", what="embeddings")

    def get(self, keys: Iterable[str], dimension: int) -> dict[str, Vector]:
        """The vectors that are there; one of another length is not what was asked for."""
        found = self._kept.get(keys, bytes)
        size = np.dtype("<f4").itemsize * dimension
        return {key: np.frombuffer(v, "<f4") for key, v in found.items() if len(v) == size}

    def put(self, vectors: Mapping[str, Vector]) -> None:
        """Keep some vectors, all or none of them."""
        self._kept.put({key: vector.astype("<f4").tobytes() for key, vector in vectors.items()})

    def close(self) -> None:
        self._kept.close()
