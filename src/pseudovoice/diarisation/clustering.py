"""Windows into people: how many there are, and the mean voice of each.

Two passes, so that time and memory do not grow with the square of the length. First the windows of
a few minutes are joined while they are surely one person's (average linkage of cosines); then the
groups of all minutes, whose mean directions are far steadier than single windows, are joined while
any two of them are alike, or as long as they are as many as are known to speak.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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

LONG_SECONDS = 30.0
"""Seconds of windows (they overlap) from which a group's mean direction is a steady one."""

STEADY = 0.1
"""How much more alike two such groups have to be: nothing but the person is left in them."""

SAME = 0.7
"""The same cosine above which they are one person whatever the number of people."""

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
    """Join groups, the most alike first, and take those that are large enough to be a person.

    Given a number of people it is the large ones that are counted, and they are joined as long as
    that leaves so many: an odd small group is unlike everybody, and would else be joined last. If
    there are too few large ones, the largest of the small ones are people, too.
    """
    # Overlapping windows count the same speech more than once, for everybody alike.
    least = max(LEAST_SECONDS, LEAST_SHARE * sum(g.seconds for g in groups))
    found: list[Group] = []
    rest = list(groups)
    for left, likeness in _joining(groups):
        if (likeness < ALIKE) if people is None else (len(left) < people):
            break
        large = [g for g in left if g.seconds >= least]
        if people is None or likeness >= SAME or len(large) >= min(len(found), people):
            found, rest = large, [g for g in left if g.seconds < least]
    missing = max(0, (people or 1) - len(found))
    return found + sorted(rest, key=lambda g: -g.seconds)[:missing]


def _joining(groups: Sequence[Group]) -> Iterator[tuple[list[Group], float]]:
    """The groups as they are, and after every joining of the two most alike; how alike these were.

    The first have not been joined: nothing is more alike.
    """
    left = list(groups)
    yield left, 1.0
    while len(left) > 1:
        directions = np.stack([g.direction for g in left])
        long = np.array([g.seconds >= LONG_SECONDS for g in left])
        cosines = directions @ directions.T - STEADY * np.outer(long, long)
        np.fill_diagonal(cosines, -2.0)
        a, b = sorted(int(k) for k in np.unravel_index(np.argmax(cosines), cosines.shape))
        left = [*left[:a], left[a] + left[b], *left[a + 1 : b], *left[b + 1 :]]
        yield left, float(cosines[a, b])


def unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    direction: NDArray[np.float64] = vector / max(float(np.linalg.norm(vector)), 1e-12)
    return direction
