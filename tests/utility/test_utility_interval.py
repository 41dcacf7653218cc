"""Intervals over speakers."""

from __future__ import annotations

import numpy as np
import pytest

from pseudovoice.utility.interval import Ratio, draws, interval


def test_equal_speakers_have_no_spread() -> None:
    ratio = Ratio(np.full(10, 2.0), np.full(10, 8.0))
    found = interval(ratio, drawn=draws(10, 200, 0))
    assert (found.value, found.low, found.high) == (0.25, 0.25, 0.25)


def test_width_is_that_of_the_normal_approximation() -> None:
    rng = np.random.default_rng(5)
    scores = rng.normal(3.0, 0.5, 200)
    found = interval(Ratio(scores, np.ones(200)), drawn=draws(200, 4000, 1))
    assert found.low is not None
    assert found.high is not None
    half = 1.96 * scores.std() / np.sqrt(200)
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=0.06)
    assert (found.high + found.low) / 2 == pytest.approx(scores.mean(), abs=0.1 * half)


def test_change_is_paired() -> None:
    """Speakers differ widely, their change not at all: its interval is a point."""
    before = np.random.default_rng(2).uniform(0, 50, 20)
    words = np.full(20, 100.0)
    drawn = draws(20, 300, 0)
    found = interval(Ratio(before + 5, words), minus=Ratio(before, words), drawn=drawn)
    assert found.value == pytest.approx(0.05)
    assert found.low == pytest.approx(0.05)
    assert found.high == pytest.approx(0.05)
    alone = interval(Ratio(before + 5, words), drawn=drawn)
    assert alone.low is not None
    assert alone.low < alone.value - 0.02


def test_too_few_speakers_have_no_interval() -> None:
    # Two of four have something to count.
    ratio = Ratio(np.array([1.0, 0, 0, 2.0]), np.array([10.0, 0, 0, 10.0]))
    found = interval(ratio, drawn=draws(4, 200, 0))
    assert (found.value, found.low, found.high) == (0.15, None, None)
    assert draws(4, 0, 0) is None
    assert np.isnan(interval(Ratio(np.zeros(3), np.zeros(3)), drawn=draws(3, 50, 0)).value)


def test_what_never_happened_may_still_happen() -> None:
    """Chance to see none among 40 if a share p of speakers has one: (1 − p)^40 = 2.5 % at 8.8 %."""
    none, five = np.zeros(40), np.full(40, 5.0)
    found = interval(Ratio(none, five), drawn=draws(40, 100, 0), events=True)
    assert found.low == 0.0
    assert found.high == pytest.approx(0.0881, abs=1e-4)
    assert (1 - (found.high or 0)) ** 40 == pytest.approx(0.025)
    same = interval(
        Ratio(none, five), minus=Ratio(none, five), drawn=draws(40, 100, 0), events=True
    )
    assert (same.low, same.high) == (-(found.high or 0), found.high)
    some = none.copy()
    some[3] = 1.0
    seen = interval(Ratio(some, five), drawn=draws(40, 400, 0), events=True)
    assert seen.high is not None
    assert 0.005 <= seen.high < 0.03
