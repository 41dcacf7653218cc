"""The arrays of an npz file that somebody else wrote: whatever is wrong with it is a ValueError."""

from __future__ import annotations

import os
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Container
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

DAMAGE = (
    ValueError,
    TypeError,
    AttributeError,
    KeyError,
    EOFError,
    MemoryError,
    OverflowError,
    RuntimeError,  # with it NotImplementedError, and RecursionError
    SyntaxError,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
)
"""What numpy and zipfile raise for files that are damaged or something else."""

MOST_UNPACKED, MOST_TIMES = 1 << 30, 100
"""Bytes, and times its own size, beyond both of which a file unpacks to more than vectors do."""


def plain_arrays(path: Path, names: Container[str] | None = None) -> dict[str, NDArray[Any]]:
    """All arrays by name, or those of some names; OSError where the file cannot be opened."""
    with path.open("rb") as raw:
        try:
            _check_size(raw)
            file = np.load(raw, allow_pickle=False)  # a pickle could run code: never
            if not isinstance(file, np.lib.npyio.NpzFile):
                raise ValueError("it holds a single array")
            arrays = {name: file[name] for name in file.files if names is None or name in names}
            for name, array in arrays.items():
                if not isinstance(array, np.ndarray):
                    raise ValueError(f"{name} is no array")
        except (*DAMAGE, OSError) as error:
            raise ValueError(str(error) or type(error).__name__) from None
    return arrays


def _check_size(raw: BinaryIO) -> None:
    if zipfile.is_zipfile(raw):
        with zipfile.ZipFile(raw) as archive:
            unpacked = sum(info.file_size for info in archive.infolist())
        if unpacked > max(MOST_UNPACKED, MOST_TIMES * os.fstat(raw.fileno()).st_size):
            raise ValueError(f"it would unpack to {unpacked / 1e9:.1f} GB")
    raw.seek(0)
