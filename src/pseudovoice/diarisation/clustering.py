"""Windows into people: how many there are, and the mean voice of each.

Two passes, so that time and memory do not grow with the square of the length. First the windows of
a few minutes are joined while they are surely one person's (average linkage of cosines); then the
groups of all minutes, whose mean directions are far steadier than single windows, are joined while
any two of them are alike, or until as many are left as are known to speak.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.diarisation.windows import Windows
from pseudovoice.signal.frames import Float32

CHUNK = 1200
"""Windows that are compared with one another: about seven minutes of speech."""

SURE = 0.45
"""Mean cosine of windows above which they are one person's."""

ALIKE = 0.40
"""Cosine of two groups' mean directions above which they are one person."""

LEAST_SECONDS = 4.0
"""Speech of a person, at least: coughs, laughter and cross-talk make small groups of their own."""

LEAST_SHARE = 0.02
"""The same as a share of all speech, for long recordings."""


@dataclass(frozen=True)
class Group:
    """Windows that are taken for one person's: the sum of their directions, and their seconds."""

    total: NDArray[np.float64]
    seconds: float

    @property
    def direction(self) -> NDArray[np.float64]:
        return unit(self.total)

    def __add__(self, other: Group) -> Group:
        return Group(self.total + other.total, self.seconds + other.seconds)


def voices(windows: Windows, people: int | None = None) -> Float32:
    """The mean direction of every person, [people, dimension]; as many as given, or found.

    Fewer than ``people`` come back only if there are fewer windows.
    """
    weights = windows.seconds
    groups: list[Group] = []
    for first in range(0, len(windows), CHUNK):
        part = slice(first, first + CHUNK)
        directions = windows.directions[part].astype(np.float64)
        groups += _joined(directions, weights[part])
    found = _people(groups, people)
    return np.stack([g.direction for g in found]).astype(np.float32)


def _joined(directions: NDArray[np.float64], weights: NDArray[np.float64]) -> list[Group]:
    """Groups of windows that surely belong together."""
    if len(directions) == 1:
        return [Group(directions[0] * weights[0], float(weights[0]))]
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import pdist

    tree = linkage(pdist(directions, "cosine"), "average")
    labels = fcluster(tree, 1.0 - SURE, "distance")
    return [
        Group(
            (directions[labels == k] * weights[labels == k, None]).sum(axis=0),
            float(weights[labels == k].sum()),
        )
        for k in np.unique(labels)
    ]


def _people(groups: Sequence[Group], people: int | None) -> list[Group]:
    """Join groups, the most alike first."""
    if people is not None:
        return _until(groups, people)
    left = _until(groups, 1, ALIKE)
    # Overlapping windows count the same speech more than once, for everybody alike.
    least = max(LEAST_SECONDS, LEAST_SHARE * sum(g.seconds for g in left))
    large = [g for g in left if g.seconds >= least]
    return large or [max(left, key=lambda g: g.seconds)]


def _until(groups: Sequence[Group], count: int, alike: float = -1.0) -> list[Group]:
    """Join the two most alike until so many are left, or no two are alike any more.

    A small group's direction is noise as much as voice, so given a number of people the smallest
    group joins first if it is too small to be one of them.
    """
    left = list(groups)
    sums = np.stack([g.total for g in left])
    while len(left) > count:
        directions = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
        cosines = directions @ directions.T
        np.fill_diagonal(cosines, -2.0)
        smallest = int(np.argmin([g.seconds for g in left]))
        if alike < 0 and left[smallest].seconds < LEAST_SECONDS:
            a, b = smallest, int(np.argmax(cosines[smallest]))
        else:
            a, b = (int(k) for k in np.unravel_index(np.argmax(cosines), cosines.shape))
            if cosines[a, b] < alike:
                break
        a, b = min(a, b), max(a, b)
        left[a] = left[a] + left[b]
        del left[b]
        sums = np.stack([g.total for g in left])
    return left


def unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    direction: NDArray[np.float64] = vector / max(float(np.linalg.norm(vector)), 1e-12)
    return direction
