"""Every segment of one embedded corpus against every segment of another, as scores or counts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pseudovoice.assessment.allpairs import (
    BINS,
    Comparison,
    SortedVectors,
    count_all_pairs,
    sort_by_speaker,
)
from pseudovoice.backends.backend import Backend
from pseudovoice.backends.counts import counts_key, kept_or_counted
from pseudovoice.calibration.ladder import Floats
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.errors import InputError
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.embeddings import cosines, unit_length
from pseudovoice.scores.scoreset import ScoreSet, named_scores

MOST_EXACT = 4_000_000
"""Trials of a condition that are kept as scores; more are counted on bins."""

AT_ONCE = 4_096
"""Vectors that are brought to unit length at once."""

Singles = NDArray[np.float32]


def compare_all(
    rows: Embeddings,
    columns: Embeddings,
    *,
    backend: Backend | None = None,
    similarity: str = "geometric",
    most_exact: int = MOST_EXACT,
    keep_counts: Path | None = None,
) -> ScoreSet | BinnedScores:
    """Score each row with each column; a segment and its other version are no trial.

    Cosine without a ``backend``. Up to ``most_exact`` trials are kept as scores, more are counted;
    counts are kept in the folder ``keep_counts``, if one is named, and taken from there again.
    """
    if len(rows.ids) * len(columns.ids) > most_exact:
        pair = _codes(rows, columns)
        comparison = _comparison(rows, columns, backend, pair)
        if keep_counts is None:
            return _count(comparison, similarity)
        key = counts_key(
            [comparison.rows.vectors, comparison.columns.vectors,
             pair.row_code, pair.column_code, pair.same],
            pair.names, rows is columns, similarity, comparison.low, comparison.high, BINS,
        )  # fmt: skip
        return kept_or_counted(keep_counts, key, lambda: _count(comparison, similarity))
    score, is_trial = score_matrix(rows, columns, backend)
    return trials_of(score, is_trial, rows, columns)


def score_matrix(
    rows: Embeddings, columns: Embeddings, backend: Backend | None
) -> tuple[Floats, NDArray[np.bool_]]:
    """Each row with each column, and which of these are trials."""
    symmetric = rows is columns
    a, b = factors(rows, columns, backend)
    score = cosines(a, b, symmetric=symmetric) if backend is None else a @ b.T
    same = _codes(rows, columns).same
    is_trial = np.ones(score.shape, np.bool_)
    is_trial[np.flatnonzero(same >= 0), same[same >= 0]] = False
    if symmetric and backend is not None:
        score = np.triu(score) + np.triu(score, 1).T
    return score, is_trial


def trials_of(
    score: Floats, is_trial: NDArray[np.bool_], rows: Embeddings, columns: Embeddings
) -> ScoreSet:
    """The trials of a matrix, with who is who."""
    pair = _codes(rows, columns)
    return named_scores(
        score[is_trial],
        np.broadcast_to(pair.row_code[:, None], score.shape)[is_trial],
        np.broadcast_to(pair.column_code, score.shape)[is_trial],
        pair.names,
        method="exhaustive",
    )


@dataclass(frozen=True)
class _Pair:
    """Speakers of both sides as codes, and the column that is each row's own segment (or −1)."""

    names: tuple[str, ...]
    row_code: NDArray[np.int32]
    column_code: NDArray[np.int32]
    same: NDArray[np.intp]


def _codes(rows: Embeddings, columns: Embeddings) -> _Pair:
    names = tuple(sorted({*rows.speakers, *columns.speakers}))
    code = {name: k for k, name in enumerate(names)}
    place = {name: k for k, name in enumerate(columns.ids)}
    return _Pair(
        names,
        np.array([code[name] for name in rows.speakers], np.int32),
        np.array([code[name] for name in columns.speakers], np.int32),
        np.array([place.get(name, -1) for name in rows.ids], np.intp),
    )


def factors(
    rows: Embeddings, columns: Embeddings, backend: Backend | None
) -> tuple[Floats, Floats]:
    """Two matrices whose product is the scores, for any back-end."""
    if backend is None:
        a = unit_length(rows.vectors)
        return a, a if rows is columns else unit_length(columns.vectors)
    form = backend.linear_form(backend.prepare(rows.vectors), backend.prepare(columns.vectors))
    one_a, one_b = np.ones((len(rows.ids), 1)), np.ones((len(columns.ids), 1))
    return (
        np.hstack([form.a, form.row_term[:, None], one_a]),
        np.hstack([form.b, one_b, form.column_term[:, None]]),
    )


def _single_factors(
    rows: Embeddings, columns: Embeddings, backend: Backend | None
) -> tuple[Singles, Singles]:
    """The same in single precision, in which counted scores are computed."""
    if backend is None:
        unit = _unit_singles(rows.vectors)
        return unit, unit if rows is columns else _unit_singles(columns.vectors)
    a, b = factors(rows, columns, backend)
    return a.astype(np.float32), b.astype(np.float32)


def _unit_singles(vectors: Singles) -> Singles:
    """Unit vectors, a few at a time: a million in double precision take 2 GB."""
    unit = np.empty(vectors.shape, np.float32)
    try:
        for k in range(0, len(vectors), AT_ONCE):
            unit[k : k + AT_ONCE] = unit_length(vectors[k : k + AT_ONCE])
    except InputError:
        unit_length(vectors)  # says which row it is among all
        raise
    return unit


def _range(a: Singles, b: Singles) -> tuple[float, float]:
    """Where the scores lie, from a sample; the few beyond are counted in the outermost bins."""
    sample = a[:: max(1, a.shape[0] // 1000)] @ b[:: max(1, b.shape[0] // 1000)].T
    margin = 0.25 * (sample.max() - sample.min()) + 1e-6
    return float(sample.min() - margin), float(sample.max() + margin)


def _comparison(
    rows: Embeddings, columns: Embeddings, backend: Backend | None, pair: _Pair
) -> Comparison:
    """Both sides in single precision and sorted; nothing else of their size is kept."""
    a, b = _single_factors(rows, columns, backend)
    low, high = (-1.0001, 1.0001) if backend is None else _range(a, b)
    left = sort_by_speaker(a, pair.row_code)
    right = left if a is b else sort_by_speaker(b, pair.column_code)
    # `order` tells equal segments: rows are numbered like the columns they equal.
    mine = np.where(pair.same >= 0, pair.same, -1 - np.arange(pair.same.size))
    left = SortedVectors(left.vectors, left.speaker, mine[left.order])
    return Comparison(
        left, right, pair.names, rows is columns, same_segment=True, low=low, high=high
    )


def _count(comparison: Comparison, similarity: str) -> BinnedScores:
    return count_all_pairs(comparison, similarity=similarity)
