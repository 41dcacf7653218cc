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
            scores, mask, key = (_matrix(file, names) for names in (SCORES, SCORE_MASK, TRIAL_MASK))
    except OSError as error:
        raise InputError(
            f"{path}: the HDF5 file cannot be read ({error}); write it again."
        ) from None
    values = scores if key is None else key
    if values is None:
        raise InputError(
            f"{path}: the HDF5 file has neither scores nor trial_mask; it is no BOSARIS "
            "score or key file."
        )
    if values.shape != (len(rows), len(columns)):
        raise InputError(
            f"{path}: the matrix has shape {values.shape} but there are {len(rows)} "
            f"row and {len(columns)} column ids; write the file again."
        )
    there = (
        values != 0
        if key is not None
        else (np.ones(values.shape, bool) if mask is None else mask.astype(bool))
    )
    i, j = np.nonzero(there)
    # The place in the matrix stands for the line: row-major, from 1.
    return Trials(
        str(path),
        "bosaris",
        (i * values.shape[1] + j + 1).astype(np.int64),
        Names(i.astype(np.int32), tuple(rows)),
        Names(j.astype(np.int32), tuple(columns)),
        score=None if key is not None else values[there].astype(np.float64),
        label=None if key is None else values[there] > 0,
    )


def _ids(file: Any, names: tuple[str, ...], path: Path) -> list[str]:
    for name in names:
        if name in file:
            return [x.decode("utf-8") if isinstance(x, bytes) else str(x) for x in file[name][()]]
    raise InputError(
        f"{path}: the HDF5 file has no {' or '.join(names)}; it is no BOSARIS score or key file."
    )


def _matrix(file: Any, names: tuple[str, ...]) -> NDArray[Any] | None:
    return next((np.asarray(file[name][()]) for name in names if name in file), None)
