"""What was heard is not heard again, as long as there is room for it."""

from __future__ import annotations

import numpy as np
import pytest

from pseudovoice.safeguards.heard_before import LONGEST, HeardBefore

ONE, OTHER = (np.random.default_rng(n).standard_normal(1000).astype(np.float32) for n in (1, 2))


@pytest.fixture
def calls() -> list[int]:
    return []


def test_the_same_samples_are_heard_once(calls: list[int]) -> None:
    def hear(x: np.ndarray) -> np.ndarray:
        calls.append(x.size)
        return 2.0 * x

    kept = HeardBefore()
    for _ in range(3):
        np.testing.assert_array_equal(kept("twice", hear, ONE.copy()), 2.0 * ONE)
    assert len(calls) == 1
    kept("twice", hear, OTHER)
    kept("something else", hear, ONE)
    assert len(calls) == 3


def test_what_is_kept_cannot_be_changed_and_gives_way(calls: list[int]) -> None:
    def hear(x: np.ndarray) -> np.ndarray:
        calls.append(x.size)
        return x.copy()

    kept = HeardBefore(room=ONE.nbytes)
    with pytest.raises(ValueError, match="read-only"):
        kept("it", hear, ONE)[0] = 1.0
    kept("it", hear, OTHER)  # there is no room for both
    kept("it", hear, ONE)
    assert len(calls) == 3
    long = np.zeros(LONGEST + 1, np.float32)
    kept("it", hear, long)
    kept("it", hear, long)
    assert len(calls) == 5
    kept.forget()
    kept("it", hear, ONE)
    assert len(calls) == 6
