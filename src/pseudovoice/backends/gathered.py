"""Several recordings of one voice at once: groups of utterances in place of single ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isqrt

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pseudovoice.backends.backend import Backend
from pseudovoice.backends.best_of import is_told, normalised
from pseudovoice.backends.compare import MOST_EXACT, factors
from pseudovoice.calibration.ladder import Floats
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.scores.scoreset import ScoreSet, named_scores


@dataclass(frozen=True)
class Groups:
    """Disjoint groups of utterances, each of one person."""

    speakers: tuple[str, ...]
    members: tuple[tuple[str, ...], ...]

    def __len__(self) -> int:
        return len(self.members)


def most_gathered(speech: Embeddings) -> int:
    """The largest group of which at least half of the people can give two."""
    counts = [speech.speakers.count(name) for name in set(speech.speakers)]
    return max(1, int(np.median(counts)) // 2)


def deal(speech: Embeddings, size: int, *, most_exact: int = MOST_EXACT) -> Groups:
    """Deal each person's utterances into disjoint groups of ``size``.

    Who has not enough for two groups has two halves of what there is: everybody is on both sides
    of trials, whatever the size. The order is that of a hash of the ids, so that it hangs on no
    order of files, and larger groups are unions of smaller ones. Where all pairs of groups were
    more than ``most_exact``, some of them are left out, evenly.
    """
    mine: dict[str, list[str]] = {}
    for name, speaker in zip(speech.ids, speech.speakers, strict=True):
        mine.setdefault(speaker, []).append(name)
    dealt = [
        (speaker, group)
        for speaker, names in sorted(mine.items())
        for group in _hands(sorted(names, key=_shuffle), size)
    ]
    most = isqrt(most_exact)
    if len(dealt) > most:
        dealt = [dealt[k] for k in np.linspace(0, len(dealt) - 1, most).astype(int)]
    return Groups(tuple(speaker for speaker, _ in dealt), tuple(group for _, group in dealt))


def _shuffle(name: str) -> bytes:
    return hashlib.sha256(f"gathering {name}".encode()).digest()


def _hands(names: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    each = min(size, max(1, len(names) // 2))
    for start in range(0, len(names) - each + 1, each):
        yield tuple(names[start : start + each])


Compared = tuple[Embeddings, Embeddings]
"""A version that an attacker enrols, and one that it looks in."""


def gathered(
    sessions: Sequence[Sequence[Sequence[Compared]]],
    enrolled: Groups,
    tried: Groups,
    backend: Backend | None = None,
) -> Iterator[tuple[int, ScoreSet]]:
    """Scores of groups of a person with groups of a voice after 1, 2, 4 … and all sessions.

    s_gh = mean_r z(max_k z(m_gh^(k, r))), where m is the mean score of all utterances of g under
    try k with all of h in session r, and z is :func:`normalised`. All utterances of a session share
    the draw of their speaker: what they have in common is gathered before the best try is chosen,
    and each session, which has another draw, has a best try of its own. How good the best of many
    tries is depends on the pseudo-voice, too, hence the second z. A session is the tries in it, and
    a try what is compared, as in :func:`~pseudovoice.backends.best_of.both_ways`. Groups that share
    an utterance are no trial. What a try or a session lacks of a group, the rest of the group
    stands for.
    """
    total, told = np.zeros((2, len(enrolled), len(tried)))
    apart = _apart(enrolled, tried)
    for count, tries in enumerate(sessions, 1):
        best = np.full(total.shape, -np.inf)
        for both in tries:
            scored = [_between(enrolled, tried, *versions, backend) for versions in both]
            is_trial = np.logical_and.reduce([apart, *(there for _, there in scored)])
            z = np.mean([normalised(score, is_trial) for score, _ in scored], axis=0)
            np.maximum(best, z, out=best, where=is_trial)
        known = np.isfinite(best)
        total[known] += normalised(np.where(known, best, 0.0), known)[known]
        told += known
        if is_told(count, len(sessions)):
            yield count, _trials(total, told, enrolled, tried)


def _apart(enrolled: Groups, tried: Groups) -> NDArray[np.bool_]:
    """Which groups have no utterance in common."""
    places: dict[str, list[int]] = {}
    for k, names in enumerate(tried.members):
        for name in names:
            places.setdefault(name, []).append(k)
    apart = np.ones((len(enrolled), len(tried)), dtype=bool)
    for row, names in enumerate(enrolled.members):
        apart[row, [k for name in names for k in places.get(name, ())]] = False
    return apart


def _between(
    enrolled: Groups,
    tried: Groups,
    rows: Embeddings,
    columns: Embeddings,
    backend: Backend | None,
) -> tuple[Floats, NDArray[np.bool_]]:
    """The mean score of each group with each, and of which of these there is speech.

    Scores are products, and a mean of products of all with all is the product of the means.
    """
    a, b = factors(rows, columns, backend)
    of_rows, of_columns = _means(enrolled, rows), _means(tried, columns)
    # Digits that only tell in which order a product was added up would break ties.
    score: Floats = np.round((of_rows @ a) @ (of_columns @ b).T, 12)
    here, there = (np.diff(of.indptr) > 0 for of in (of_rows, of_columns))
    return score, here[:, None] & there


def _means(groups: Groups, speech: Embeddings) -> csr_array:
    """The matrix that takes the mean of each group; an empty row where nothing of it is there."""
    place = {name: k for k, name in enumerate(speech.ids)}
    found = [[place[name] for name in names if name in place] for names in groups.members]
    counts = [len(rows) for rows in found]
    share = [1 / n for n in counts for _ in range(n)]
    return csr_array(
        (share, [k for rows in found for k in rows], np.cumsum([0, *counts])),
        shape=(len(groups), len(speech)),
    )


def _trials(total: Floats, told: Floats, enrolled: Groups, tried: Groups) -> ScoreSet:
    names = tuple(sorted({*enrolled.speakers, *tried.speakers}))
    code = {name: k for k, name in enumerate(names)}
    one, other = (
        np.array([code[name] for name in side.speakers], np.int32) for side in (enrolled, tried)
    )
    row, column = np.nonzero(told)
    mean = total[row, column] / told[row, column]
    return named_scores(mean, one[row], other[column], names, method="exhaustive")
