"""The area under the ROC curve, against counting every pair."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pseudovoice.assessment.auc import aucs, wins


def counted(score: np.ndarray, marks: np.ndarray) -> float:
    inside, outside = score[marks], score[~marks]
    return float(np.mean([(a > b) + 0.5 * (a == b) for a in inside for b in outside]))


ROWS = st.lists(
    st.tuples(st.integers(0, 6), st.booleans(), st.integers(0, 3)), min_size=2, max_size=30
).filter(lambda rows: len({mark for _, mark, _ in rows}) == 2)


@given(ROWS)
def test_both_ways_count_every_pair(rows: list[tuple[int, bool, int]]) -> None:
    score = np.array([float(s) for s, _, _ in rows])
    marks, who = np.array([m for _, m, _ in rows]), np.array([k for _, _, k in rows], np.intp)
    expected = counted(score, marks)
    assert aucs(score[:, None], marks[:, None])[0] == pytest.approx(expected)
    assert wins(score, marks, who, 4).auc()[0] == pytest.approx(expected)


def test_a_speaker_drawn_twice_counts_twice() -> None:
    score = np.array([1.0, 2.0, 3.0, 0.0])
    marks, who = np.array([True, True, False, False]), np.array([0, 1, 2, 3], np.intp)
    found = wins(score, marks, who, 4)
    drawn = np.array([[2.0, 1.0, 1.0, 0.0], [1.0, 0.0, 0.0, 2.0], [1.0, 1.0, 0.0, 0.0]])
    # Twice the first and once the second against the third: none wins. The first against the
    # fourth: always. Nobody off the class: there is no pair.
    assert found.auc(drawn)[:2] == pytest.approx([0.0, 1.0])
    assert np.isnan(found.auc(drawn)[2])


def test_pairs_within_a_speaker_weigh_as_often_as_he_is_drawn() -> None:
    # Speaker 0 has both classes and is told right; between speakers everything is told wrong.
    score = np.array([1.0, 0.0, 2.0])
    marks, who = np.array([True, False, False]), np.array([0, 0, 1], np.intp)
    found = wins(score, marks, who, 2)
    # Drawn three times, the pair within weighs 3, the pair with speaker 1 weighs 3 · 1.
    assert found.auc(np.array([[3.0, 1.0]]))[0] == pytest.approx(0.5)
    assert found.auc(np.array([[3.0, 2.0]]))[0] == pytest.approx(3 / 9)


def test_columns_are_told_apart() -> None:
    score = np.array([[1.0, 4.0], [2.0, 3.0], [3.0, 2.0], [4.0, 1.0]])
    marks = np.array([[False, False], [False, False], [True, True], [True, True]])
    assert aucs(score, marks) == pytest.approx([1.0, 0.0])
    assert np.isnan(aucs(score, np.zeros_like(marks))).all()
