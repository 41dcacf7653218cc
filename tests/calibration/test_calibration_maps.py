"""Maps an attacker learns on one run and applies to another."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from pseudovoice import InputError, calibrate, learn_isotonic, learn_linear
from pseudovoice.assessment.goodness import cllr
from pseudovoice.calibration.maps import IsotonicMap, LinearMap, fit_linear, map_from_dict

scores = st.lists(st.integers(-6, 6), min_size=1, max_size=20)


def two_classes(seed: int, gap: float = 1.0, spread: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(gap, spread, 60), rng.normal(0.0, spread, 400)


@pytest.mark.parametrize(("gap", "spread"), [(1.0, 1.0), (0.0, 3.0), (-2.0, 1.0), (50.0, 40.0)])
def test_linear_map_is_balanced_logistic_regression(gap: float, spread: float) -> None:
    mated, nonmated = two_classes(1, gap, spread)
    learnt = learn_linear(mated, nonmated)
    oracle = LogisticRegression(
        C=np.inf, class_weight="balanced", solver="newton-cholesky", tol=1e-12
    ).fit(
        np.concatenate([mated, nonmated])[:, None], np.repeat([1, 0], [mated.size, nonmated.size])
    )
    assert learnt.slope == pytest.approx(oracle.coef_[0, 0], rel=1e-5, abs=1e-8)
    assert learnt.offset == pytest.approx(oracle.intercept_[0], rel=1e-5, abs=1e-7)
    assert not learnt.separable


def test_linear_map_minimises_cllr() -> None:
    mated, nonmated = two_classes(2)
    learnt = learn_linear(mated, nonmated)
    best = cllr(learnt(mated), learnt(nonmated))
    assert best < 1.0
    for slope, offset in ((1.01, 0.0), (0.99, 0.0), (1.0, 0.01), (1.0, -0.01)):
        other = LinearMap(learnt.slope * slope, learnt.offset + offset)
        assert cllr(other(mated), other(nonmated)) > best


@given(st.floats(0.01, 100.0), st.floats(-100.0, 100.0))
def test_linear_map_undoes_an_affine_change(scale: float, shift: float) -> None:
    mated, nonmated = two_classes(3)
    plain = learn_linear(mated, nonmated)
    moved = learn_linear(scale * mated + shift, scale * nonmated + shift)
    np.testing.assert_allclose(moved(scale * mated + shift), plain(mated), rtol=1e-4, atol=1e-6)


def test_weights_stand_for_repeated_scores() -> None:
    rng = np.random.default_rng(4)
    score = np.arange(8.0)
    mated, nonmated = rng.integers(0, 4, 8).astype(float), rng.integers(0, 4, 8).astype(float)
    weighted = fit_linear(score, mated, nonmated)
    repeated = learn_linear(
        np.repeat(score, mated.astype(int)), np.repeat(score, nonmated.astype(int))
    )
    assert weighted.slope == pytest.approx(repeated.slope, rel=1e-6)
    assert weighted.offset == pytest.approx(repeated.offset, rel=1e-6)


def test_separated_classes_keep_a_finite_slope() -> None:
    for mated, nonmated in (([3.0, 4.0], [0.0, 1.0]), ([0.0, 1.0], [3.0, 4.0])):
        learnt = learn_linear(mated, nonmated)
        assert learnt.separable
        assert 0.0 < abs(learnt.slope) < 5.0
        assert (learnt.slope > 0) == (mated[0] > nonmated[0])
    # One trial each: Platt's targets are 2/3 and 1/3, so the LLRs are ±ln 2.
    np.testing.assert_allclose(learn_linear([1.0], [0.0])([0.0, 1.0]), [-np.log(2), np.log(2)])


def test_constant_scores_teach_nothing() -> None:
    learnt = learn_linear([0.1] * 3, [0.1] * 7)
    assert (learnt.slope, learnt.offset) == (0.0, 0.0)
    flat = learn_isotonic([1.0] * 5, [1.0] * 5)
    np.testing.assert_array_equal(flat([-5.0, 1.0, 5.0]), np.zeros(3))


@given(mated=scores, nonmated=scores)
def test_isotonic_map_is_the_laplace_oracle_on_its_own_scores(mated: list, nonmated: list) -> None:
    learnt = learn_isotonic(mated, nonmated)
    oracle = calibrate(mated, nonmated, laplace=True)
    np.testing.assert_allclose(learnt(mated + nonmated), oracle(mated + nonmated), atol=1e-12)
    everywhere = learnt(np.linspace(-10, 10, 201))
    assert np.isfinite(everywhere).all()
    assert (np.diff(everywhere) >= 0).all()


def test_isotonic_map_between_and_beyond_its_blocks() -> None:
    learnt = learn_isotonic([3.0, 4.0], [0.0, 1.0])
    low, high = learnt([1.0, 3.0])
    assert low == pytest.approx(-np.log(3))
    assert high == pytest.approx(np.log(3))
    np.testing.assert_allclose(
        learnt([-9.0, 0.5, 1.0, 2.0, 2.5, 3.5, 9.0]),
        [low, low, low, (low + high) / 2, low + 0.75 * (high - low), high, high],
    )


@pytest.mark.parametrize("learn", [learn_linear, learn_isotonic])
def test_maps_survive_json(learn) -> None:
    mated, nonmated = two_classes(5)
    learnt = learn(mated, nonmated)
    again = map_from_dict(json.loads(json.dumps(learnt.to_dict(), allow_nan=False)))
    assert type(again) is type(learnt)
    new = np.linspace(-5, 5, 1001)
    np.testing.assert_array_equal(again(new), learnt(new))


def test_separable_survives_json() -> None:
    again = map_from_dict(json.loads(json.dumps(learn_linear([1.0], [0.0]).to_dict())))
    assert isinstance(again, LinearMap)
    assert again.separable


def test_integers_are_mapped_as_numbers() -> None:
    assert LinearMap(2.0, 1.0)([1, 2]).tolist() == [3.0, 5.0]
    assert IsotonicMap(np.array([0.0, 2.0]), np.array([-1.0, 1.0]))(1).tolist() == 0.0


def test_sentences() -> None:
    with pytest.raises(InputError, match=r"no calibration map .*'cubic'.*expected linear or isoto"):
        map_from_dict({"map": "cubic"})
    for learn in (learn_linear, learn_isotonic):
        with pytest.raises(InputError, match="There is no mated score"):
            learn([], [1.0])
