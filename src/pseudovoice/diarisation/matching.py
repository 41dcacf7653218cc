"""The same people in several recordings: the interviewer in all twenty.

The voices that were found in each recording are joined as its windows were, the most alike first,
but two people of one recording never become one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pseudovoice.signal.frames import Float32

SAME = 0.60
"""Cosine of the mean voices of two recordings above which they are one person's."""


def matched(recordings: Sequence[Mapping[str, Float32]]) -> list[dict[str, int]]:
    """For the people of each recording the number, from 0, of whom they are among all.

    Numbers go by who comes first.
    """
    groups: list[tuple[set[tuple[int, str]], Float32]] = [
        ({(place, name)}, voice)
        for place, people in enumerate(recordings)
        for name, voice in people.items()
    ]
    while len(groups) > 1:
        sums = np.stack([total for _, total in groups])
        directions = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
        cosines = directions @ directions.T
        places = [{place for place, _ in members} for members, _ in groups]
        for a, here in enumerate(places):
            for b, there in enumerate(places):
                if here & there:  # of one recording, or the same group
                    cosines[a, b] = -2.0
        a, b = (int(k) for k in np.unravel_index(np.argmax(cosines), cosines.shape))
        if cosines[a, b] < SAME:
            break
        (mine, total), (others, other) = groups[a], groups[b]
        groups[a] = (mine | others, total + other)
        del groups[b]
    order = sorted(groups, key=lambda group: _first(group[0], recordings))
    found: list[dict[str, int]] = [{} for _ in recordings]
    for number, (members, _) in enumerate(order):
        for place, name in members:
            found[place][name] = number
    return found


def _first(
    members: set[tuple[int, str]], recordings: Sequence[Mapping[str, Float32]]
) -> tuple[int, int]:
    return min((place, list(recordings[place]).index(name)) for place, name in members)
