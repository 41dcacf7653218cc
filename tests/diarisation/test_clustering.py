"""How many people there are in a recording, from the directions of its windows."""

from __future__ import annotations

import numpy as np
import pytest

from pseudovoice.diarisation.clustering import LEAST_SHARE, voices
from pseudovoice.diarisation.windows import Windows

DIMENSION = 64


def places() -> np.ndarray:
    """Voices of two people, a little alike, and of something that is unlike both."""
    first, second, third = np.eye(DIMENSION)[:3]
    common = np.array([first, second, -third]) + 0.6 * third
    return common / np.linalg.norm(common, axis=1, keepdims=True)


def heard(seconds: dict[int, float], *, spread: float = 0.6, seed: int = 0) -> Windows:
    """Windows of 1.5 s around each of some directions, in turns; so many seconds of each."""
    rng = np.random.default_rng(seed)
    centres = places()
    owners = rng.permutation([k for k, t in seconds.items() for _ in range(round(t / 1.5))])
    noise = rng.standard_normal((len(owners), DIMENSION)) * spread / np.sqrt(DIMENSION)
    directions = centres[owners] + noise
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    spans = tuple((1.5 * k, 1.5 * (k + 1)) for k in range(len(owners)))
    return Windows(spans, directions.astype(np.float32))


def nearest(found: np.ndarray) -> set[int]:
    """Which of the true directions the voices that were found are nearest to."""
    return set((found @ places().T).argmax(axis=1).tolist())


@pytest.mark.parametrize("people", [2, None])
def test_an_odd_group_is_no_person_however_long_the_recording(people: int | None) -> None:
    # A cough, a jingle, a door: unlike everybody, longer than 4 s, and far below a person's share.
    windows = heard({0: 1500.0, 1: 900.0, 2: 12.0})
    assert LEAST_SHARE * 2412 > 12.0
    assert nearest(voices(windows, people)) == {0, 1}


def test_whoever_speaks_little_is_found_where_the_number_is_given() -> None:
    windows = heard({0: 1500.0, 1: 900.0, 2: 12.0})
    assert nearest(voices(windows, 3)) == {0, 1, 2}


def test_whoever_speaks_little_in_every_part_is_one_person() -> None:
    # Two in a hundred of each seven minutes, and of all: groups of that size are joined first.
    windows = heard({0: 3000.0, 1: 2000.0, 2: 200.0})
    assert nearest(voices(windows, 3)) == {0, 1, 2}
    assert nearest(voices(windows)) == {0, 1, 2}


def test_one_person_is_never_two_unless_it_is_said() -> None:
    windows = heard({0: 600.0})
    assert len(voices(windows)) == 1
    assert len(voices(windows, 1)) == 1
