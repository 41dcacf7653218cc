"""Segment × segment scores of any back-end (method ``exhaustive``), for similarity matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from pseudovoice.backends.backend import Backend
from pseudovoice.choices import PAIRINGS
from pseudovoice.errors import InputError
from pseudovoice.scores.scoreset import Codes, ScoreSet, named_scores


def score_exhaustive(
    backend: Backend,
    rows: ArrayLike,
    columns: ArrayLike,
    row_speakers: Sequence[str],
    column_speakers: Sequence[str] | None = None,
    *,
    same_segment: bool = True,
    pairing: str = "all",
) -> ScoreSet:
    """Every row segment against every column segment, as a score set of method ``exhaustive``.

    What is a trial is decided as in :func:`pseudovoice.scores.embeddings.score_embeddings`, which
    this equals for plain cosine: row k and column k are the same segment, or a segment and its
    protected version, and no trial, unless ``same_segment`` is False; ``pairing="upper"`` keeps
    only pairs k < l. The whole matrix is held in memory.
    """
    if pairing not in PAIRINGS:
        raise InputError(f"There is no pairing {pairing!r}; choose one of {', '.join(PAIRINGS)}.")
    a, b = backend.prepare(rows), backend.prepare(columns)
    others = row_speakers if column_speakers is None else column_speakers
    for side, speakers, name in ((a, row_speakers, "row"), (b, others, "column")):
        if side.shape[0] != len(speakers):
            raise InputError(
                f"There are {side.shape[0]} {name} segments but {len(speakers)} {name} speakers; "
                "each segment needs one."
            )
    if (same_segment or pairing == "upper") and a.shape[0] != b.shape[0]:
        raise InputError(
            f"There are {a.shape[0]} row and {b.shape[0]} column segments; paired "
            "segments must be equally many."
        )
    names, code = np.unique(
        np.array([*row_speakers, *others], dtype=object).astype(str), return_inverse=True
    )
    codes: Codes = code.astype(np.int32)
    # A matrix product adds up in an order of its own; equal scores must tie all the same.
    score = np.round(backend.score(a, b), 12)
    if rows is columns:
        score = np.triu(score) + np.triu(score, 1).T
    keep = np.ones(score.shape, np.bool_)
    if pairing == "upper":
        keep = np.triu(keep, 1)
    elif same_segment:
        np.fill_diagonal(keep, False)
    return named_scores(
        score[keep],
        np.broadcast_to(codes[: a.shape[0], None], score.shape)[keep],
        np.broadcast_to(codes[a.shape[0] :], score.shape)[keep],
        tuple(names.tolist()),
        method="exhaustive",
        pairing=pairing,
    )
