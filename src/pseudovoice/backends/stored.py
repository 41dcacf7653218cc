"""Back-ends as npz files: plain arrays, no pickle."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.atomic import write_atomic
from pseudovoice.backends.asnorm import INNER, AsNorm
from pseudovoice.backends.backend import Backend
from pseudovoice.backends.cosine import Cosine
from pseudovoice.backends.plda import Plda
from pseudovoice.errors import InputError
from pseudovoice.plain_arrays import plain_arrays


def backend_from_arrays(arrays: Mapping[str, NDArray[Any]]) -> Backend:
    """Read back what ``to_arrays`` wrote."""
    kind = str(arrays["backend"]) if "backend" in arrays else None
    if kind == "cosine":
        return Cosine.from_arrays(arrays)
    if kind == "plda":
        return Plda.from_arrays(arrays)
    if kind == "as-norm":
        inner = {
            name.removeprefix(INNER): array
            for name, array in arrays.items()
            if name.startswith(INNER)
        }
        return AsNorm.from_arrays(arrays, backend_from_arrays(inner))
    raise InputError(
        f"This is no back-end ('backend' is {kind!r}); expected cosine, plda or as-norm."
    )


def save_backend(path: str | Path, backend: Backend) -> None:
    """Write a back-end as npz, whole or not at all."""
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **backend.to_arrays())
    write_atomic(Path(path), stream.getvalue())


def load_backend(path: str | Path) -> Backend:
    """Read a back-end that :func:`save_backend` wrote."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; check the path.")
    try:
        arrays = plain_arrays(path)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path}: this is no npz file of plain arrays ({error}); train the back-end again."
        ) from None
    try:
        return backend_from_arrays(arrays)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
