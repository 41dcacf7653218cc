"""BOSARIS and SIDEKIT HDF5 files: scores and keys as dense matrices with a mask."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import InputError, MissingExtraError
from pseudovoice.scores.trials import Names, Trials

ROWS = ("ID/row_ids", "modelset")
COLUMNS = ("ID/column_ids", "segset")
SCORES = ("scores", "scoremat")
SCORE_MASK = ("score_mask", "scoremask")
TRIAL_MASK = ("trial_mask",)
"""Data set names: the first is the BOSARIS toolkit's, the second SIDEKIT's."""


def read_bosaris(path: Path) -> Trials:
    """Read a Scores or a Key file; a key marks mated trials 1, non-mated −1 and others 0."""
    try:
        import h5py
    except ImportError:
        raise MissingExtraError("h5py", "bosaris", f"{path}: reading a BOSARIS HDF5 file") from None
    try:
        with h5py.File(path, "r") as file:
            rows, columns = _ids(file, ROWS, path), _ids(file, COLUMNS, path)
            scores, mask, key = (
                _matrix(file, names, (len(rows), len(columns)), path)
                for names in (SCORES, SCORE_MASK, TRIAL_MASK)
            )
    except InputError:
        raise
    except (OSError, RuntimeError, KeyError, TypeError, ValueError) as error:
        # What h5py says of a damaged file, or of a group where a data set should be.
        raise InputError(
            f"{path}: the HDF5 file cannot be read ({error}); write it again."
        ) from None
    if scores is None and key is None:
        raise InputError(
            f"{path}: the HDF5 file has neither scores nor trial_mask; it is no BOSARIS "
            "score or key file."
        )
    there = np.ones((len(rows), len(columns)), bool)
    if mask is not None:
        there &= mask.astype(bool)
    if key is not None:
        there &= key != 0
    i, j = np.nonzero(there)
    # The place in the matrix stands for the line: row-major, from 1.
    return Trials(
        str(path),
        "bosaris",
        (i * len(columns) + j + 1).astype(np.int64),
        Names(i.astype(np.int32), tuple(rows)).distinct(),
        Names(j.astype(np.int32), tuple(columns)).distinct(),
        score=None if scores is None else scores[there].astype(np.float64),
        label=None if key is None else key[there] > 0,
    )


def _ids(file: Any, names: tuple[str, ...], path: Path) -> list[str]:
    for name in names:
        if name in file:
            values = np.ravel(file[name][()])
            return [x.decode("utf-8") if isinstance(x, bytes) else str(x) for x in values]
    raise InputError(
        f"{path}: the HDF5 file has no {' or '.join(names)}; it is no BOSARIS score or key file."
    )


def _matrix(
    file: Any, names: tuple[str, ...], shape: tuple[int, int], path: Path
) -> NDArray[Any] | None:
    for name in names:
        if name in file:
            data = file[name]
            # Before it is read: a damaged shape could ask for all memory.
            if data.shape != shape:
                raise InputError(
                    f"{path}: the matrix {name} has shape {data.shape} but there are {shape[0]} "
                    f"row and {shape[1]} column ids; write the file again."
                )
            values = np.asarray(data[()])
            if values.dtype.kind not in "fiub":
                raise InputError(
                    f"{path}: the matrix {name} holds {values.dtype}, not numbers; write the "
                    "file again."
                )
            return values
    return None
