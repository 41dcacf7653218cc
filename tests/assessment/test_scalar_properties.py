"""What must hold for the scalars of any scores."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pseudovoice import d_sys, ece_profile, evaluate
from pseudovoice.assessment.evaluate import Evaluation, evaluate_counts
from pseudovoice.assessment.zebra import D_ECE_MAX
from pseudovoice.calibration.ladder import ladder, validate

scores = st.lists(st.integers(-40, 40), min_size=1, max_size=40)
RANKED = ("eer", "eer_kaldi", "min_dcf", "min_dcf_001", "cllr_min", "d_ece", "l_w")
"""Scalars that see the order of the scores only."""


def assert_same(a: Evaluation, b: Evaluation, names: tuple[str, ...], atol: float = 0.0) -> None:
    for name in names:
        assert getattr(a, name) == pytest.approx(getattr(b, name), rel=0, abs=atol), name


@given(scores, scores, st.floats(0.01, 100.0), st.floats(-100.0, 100.0))
def test_ranked_scalars_do_not_change_under_scaling_and_shifting(
    mated: list, nonmated: list, scale: float, shift: float
) -> None:
    moved = evaluate(scale * np.array(mated) + shift, scale * np.array(nonmated) + shift)
    assert_same(evaluate(mated, nonmated), moved, RANKED)


@given(scores, scores, st.sampled_from([np.cbrt, np.arctan, np.exp, lambda x: x**3 + x]))
def test_ranked_scalars_do_not_change_under_rising_maps(mated: list, nonmated: list, f) -> None:
    bent = evaluate(f(np.array(mated, float)), f(np.array(nonmated, float)))
    assert_same(evaluate(mated, nonmated), bent, RANKED)


@given(scores, scores, st.integers(-30, 30))
def test_linkability_does_not_change_under_scaling(mated: list, nonmated: list, k: int) -> None:
    mated = mated * 10
    scaled = d_sys(np.ldexp(np.array(mated, float), k), np.ldexp(np.array(nonmated, float), k))
    assert scaled == pytest.approx(d_sys(mated, nonmated), abs=1e-12)


@given(scores, scores)
def test_swapping_the_classes_and_negating_changes_nothing(mated: list, nonmated: list) -> None:
    swapped = evaluate(np.negative(nonmated), np.negative(mated))
    names = ("eer", "cllr_min", "cllr", "d_ece", "l_w", "l_w_ceiling")
    assert_same(evaluate(mated, nonmated), swapped, names, 1e-12)
    assert swapped.tag == evaluate(mated, nonmated).tag


@given(scores, scores, st.randoms(use_true_random=False))
def test_the_order_of_the_trials_does_not_matter(mated: list, nonmated: list, random) -> None:
    before = evaluate(mated, nonmated)
    mated, nonmated = list(mated), list(nonmated)
    random.shuffle(mated)
    random.shuffle(nonmated)
    assert evaluate(mated, nonmated) == before


@given(scores, scores, st.integers(2, 30))
def test_rounding_never_raises_disclosure(mated: list, nonmated: list, step: int) -> None:
    fine = evaluate(mated, nonmated)
    coarse = evaluate(np.floor_divide(mated, step), np.floor_divide(nonmated, step))
    assert coarse.d_ece <= fine.d_ece + 1e-12
    assert coarse.l_w <= fine.l_w + 1e-12
    assert coarse.cllr_min >= fine.cllr_min - 1e-12
    assert coarse.eer >= fine.eer - 1e-12
    assert coarse.min_dcf >= fine.min_dcf - 1e-12


@given(scores, scores, st.integers(2, 5))
def test_repeating_the_data_changes_no_average(mated: list, nonmated: list, times: int) -> None:
    once, more = evaluate(mated, nonmated), evaluate(mated * times, nonmated * times)
    names = ("eer", "min_dcf", "min_dcf_001", "cllr", "cllr_min", "cllr_cal", "d_ece")
    assert_same(once, more, names, 1e-9)
    # l_w is no average (Laplace's pseudo-scores weigh less among more); its ceiling only rises.
    assert more.l_w_ceiling > once.l_w_ceiling


@given(scores, scores)
def test_ranges(mated: list, nonmated: list) -> None:
    e = evaluate(mated, nonmated)
    tiny = 1e-12
    assert -tiny <= e.d_ece <= D_ECE_MAX + tiny
    assert -tiny <= e.cllr_min <= 1 + tiny
    assert 0 <= e.eer <= 0.5
    assert 0 <= e.eer_kaldi < 1
    assert 0 <= e.min_dcf <= 1
    assert 0 <= e.min_dcf_001 <= 1
    assert 0 <= e.l_w <= e.l_w_ceiling + tiny
    assert e.cllr >= e.cllr_min - tiny
    assert e.cllr_cal == pytest.approx(e.cllr - e.cllr_min, abs=tiny)
    assert (e.l_w == 0) == (e.tag == "0")
    assert (e.d_sys is None) == (len(mated) < 10)
    assert e.d_sys is None or -tiny <= e.d_sys <= 1 + tiny


@given(scores, scores, scores, scores)
def test_counts_of_two_halves_add_up_to_the_whole(a: list, b: list, c: list, d: list) -> None:
    """Rungs of the whole set: counts of shards on them add up to the same scalars."""
    whole = ladder(*(np.sort(x) for x in validate(a + c, b + d)))

    def count(values: list) -> np.ndarray:
        at = np.searchsorted(whole.low, values, "right") - 1
        return np.bincount(at, minlength=whole.low.size).astype(float)[None]

    expected = evaluate(a + c, b + d)
    merged, _ = evaluate_counts(
        count(a) + count(c), count(b) + count(d), np.array([expected.cllr]), None, None
    )
    for name in RANKED:
        assert merged[name][0] == pytest.approx(getattr(expected, name), abs=1e-12), name


@given(scores, scores)
def test_the_oracle_curve_lies_under_every_other(mated: list, nonmated: list) -> None:
    profile = ece_profile(mated, nonmated, logit_prior=np.linspace(-8, 8, 9))
    assert profile.actual is not None
    assert (profile.oracle <= profile.prior + 1e-12).all()
    assert (profile.oracle <= profile.actual + 1e-12).all()
    swapped = ece_profile(
        np.negative(nonmated), np.negative(mated), logit_prior=np.linspace(-8, 8, 9)
    )
    np.testing.assert_allclose(swapped.oracle[::-1], profile.oracle, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int8, np.uint8, np.int64])
def test_any_number_type_gives_the_same_scalars(dtype: type) -> None:
    rng = np.random.default_rng(0)
    mated = rng.integers(3, 20, 40).astype(dtype)
    nonmated = rng.integers(0, 15, 90).astype(dtype)
    assert evaluate(mated, nonmated) == evaluate(mated.astype(float), nonmated.astype(float))


def test_huge_scores_and_small_classes() -> None:
    names = tuple(f.name for f in fields(Evaluation) if f.name in RANKED)
    rng = np.random.default_rng(1)
    mated, nonmated = rng.integers(3, 20, 40), rng.integers(0, 15, 90)
    for scale in (1e300, 1e-300):
        assert_same(evaluate(mated * scale, nonmated * scale), evaluate(mated, nonmated), names)
    assert evaluate(mated * 1e300, nonmated * 1e300).d_sys == pytest.approx(
        evaluate(mated, nonmated).d_sys
    )
    assert evaluate([1.0], [0.0]).eer == 0.0
    assert evaluate([1.0], np.arange(100.0)).n_nonmated == 100
    assert evaluate(np.arange(100.0), [50.0]).l_w_ceiling == pytest.approx(np.log10(200))
