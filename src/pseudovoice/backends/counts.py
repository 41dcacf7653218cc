"""Counts of all pairs kept by content: a resumed run does not score what it has scored before.

One npz file a comparison, and where the user's cache is an address, the same file there. Tables go
into it and out of it by panels, since memory may not hold them.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.atomic import replacing
from pseudovoice.models.cache import shared_cache, workspace
from pseudovoice.plain_arrays import DAMAGE, plain_arrays
from pseudovoice.private import private_file, private_folder
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.pair_table import PairTable, pair_table, panels

TABLES = ("cells", "terms", "llr", "gain", "strongest")
QUICKLY = 1
"""How hard zlib tries: small counts shrink to a third at once."""


def counts_key(arrays: list[NDArray[Any]], *words: object) -> str:
    """Name of a comparison: hash of its vectors, speakers and settings."""
    digest = hashlib.sha256(repr(words).encode())
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return digest.hexdigest()


def kept_or_counted(folder: Path, key: str, count: Callable[[], BinnedScores]) -> BinnedScores:
    """The counts from the folder, or counted now and kept there, whole or not at all."""
    path, shared = folder / f"{key}.npz", shared_cache("counts")
    kept = _read(path)
    if kept is None and shared is not None:
        private_folder(folder)
        with workspace(folder) as place:
            brought = place / path.name
            private_file(brought)
            kept = _read(brought) if shared.fetch(key, brought) else None
            if kept is not None:
                brought.replace(path)
    if kept is not None:
        return kept
    counted = count()
    private_folder(folder)
    with replacing(path, private=True) as raw:
        _write(raw, counted)
    if shared is not None:
        shared.send(key, path)
    return counted


def _write(raw: IO[bytes], counted: BinnedScores) -> None:
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED, compresslevel=QUICKLY) as archive:
        for field in fields(counted):
            value = getattr(counted, field.name)
            if value is None:
                continue
            with archive.open(f"{field.name}.npy", "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, np.asarray(value), allow_pickle=False)


def _read(path: Path) -> BinnedScores | None:
    """What is in the file; None where it is not there, or damaged."""
    try:
        names = {field.name for field in fields(BinnedScores)}
        arrays = plain_arrays(path, names - {*TABLES})
        with zipfile.ZipFile(path) as archive:
            tables = {name: _table(archive, name) for name in TABLES}
        return _unpack({**arrays, **tables})
    except (OSError, *DAMAGE):
        return None


def _table(archive: zipfile.ZipFile, name: str) -> PairTable:
    with archive.open(f"{name}.npy") as stream:
        np.lib.format.read_magic(stream)
        shape, by_columns, dtype = np.lib.format.read_array_header_1_0(stream)
        if by_columns or dtype.kind not in "fu":
            raise ValueError(f"{name} is no table")
        table = pair_table(shape, dtype)
        for first, last in panels(table):
            part = table[first:last]
            data = stream.read(part.nbytes)
            part[...] = np.frombuffer(data, dtype).reshape(part.shape)
        return table


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
