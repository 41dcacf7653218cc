"""Tensors and a little JSON in one file, without pickle: an ``.npz`` that any NumPy reads.

One file rather than two, so that replacing it is one atomic step: what a killed run leaves behind
is always the state after a whole epoch.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.atomic import write_atomic
from pseudovoice.errors import InputError
from pseudovoice.json_tree import json_tree
from pseudovoice.plain_arrays import plain_arrays

Arrays = dict[str, NDArray[Any]]

_NOTES = "json"


def write_archive(path: Path, arrays: Arrays, notes: dict[str, Any]) -> None:
    """Write both whole or not at all; the same content gives the same bytes."""
    stream = io.BytesIO()
    text = np.array(json.dumps(notes, sort_keys=True, allow_nan=False))
    np.savez(stream, allow_pickle=False, **arrays, **{_NOTES: text})
    write_atomic(path, stream.getvalue())


def read_archive(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """What ``write_archive`` wrote; anything else is an :class:`InputError`."""
    try:
        arrays = plain_arrays(path)
        notes = json_tree(str(arrays.pop(_NOTES)))
    except FileNotFoundError:
        raise InputError(
            f"{path} does not exist; give a folder that `pseudovoice train` has written."
        ) from None
    except (OSError, ValueError, KeyError) as error:
        raise InputError(
            f"{path} cannot be read as a state of training ({error}); delete its folder and "
            "train again."
        ) from None
    if not isinstance(notes, dict):
        raise InputError(f"{path} holds no notes of a training; delete its folder and train again.")
    return arrays, notes


def under(arrays: Arrays, prefix: str) -> Arrays:
    """The arrays whose names begin with ``prefix``, without it."""
    return {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}


def put_under(arrays: Arrays, prefix: str) -> Arrays:
    return {f"{prefix}{name}": array for name, array in arrays.items()}
