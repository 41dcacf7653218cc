"""Do protected files bear the right speakers' names? A mix-up would pass for good protection."""

from __future__ import annotations

import numpy as np

from pseudovoice.calibration.ladder import Floats
from pseudovoice.errors import few
from pseudovoice.recognition.compare import Side
from pseudovoice.scores.embeddings import unit_length

LIKE_ONESELF, UNLIKE_ONESELF = 0.75, 0.5
"""Places between "as two strangers" (0) and "as oneself" (1): above the first a protected voice is
taken for an original one, below the second it is not taken for its own."""


def mixed_up(original: Side, protected: Side) -> list[str]:
    """Name protected speakers who sound like *another* original speaker sounds like himself.

    A safeguard that hides people does not make them sound exactly like somebody else of the same
    corpus; swapped names do.
    """
    names = sorted({*original.speakers})
    if len(names) < 2:
        return []
    o, p = _centroids(original, names), _centroids(protected, names)
    own = _self_similarity(original, names)
    similar, among = p @ o.T, o @ o.T
    strangers = (among.sum() - among.trace()) / (len(names) * (len(names) - 1))
    # From cosines, whose scale differs between encoders, to a scale of 0 to 1.
    likeness = (similar - strangers) / np.maximum(own - strangers, 1e-6)
    mine = likeness.diagonal().copy()
    np.fill_diagonal(likeness, -np.inf)
    other = likeness.argmax(axis=1)
    taken = [
        f"{names[i]} for {names[j]}"
        for i, j in enumerate(other)
        if likeness[i, j] > LIKE_ONESELF and mine[i] < UNLIKE_ONESELF
    ]
    if not taken:
        return []
    return [
        f"{len(taken)} protected speaker(s) sound exactly like another original speaker "
        f"({few(taken)}): check that both corpora name their speakers alike, or every figure of "
        "protection is wrong."
    ]


def _centroids(side: Side, names: list[str]) -> Floats:
    vectors = unit_length(side.vectors)
    who = np.array([names.index(name) for name in side.speakers])
    sums = np.zeros((len(names), vectors.shape[1]))
    np.add.at(sums, who, vectors)
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    unit: Floats = sums / np.maximum(length, 1e-12)
    return unit


def _self_similarity(side: Side, names: list[str]) -> Floats:
    """Similarity of two halves of each speaker's segments: what 'the same voice' looks like."""
    half = [0] * len(side.ids)
    seen: dict[str, int] = {}
    for k, name in enumerate(side.speakers):
        half[k] = seen.get(name, 0) % 2
        seen[name] = seen.get(name, 0) + 1
    sides = [side.take([k for k, h in enumerate(half) if h == which]) for which in (0, 1)]
    if not sides[1].ids:
        return np.ones(len(names))
    a, b = (_centroids(s, names) for s in sides)
    similar = (a * b).sum(axis=1)
    return np.where(similar > 0, similar, 1.0)
