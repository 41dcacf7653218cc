"""From speaker embeddings to scores: cosine, segment × segment (method ``exhaustive``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pseudovoice.choices import PAIRINGS
from pseudovoice.errors import InputError
from pseudovoice.scores.scoreset import Codes, ScoreSet, named_scores

Floats = NDArray[np.float64]


def score_embeddings(
    rows: ArrayLike,
    columns: ArrayLike,
    row_speakers: Sequence[str],
    column_speakers: Sequence[str] | None = None,
    *,
    same_segment: bool = True,
    pairing: str = "all",
) -> ScoreSet:
    """Cosine of every row segment with every column segment, as a score set.

    Row k and column k are the same segment, or a segment and its protected version, unless
    ``same_segment`` is False; such pairs are no trials and are dropped. ``pairing="upper"``
    keeps only pairs k < l, as the reference code of noe2022 does.
    """
    if pairing not in PAIRINGS:
        raise InputError(f"There is no pairing {pairing!r}; choose one of {', '.join(PAIRINGS)}.")
    a, b = unit_length(rows), unit_length(columns)
    if same_segment and a.shape[0] != b.shape[0]:
        raise InputError(
            f"There are {a.shape[0]} row and {b.shape[0]} column segments; paired "
            "segments must be equally many."
        )
    if a.shape[1] != b.shape[1]:
        raise InputError(
            f"The row segments have {a.shape[1]} dimensions and the column segments "
            f"{b.shape[1]}; use one encoder for both."
        )
    columns_of = row_speakers if column_speakers is None else column_speakers
    if (len(row_speakers), len(columns_of)) != (a.shape[0], b.shape[0]):
        raise InputError(
            f"There are {len(row_speakers)} and {len(columns_of)} speakers for {a.shape[0]} row "
            f"and {b.shape[0]} column segments; each segment needs one."
        )
    names, code = np.unique(
        np.array([*row_speakers, *columns_of], dtype=object).astype(str), return_inverse=True
    )
    codes: Codes = code.astype(np.int32)
    row_code, column_code = codes[: len(row_speakers)], codes[len(row_speakers) :]
    score = cosines(a, b, symmetric=rows is columns)
    keep = np.ones(score.shape, np.bool_)
    if pairing == "upper":
        keep = np.triu(keep, 1)
    elif same_segment:
        np.fill_diagonal(keep, False)
    enrol = np.broadcast_to(row_code[:, None], score.shape)[keep]
    trial = np.broadcast_to(column_code, score.shape)[keep]
    return named_scores(
        score[keep], enrol, trial, tuple(names.tolist()), method="exhaustive", pairing=pairing
    )


def cosines(a: Floats, b: Floats, *, symmetric: bool) -> Floats:
    """Products of unit vectors, without the noise of the last bits.

    A matrix product adds up in an order of its own, so that equal cosines may differ by 1e-16;
    they must tie, and (k, l) must tie with (l, k) where both sides are the same.
    """
    score: Floats = np.round(a @ b.T, 12)
    return np.triu(score) + np.triu(score, 1).T if symmetric else score


def unit_length(vectors: ArrayLike) -> NDArray[np.float64]:
    """Vectors scaled to length 1; a vector of length 0 or with NaN has no direction."""
    try:
        array = np.asarray(vectors)
    except ValueError:
        array = np.empty(0, object)
    if array.ndim != 2 or array.dtype.kind not in "fiu":
        raise InputError(
            f"Embeddings must be a matrix of numbers, a row per segment; these are {array.dtype} "
            f"of shape {array.shape}."
        )
    array = array.astype(np.float64)
    bad = np.flatnonzero(~has_direction(array))
    if bad.size:
        raise InputError(
            f"{bad.size} embedding(s) are zero or not finite (first: row {bad[0]}); "
            "leave these segments out."
        )
    unit: NDArray[np.float64] = array / np.linalg.norm(array, axis=1, keepdims=True)
    return unit


def has_direction(vectors: NDArray[Any]) -> NDArray[np.bool_]:
    """Which rows are vectors one can compare: finite, with a length that does not under- or
    overflow."""
    with np.errstate(over="ignore", invalid="ignore"):
        length = np.linalg.norm(vectors.astype(np.float64), axis=1)
    fine: NDArray[np.bool_] = np.isfinite(length) & (length > 0)
    return fine
