"""The best of several tries: one voice after the other, and what each made more alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pseudovoice.backends.backend import Backend
from pseudovoice.backends.compare import MOST_EXACT, score_matrix, trials_of
from pseudovoice.calibration.ladder import Floats
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.scores.scoreset import ScoreSet


def best_of(
    tries: Sequence[Embeddings],
    columns: Embeddings,
    backend: Backend | None = None,
    *,
    clear: Embeddings | None = None,
    undone: Sequence[Embeddings] = (),
    most_exact: int = MOST_EXACT,
) -> Iterator[tuple[int, ScoreSet]]:
    """Scores after 1, 2, 4 … and all tries: s_ij = z(max_k z_ij^(k)), with z of
    :func:`normalised`. How good the best of many is depends on the pseudo-voice, hence the last z.

    Every try is another version of the same utterances; what one of them lacks is left out.
    The other way round, ``undone`` are versions of the columns, which are compared with ``clear``:
    then a try is one voice both put on and taken away, and z is the mean of the two.
    Everything is tried on, but where that were more than ``most_exact`` trials the attacker makes
    do with some utterances of everybody.
    """
    rounds = both_ways(tries, columns, clear, undone)
    every = [pair for both in rounds for pair in both]
    tried = _common([protected.ids for _, protected in every])
    ids = _spread(_common([rows.ids for rows, _ in every]), most_exact // max(1, len(tried)))
    best: Floats | None = None
    for count, both in enumerate(rounds, 1):
        found = []
        for known, protected in both:
            rows, heard = known.in_order(ids), protected.in_order(tried)
            score, is_trial = score_matrix(rows, heard, backend)
            found.append(normalised(score, is_trial))
        z: Floats = np.mean(found, axis=0)
        best = z if best is None else np.maximum(best, z)
        if is_told(count, len(rounds)):
            yield count, trials_of(normalised(best, is_trial), is_trial, rows, heard)


def both_ways(
    tries: Sequence[Embeddings],
    released: Embeddings,
    clear: Embeddings | None,
    undone: Sequence[Embeddings],
) -> list[list[tuple[Embeddings, Embeddings]]]:
    """For every voice what is compared: the tried with the released, the clear with the undone."""
    rounds = [[(one, released)] for one in tries]
    if clear is not None:
        for both, one in zip(rounds, undone, strict=False):
            both.append((clear, one))
    return rounds


def is_told(count: int, whole: int) -> bool:
    """Whether a curve has a point here: at 1, 2, 4 … and all."""
    return count & (count - 1) == 0 or count == whole


def normalised(score: Floats, is_trial: NDArray[np.bool_]) -> Floats:
    """z_ij: how far a score lies above what is usual for its row, and for its column, on average.

    In standard deviations (s-norm, with the attack's own recordings as the cohort). The attacker
    does not know who is who; what few mated trials there are, are among the others.
    """
    known = np.ma.masked_array(score, ~is_trial)
    rows, columns = (
        (known - known.mean(axis=axis, keepdims=True))
        / np.maximum(known.std(axis=axis, keepdims=True), np.finfo(float).tiny)
        for axis in (1, 0)
    )
    z: Floats = np.ma.filled((rows + columns) / 2, 0.0)
    return z


def _common(ids: Sequence[Sequence[str]]) -> list[str]:
    """Utterances that every version has."""
    common = set(ids[0]).intersection(*ids[1:])
    return [name for name in ids[0] if name in common]


def _spread(whole: list[str], most: int) -> list[str]:
    """All of them, or some that are evenly spread if there are too many."""
    if len(whole) <= most:
        return whole
    return [whole[k] for k in np.linspace(0, len(whole) - 1, max(2, most)).astype(int)]
