"""The tensors of a torch checkpoint as NumPy arrays, without torch and without unpickling.

Both containers that ``torch.save`` has written are read: the zip (since torch 1.6; a pickle beside
one entry per storage) and the legacy stream (three small pickles, the state, a list of storage
keys, then the storages one after the other).
"""

from __future__ import annotations

import math
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import InputError
from pseudovoice.models.pickled import Storage, Tensor, read_pickle

Array = NDArray[Any]

_LEGACY_MAGIC = 0x1950A86A20F9469CFC6C
_LEGACY_PROTOCOL = 1001
_DAMAGE = (zipfile.BadZipFile, RuntimeError, ValueError, EOFError, struct.error)
"""What zipfile raises for an archive that is damaged, encrypted or packed in an unknown way."""

_MOST_NODES = 200_000
_DEEPEST = 16


def read_tensors(path: Path, *, prefix: str = "") -> dict[str, Array]:
    """Read every tensor under ``prefix``, named by its dotted path without the prefix.

    Numbers and strings that lie beside the tensors (step counts, learning rates) are dropped.
    Anything in the pickle that is neither raises :class:`InputError`; no code of the file runs.
    """
    where = str(path)
    try:
        with path.open("rb") as stream:
            if zipfile.is_zipfile(stream):
                stream.seek(0)
                tensors, storages = _read_zip(stream, prefix, where)
            else:
                stream.seek(0)
                tensors, storages = _read_legacy(stream, prefix, where)
    except (*_DAMAGE, OSError) as error:
        raise InputError(f"{where} cannot be read ({error}); download it again.") from error
    if not tensors:
        raise InputError(f"{where} holds no tensor named {prefix}…; is it another checkpoint?")
    return {name: _view(tensor, storages, f"{where}: {name}") for name, tensor in tensors.items()}


def _read_zip(
    stream: IO[bytes], prefix: str, where: str
) -> tuple[dict[str, Tensor], dict[Storage, Array]]:
    with zipfile.ZipFile(stream) as archive:
        pickles = [name for name in archive.namelist() if name.endswith("/data.pkl")]
        if len(pickles) != 1:
            raise InputError(f"{where} is a zip without one data.pkl, so no torch checkpoint.")
        # torch never compresses; stored size = real size, so no entry can unpack to more.
        if any(info.compress_type != zipfile.ZIP_STORED for info in archive.infolist()):
            raise InputError(f"{where} is compressed, which no torch checkpoint is.")
        root = pickles[0].removesuffix("data.pkl")
        if f"{root}byteorder" in archive.namelist():
            order = archive.read(f"{root}byteorder")
            if order != b"little":
                raise InputError(f"{where} has big-endian numbers; save it again on a PC.")
        with archive.open(pickles[0]) as pickle:
            tensors = _named(read_pickle(pickle, where), prefix, where)
        storages: dict[Storage, Array] = {}
        for storage in {tensor.storage for tensor in tensors.values()}:
            info = archive.NameToInfo.get(f"{root}data/{storage.key}")
            wanted = storage.count * np.dtype(storage.dtype).itemsize
            if info is None or info.file_size != wanted:
                raise InputError(f"{where} lacks the storage {storage.key}; download it again.")
            storages[storage] = np.frombuffer(archive.read(info), storage.dtype)
    return tensors, storages


def _read_legacy(
    stream: IO[bytes], prefix: str, where: str
) -> tuple[dict[str, Tensor], dict[Storage, Array]]:
    if read_pickle(stream, where) != _LEGACY_MAGIC:
        raise InputError(f"{where} is a pickle but no torch checkpoint.")
    if read_pickle(stream, where) != _LEGACY_PROTOCOL:
        raise InputError(f"{where} has an unknown checkpoint version; save it with a newer torch.")
    system = read_pickle(stream, where)
    if not isinstance(system, dict) or system.get("little_endian") is not True:
        raise InputError(f"{where} has big-endian numbers; save it again on a PC.")
    state = read_pickle(stream, where)
    kinds = {tensor.storage.key: tensor.storage for _, tensor in _walk(state, where)}
    tensors = _named(state, prefix, where)
    wanted = {tensor.storage for tensor in tensors.values()}
    keys = read_pickle(stream, where)
    if not isinstance(keys, list):
        raise InputError(f"{where} lacks its list of storages; download it again.")
    storages: dict[Storage, Array] = {}
    for key in keys:
        storage = kinds.get(str(key))
        count = int.from_bytes(stream.read(8), "little")
        if storage is None or storage.count != count:
            raise InputError(f"{where} has a storage of wrong size; download it again.")
        size = count * np.dtype(storage.dtype).itemsize
        if storage not in wanted:  # optimiser states make up most of a training checkpoint
            stream.seek(size, 1)
            continue
        data = stream.read(size)
        if len(data) != size:
            raise InputError(f"{where} is cut short; download it again.")
        storages[storage] = np.frombuffer(data, storage.dtype)
    return tensors, storages


def _named(state: object, prefix: str, where: str) -> dict[str, Tensor]:
    found = dict(_walk(state, where))
    return {n.removeprefix(prefix): t for n, t in found.items() if n.startswith(prefix)}


def _walk(state: object, where: str) -> Iterator[tuple[str, Tensor]]:
    """Every tensor with its dotted name, in the order of the file."""
    pending: list[tuple[str, int, object]] = [("", 0, state)]
    for _ in range(_MOST_NODES):  # a container may contain the same one many times, or itself
        if not pending:
            return
        name, depth, node = pending.pop()
        if isinstance(node, Tensor):
            yield name, node
        elif isinstance(node, dict | list | tuple) and depth < _DEEPEST:
            items = node.items() if isinstance(node, dict) else enumerate(node)
            inner = [(f"{name}.{k}" if name else str(k), depth + 1, v) for k, v in items]
            pending.extend(reversed(inner))
        elif isinstance(node, dict | list | tuple):
            break
    raise InputError(f"{where} is nested or repeated without end, which no checkpoint is.")


def _view(tensor: Tensor, storages: dict[Storage, Array], where: str) -> Array:
    """The tensor's own copy of its part of the storage, after checking that it lies inside."""
    data = storages.get(tensor.storage)
    if data is None:  # two tensors that disagree about the type or size of one storage
        raise InputError(f"{where} has no storage of its kind; download the file again.")
    try:
        shape, strides = _counts(tensor.shape), _counts(tensor.strides)
        (offset,) = _counts((tensor.offset,))
        last = offset + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
    except (TypeError, ValueError):
        raise InputError(f"{where} has an impossible shape; download the file again.") from None
    count = math.prod(shape)
    if count == 0 and max(shape) < _MOST_NODES:
        return np.zeros(shape, data.dtype)
    # More elements than the storage holds would let a small file ask for any amount of memory.
    if count > data.size or last >= data.size:
        raise InputError(f"{where} reaches outside its storage; download the file again.")
    view = np.lib.stride_tricks.as_strided(
        data[offset:], shape, [step * data.itemsize for step in strides], writeable=False
    )
    return view.copy()


def _counts(values: object) -> tuple[int, ...]:
    if not isinstance(values, tuple) or any(type(v) is not int or v < 0 for v in values):
        raise ValueError(values)
    return values
