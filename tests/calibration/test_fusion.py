"""Logistic fusion agrees with the calibration of one score, and cannot be led by noise."""

from __future__ import annotations

import numpy as np
import pytest

from pseudovoice.calibration import learn_linear
from pseudovoice.calibration.fusion import learn_fusion


@pytest.fixture
def trials() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(4)
    mated = np.arange(600) < 60
    return rng.normal(size=(600, 3)) + np.where(mated[:, None], [1.5, 1.0, 0.0], 0.0), mated


def test_one_score_is_calibrated_as_ever(trials: tuple[np.ndarray, np.ndarray]) -> None:
    scores, mated = trials
    one = scores[:, :1]
    linear = learn_linear(one[mated, 0], one[~mated, 0])
    fused = learn_fusion(one, mated, ridge=0.0)(one)
    np.testing.assert_allclose(fused, linear(one[:, 0]), atol=2e-3)


def test_two_scores_tell_more_than_either(trials: tuple[np.ndarray, np.ndarray]) -> None:
    scores, mated = trials

    def apart(llr: np.ndarray) -> float:
        return float((llr[mated].mean() - llr[~mated].mean()) / llr[~mated].std())

    assert apart(learn_fusion(scores, mated)(scores)) > 1.1 * max(map(apart, scores.T))


def test_scale_and_place_of_a_score_do_not_matter(trials: tuple[np.ndarray, np.ndarray]) -> None:
    scores, mated = trials
    moved = scores * [1e3, 1.0, 1e-3] - [5.0, 0.0, 1.0]
    np.testing.assert_allclose(
        learn_fusion(moved, mated)(moved), learn_fusion(scores, mated)(scores), atol=1e-4
    )


def test_no_weight_is_negative_and_none_runs_away() -> None:
    mated = np.arange(100) < 20
    parting = np.where(mated, 1.0, -1.0)
    learnt = learn_fusion(np.column_stack([parting, -parting, np.zeros(100)]), mated)
    assert learnt.weight[0] > 0
    assert learnt.weight[1] == 0
    assert np.isfinite(learnt(np.zeros((1, 3)))).all()
    assert abs(learnt.weight).max() < 20
