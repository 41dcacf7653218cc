"""Counts of all pairs kept by content: a resumed run does not score what it has scored before."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.atomic import write_atomic
from pseudovoice.plain_arrays import plain_arrays
from pseudovoice.private import private_folder
from pseudovoice.scores.binned import BinnedScores


def counts_key(arrays: list[NDArray[Any]], *words: object) -> str:
    """Name of a comparison: hash of its vectors, speakers and settings."""
    digest = hashlib.sha256(repr(words).encode())
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def kept_or_counted(folder: Path, key: str, count: Callable[[], BinnedScores]) -> BinnedScores:
    """The counts from the folder, or counted now and kept there, whole or not at all."""
    path = folder / f"{key}.npz"
    try:
        return _unpack(plain_arrays(path))
    except (OSError, ValueError, KeyError):
        pass  # not there, or damaged: count
    counted = count()
    packed = io.BytesIO()
    np.savez_compressed(packed, **_pack(counted))
    private_folder(folder)
    write_atomic(path, packed.getvalue(), private=True)
    return counted


def _pack(counted: BinnedScores) -> dict[str, Any]:
    return {
        field.name: np.asarray(getattr(counted, field.name))
        for field in fields(counted)
        if getattr(counted, field.name) is not None
    }


def _unpack(arrays: dict[str, NDArray[Any]]) -> BinnedScores:
    texts = {name: str(arrays[name]) for name in ("similarity", "method", "pairing")}
    numbers = {name: float(arrays[name]) for name in ("low", "high")}
    rest = {
        field.name: arrays.get(field.name)
        for field in fields(BinnedScores)
        if field.name not in (*texts, *numbers, "speakers")
    }
    speakers = tuple(str(name) for name in arrays["speakers"])
    return BinnedScores(speakers=speakers, **texts, **numbers, **rest)  # type: ignore[arg-type]
