"""From speaker embeddings to scores: cosine, segment × segment (method ``exhaustive``)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pseudovoice.errors import InputError
from pseudovoice.scores.scoreset import Codes, ScoreSet, named_scores

PAIRINGS = ("all", "upper")


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
    columns_of = row_speakers if column_speakers is None else column_speakers
    names, code = np.unique(
        np.array([*row_speakers, *columns_of], dtype=object).astype(str), return_inverse=True
    )
    codes: Codes = code.astype(np.int32)
    row_code, column_code = codes[: len(row_speakers)], codes[len(row_speakers) :]
    score = (a @ b.T).astype(np.float64)
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


def unit_length(vectors: ArrayLike) -> NDArray[np.float64]:
    """Vectors scaled to length 1; a vector of length 0 or with NaN has no direction."""
    array = np.asarray(vectors, dtype=np.float64)
    if array.ndim != 2:
        raise InputError(
            f"Embeddings must be a matrix, a row per segment; these have shape {array.shape}."
        )
    length = np.linalg.norm(array, axis=1, keepdims=True)
    bad = np.flatnonzero(~(np.isfinite(length[:, 0]) & (length[:, 0] > 0)))
    if bad.size:
        raise InputError(
            f"{bad.size} embedding(s) are zero or not finite (first: row {bad[0]}); "
            "leave these segments out."
        )
    unit: NDArray[np.float64] = array / length
    return unit
