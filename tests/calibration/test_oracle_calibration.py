"""Oracle calibration: analytic values, invariances and two independent PAVs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from pseudovoice import InputError, calibrate
from pseudovoice.calibration.ladder import ladder, validate
from pseudovoice.calibration.pav import pool_adjacent_violators

scores = st.lists(st.integers(-6, 6), min_size=1, max_size=25)
counts = st.integers(0, 5)


def sklearn_llr(mated: np.ndarray, nonmated: np.ndarray, laplace: bool) -> np.ndarray:
    """LLRs of all scores from scikit-learn's isotonic regression, ties pooled by it."""
    x = np.concatenate([mated, nonmated]).astype(float)
    y = np.repeat([1.0, 0.0], [len(mated), len(nonmated)])
    if laplace:
        low, high = x.min() - 1, x.max() + 1
        x = np.concatenate([x, [low, low, high, high]])
        y = np.concatenate([y, [1.0, 0.0, 1.0, 0.0]])
    p = IsotonicRegression().fit(x, y).predict(x)[: len(mated) + len(nonmated)]
    # Rounding in that fit may leave a posterior of 1e-17 that stands for 0.
    p = np.where(p < 1e-12, 0.0, np.where(p > 1 - 1e-12, 1.0, p))
    with np.errstate(divide="ignore"):
        return np.log(p) - np.log1p(-p) - np.log(len(mated) / len(nonmated))


@pytest.mark.parametrize("laplace", [False, True])
@given(mated=scores, nonmated=scores)
def test_llrs_are_those_of_scikit_learn(laplace: bool, mated: list, nonmated: list) -> None:
    oracle = calibrate(mated, nonmated, laplace=laplace)
    expected = sklearn_llr(np.array(mated), np.array(nonmated), laplace)
    np.testing.assert_allclose(oracle(mated + nonmated), expected, rtol=1e-9, atol=1e-9)


@given(mated=scores, nonmated=scores)
def test_llrs_rise_with_the_score_and_ties_share_one(mated: list, nonmated: list) -> None:
    for laplace in (False, True):
        oracle = calibrate(mated, nonmated, laplace=laplace)
        llr = oracle(sorted(mated + nonmated))
        assert (llr[1:] >= llr[:-1]).all()
        assert (np.diff(oracle.llr) > 0).all()
        assert (oracle.low <= oracle.high).all()
        assert (oracle.high[:-1] < oracle.low[1:]).all()
        assert oracle.mated.sum() == len(mated)
        assert oracle.nonmated.sum() == len(nonmated)


@given(mated=scores, nonmated=scores)
def test_swapping_the_classes_negates_the_llrs(mated: list, nonmated: list) -> None:
    for laplace in (False, True):
        one = calibrate(mated, nonmated, laplace=laplace)(mated)
        other = calibrate(np.negative(nonmated), np.negative(mated), laplace=laplace)(
            np.negative(mated)
        )
        np.testing.assert_allclose(one, -other, atol=1e-12)


@given(mated=scores, nonmated=scores)
def test_laplace_llrs_are_finite_and_under_the_ceiling(mated: list, nonmated: list) -> None:
    a, b = len(mated), len(nonmated)
    llr = calibrate(mated, nonmated, laplace=True)(mated + nonmated)
    assert np.abs(llr).max() <= np.log(max((a + 1) * b / a, (b + 1) * a / b)) + 1e-12


def test_analytic_values() -> None:
    np.testing.assert_array_equal(calibrate([2, 3], [1, 2])([1, 2, 3]), [-np.inf, 0.0, np.inf])
    # One misplaced pair: {1: non, 2: mated, 3: non, 4: mated}; 2 and 3 pool to posterior 1/2.
    np.testing.assert_array_equal(
        calibrate([2, 4], [1, 3])([1, 2, 3, 4]), [-np.inf, 0.0, 0.0, np.inf]
    )
    # Laplace on separated classes: (n + 1) successes of n + 2 at each end, prior taken off.
    llr = calibrate([5.0, 6.0, 7.0], [1.0, 2.0], laplace=True)([1.0, 7.0])
    np.testing.assert_allclose(
        llr, [np.log(1 / 3) - np.log(3 / 2), np.log(4 / 1) - np.log(3 / 2)], rtol=1e-14
    )


@pytest.mark.parametrize("laplace", [False, True])
def test_equal_scores_are_no_evidence(laplace: bool) -> None:
    oracle = calibrate([0.1] * 3, [0.1] * 7, laplace=laplace)
    assert oracle.llr.size == 1
    assert oracle.low[0] == oracle.high[0] == 0.1
    assert (oracle.mated[0], oracle.nonmated[0]) == (3, 7)
    # With Laplace the lower pseudo-scores (posterior 1/2) join the block (3/10), the upper do not.
    expected = np.log(4 / 8) - np.log(3 / 7) if laplace else 0.0
    assert oracle([0.1])[0] == pytest.approx(expected, abs=1e-12)


def test_many_copies_of_one_score_order_free() -> None:
    """100 identical scores carry nothing, in whatever order their labels come."""
    a = calibrate([1.0] * 50, [1.0] * 50)
    assert a.llr.tolist() == [0.0]


def test_shape_is_kept() -> None:
    oracle = calibrate([2, 3], [1, 2], laplace=True)
    assert oracle([[1, 2, 3], [3, 2, 1]]).shape == (2, 3)
    assert oracle(2).shape == ()


@given(st.lists(st.tuples(counts, counts), min_size=1, max_size=8), st.integers(2, 15))
def test_a_row_does_not_depend_on_the_rows_beside_it(pairs: list, rows: int) -> None:
    """One lifted regression serves many replicates; none may leak into another."""
    one = np.array(pairs, float).T
    one[0, 0] += one[0].sum() == 0
    one[1, -1] += one[1].sum() == 0
    rng = np.random.default_rng(rows)
    batch = rng.permuted(np.broadcast_to(one[:, None], (2, rows, one.shape[1])), axis=2)
    for laplace in (False, True):
        together = pool_adjacent_violators(*batch, laplace=laplace)
        llr = together.on_rungs(together.llr)
        mated = together.sum_rows(together.mated)
        np.testing.assert_array_equal(mated, one[0].sum())
        for r in range(rows):
            alone = pool_adjacent_violators(*batch[:, r : r + 1], laplace=laplace)
            filled = batch[:, r].sum(axis=0) > 0
            np.testing.assert_allclose(
                llr[r, filled], alone.on_rungs(alone.llr)[0, filled], atol=1e-12
            )


@given(mated=scores, nonmated=scores)
def test_the_ladder_counts_every_score_once(mated: list, nonmated: list) -> None:
    rungs = ladder(*(np.sort(x) for x in validate(mated, nonmated)))
    assert (rungs.n_mated, rungs.n_nonmated) == (len(mated), len(nonmated))
    assert (rungs.low <= rungs.high).all()
    assert (rungs.high[:-1] < rungs.low[1:]).all()
    for low, high, a, b in zip(rungs.low, rungs.high, rungs.mated, rungs.nonmated, strict=True):
        assert sum(low <= s <= high for s in mated) == a
        assert sum(low <= s <= high for s in nonmated) == b
        assert low == high or min(a, b) == 0  # only ties may mix the classes


def test_the_ladder_is_as_short_as_the_smaller_class_allows() -> None:
    rungs = ladder(np.array([500.5]), np.arange(1000.0))
    assert rungs.low.size == 3
    swapped = ladder(np.arange(1000.0), np.array([500.5]))
    assert swapped.low.size == 3
    np.testing.assert_array_equal(rungs.nonmated, swapped.mated)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float16, np.float32, bool])
def test_any_number_type_gives_the_same_llrs(dtype: type) -> None:
    mated, nonmated = np.array([1, 1, 0, 1], dtype), np.array([0, 0, 1, 0, 0], dtype)
    expected = calibrate(mated.astype(float), nonmated.astype(float))
    np.testing.assert_array_equal(calibrate(mated, nonmated).llr, expected.llr)
    np.testing.assert_array_equal(calibrate(mated, nonmated)(mated), expected(mated))


def test_more_mated_than_nonmated_and_single_trials() -> None:
    np.testing.assert_array_equal(calibrate([1.0], [0.0])([0.0, 1.0]), [-np.inf, np.inf])
    np.testing.assert_array_equal(calibrate([0.0], [1.0])([0.0, 1.0]), [0.0, 0.0])
    many = calibrate(np.arange(1000.0), [500.0])
    assert many.llr.size == 2
    assert many([600.0])[0] == np.inf
    assert many([3.0])[0] == pytest.approx(np.log(501 / 1000))


def test_extreme_but_finite_scores() -> None:
    for scale in (1e300, 5e-324):
        llr = calibrate(np.array([1, 2]) * scale, np.array([0, 1]) * scale)(
            np.array([0, 1, 2]) * scale
        )
        np.testing.assert_array_equal(llr, [-np.inf, 0.0, np.inf])
    zeros = calibrate([0.0, -0.0], [-0.0, 0.0])  # one score, however it is signed
    assert zeros.llr.tolist() == [0.0]


def test_sentences() -> None:
    with pytest.raises(InputError, match="There is no mated score; both classes are needed"):
        calibrate([], [1.0])
    with pytest.raises(InputError, match="There is no non-mated score; both classes are needed"):
        calibrate([1.0], [])
    with pytest.raises(
        InputError, match=r"2 non-mated score\(s\) are not finite \(first at index 1: nan\)"
    ):
        calibrate([1.0], [0.0, np.nan, 2.0, np.inf])
    with pytest.raises(InputError, match=r"1 mated score\(s\) are not finite .*: -inf\); rescore"):
        calibrate([-np.inf], [0.0])
