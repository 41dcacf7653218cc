"""Text into the tokens that a decoder would write it in: byte pair encoding.

Neighbours are joined as long as any two are a token together, those of the lowest number first:
numbers were given in the order in which joining was learnt.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise


def numbers_of(vocabulary: Sequence[bytes]) -> dict[bytes, int]:
    """Every token's number; of twins the last, since the first stand for single bytes."""
    return {token: number for number, token in enumerate(vocabulary)}


def joined(letters: Iterable[bytes], numbers: Mapping[bytes, int]) -> list[int]:
    """The tokens of a text that is given in its smallest parts; unknown parts are left out."""
    parts = [letter for letter in letters if letter in numbers]
    while True:
        pairs = (
            (numbers[left + right], k)
            for k, (left, right) in enumerate(pairwise(parts))
            if left + right in numbers
        )
        _, first = min(pairs, default=(0, -1))
        if first < 0:
            return [numbers[part] for part in parts]
        parts[first : first + 2] = [parts[first] + parts[first + 1]]
