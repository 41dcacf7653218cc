"""Do protected files bear the right speakers' names? A mix-up would pass for good protection."""

from __future__ import annotations

import numpy as np

from pseudovoice.calibration.ladder import Floats
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.errors import few
from pseudovoice.scores.embeddings import unit_length

LIKE_ONESELF, CLEARLY_MORE = 0.75, 0.25
"""Places between "as two strangers" (0) and "as oneself" (1): above the first a protected voice is
taken for an original one, by the second it must be nearer to that one than to its own. On
LibriSpeech dev, through ge2e, swapped names lie at 1.1 and more, and are nearer by 0.26 and more;
McAdams, and speech played 8 or 15 % slower or faster, give no voice that passes both."""
MOST_NAMED = 40
"""A list that one can go through; more mixed-up names have one cause, not forty."""


def mixed_up(original: Embeddings, protected: Embeddings) -> list[str]:
    """Name protected speakers who sound like *another* original speaker sounds like himself.

    A safeguard that hides people does not make them sound exactly like somebody else of the same
    corpus; swapped names do.
    """
    names = sorted({*original.speakers})
    if len(names) < 2:
        return []
    o, p = _centroids(original, names), _centroids(protected, names)
    similar, among = p @ o.T, o @ o.T
    strangers = (among.sum() - among.trace()) / (len(names) * (len(names) - 1))
    # From cosines, whose scale differs between encoders, to a scale of 0 to 1. One scale for all:
    # that of a speaker with a few utterances would be anything.
    likeness = (similar - strangers) / max(_self_similarity(original, names) - strangers, 1e-6)
    mine = likeness.diagonal().copy()
    np.fill_diagonal(likeness, -np.inf)
    other = likeness.argmax(axis=1)
    taken = [
        f"{names[i]} for {names[j]}"
        for i, j in enumerate(other)
        if likeness[i, j] > LIKE_ONESELF and likeness[i, j] - mine[i] > CLEARLY_MORE
    ]
    if not taken:
        return []
    return [
        f"{len(taken)} protected speaker(s) sound exactly like another original speaker "
        f"({few(taken, MOST_NAMED)}): check that both corpora name their speakers alike, or every "
        "figure of protection is wrong."
    ]


def _centroids(side: Embeddings, names: list[str]) -> Floats:
    vectors = unit_length(side.vectors)
    code = {name: k for k, name in enumerate(names)}
    who = np.array([code[name] for name in side.speakers], np.intp)
    sums = np.zeros((len(names), vectors.shape[1]))
    np.add.at(sums, who, vectors)
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    unit: Floats = sums / np.maximum(length, 1e-12)
    return unit


def _self_similarity(side: Embeddings, names: list[str]) -> float:
    """Median similarity of two halves of a speaker's segments: what 'the same voice' looks like.

    1 where every speaker has one segment only.
    """
    half = [0] * len(side.ids)
    seen: dict[str, int] = {}
    for k, name in enumerate(side.speakers):
        half[k] = seen.get(name, 0) % 2
        seen[name] = seen.get(name, 0) + 1
    several = [k for k, name in enumerate(names) if seen.get(name, 0) > 1]
    if not several:
        return 1.0
    a, b = (
        _centroids(side.take([k for k, h in enumerate(half) if h == which]), names)
        for which in (0, 1)
    )
    return float(np.median((a * b).sum(axis=1)[several]))
