"""What the networks write: letters, the apostrophe, a space between words, and CTC's blank.

Conventions
-----------
- Number 0 is the blank, 1 the space; then come the letters and the apostrophe.
- A text has been through :func:`pseudovoice.text.normalise.normalise`; letters that are not in
  :data:`LETTERS` are dropped, since no network here has learnt them.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Int64 = NDArray[np.int64]

LETTERS = "abcdefghijklmnopqrstuvwxyz'"
BLANK, SPACE = 0, 1
UNITS: tuple[str, ...] = ("", " ", *LETTERS)

_NUMBER = {unit: number for number, unit in enumerate(UNITS) if unit}


def spelt(text: str) -> Int64:
    """The units of a normalised text, one space between words and none at its ends."""
    kept = "".join(letter for letter in text if letter in _NUMBER)
    return np.array([_NUMBER[letter] for letter in " ".join(kept.split())], dtype=np.int64)


def written(units: Iterable[int]) -> str:
    """The text of some units; blanks are nothing."""
    return "".join(UNITS[unit] for unit in units)


def collapsed(path: Iterable[int]) -> list[int]:
    """CTC's map from a unit per frame to a text: repeats are one, then blanks go."""
    units: list[int] = []
    before = BLANK
    for unit in path:
        if unit not in (before, BLANK):
            units.append(int(unit))
        before = unit
    return units


def frames_needed(units: Int64) -> int:
    """The fewest frames in which CTC can write the units: one each, and a blank in a double."""
    return int(units.size + np.count_nonzero(units[1:] == units[:-1]))
