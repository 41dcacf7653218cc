"""Every segment of one embedded corpus against every segment of another, as scores or counts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.assessment.allpairs import Comparison, count_all_pairs, sort_by_speaker
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.embeddings import unit_length
from pseudovoice.scores.scoreset import ScoreSet, named_scores

MOST_EXACT = 4_000_000
"""Trials of a condition that are kept as scores; more are counted on bins."""


@dataclass(frozen=True)
class Side:
    """Vectors of segments, their speakers and ids; equal ids are versions of one segment."""

    vectors: NDArray[np.float32]
    speakers: list[str]
    ids: list[str]

    def take(self, rows: list[int]) -> Side:
        return Side(
            self.vectors[rows],
            [self.speakers[k] for k in rows],
            [self.ids[k] for k in rows],
        )


def compare_all(
    rows: Side, columns: Side, *, similarity: str = "geometric", most_exact: int = MOST_EXACT
) -> ScoreSet | BinnedScores:
    """Cosine of each row with each column; a segment and its other version are no trial."""
    names = tuple(sorted({*rows.speakers, *columns.speakers}))
    code = {name: k for k, name in enumerate(names)}
    row_code = np.array([code[name] for name in rows.speakers], np.int32)
    column_code = np.array([code[name] for name in columns.speakers], np.int32)
    place = {name: k for k, name in enumerate(columns.ids)}
    same = np.array([place.get(name, -1) for name in rows.ids], np.intp)
    symmetric = rows is columns
    a = unit_length(rows.vectors).astype(np.float32)
    b = a if symmetric else unit_length(columns.vectors).astype(np.float32)
    if a.shape[0] * b.shape[0] > most_exact:
        return _count(a, b, row_code, column_code, same, names, symmetric, similarity)
    score = a.astype(np.float64) @ b.astype(np.float64).T
    keep = np.ones(score.shape, np.bool_)
    keep[np.flatnonzero(same >= 0), same[same >= 0]] = False
    if symmetric:  # rounding must not make score(a, b) differ from score(b, a)
        score = np.triu(score) + np.triu(score, 1).T
    return named_scores(
        score[keep],
        np.broadcast_to(row_code[:, None], score.shape)[keep],
        np.broadcast_to(column_code, score.shape)[keep],
        names,
        method="exhaustive",
    )


def _count(
    a: NDArray[np.float32],
    b: NDArray[np.float32],
    row_code: NDArray[np.int32],
    column_code: NDArray[np.int32],
    same: NDArray[np.intp],
    names: tuple[str, ...],
    symmetric: bool,
    similarity: str,
) -> BinnedScores:
    rows, columns = sort_by_speaker(a, row_code), sort_by_speaker(b, column_code)
    # `order` tells equal segments: rows are numbered like the columns they equal.
    mine = np.where(same >= 0, same, -1 - np.arange(same.size))
    rows = type(rows)(rows.vectors, rows.speaker, mine[rows.order])
    return count_all_pairs(
        Comparison(rows, columns, names, symmetric, same_segment=True), similarity=similarity
    )
