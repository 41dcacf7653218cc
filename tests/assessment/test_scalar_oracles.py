"""The scalars against slow code that follows their definitions."""

from __future__ import annotations

import brute_force
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import logit

from pseudovoice import d_sys, evaluate
from pseudovoice.assessment.goodness import cllr
from pseudovoice.assessment.linkability import bin_edges, bin_of, histogram
from pseudovoice.assessment.zebra import d_ece, ece

scores = st.lists(st.integers(-8, 8), min_size=1, max_size=25)


def ece_gap(prior: float, mated: np.ndarray, nonmated: np.ndarray) -> float:
    """What the LLRs save of the prior's entropy (Eq. 11–12), in bit."""
    odds = logit(prior)
    return float(ece(odds, [0.0], [0.0])[0] - ece(odds, mated, nonmated)[0])


def integral(mated: np.ndarray, nonmated: np.ndarray) -> float:
    value, error = quad(
        ece_gap, 0.0, 1.0, args=(mated, nonmated), epsabs=1e-9, epsrel=1e-9, limit=200
    )
    assert error < 1e-7
    return value


@settings(max_examples=15)
@given(scores, scores)
def test_d_ece_is_the_area_between_the_curves(mated: list, nonmated: list) -> None:
    a, b = brute_force.oracle_llrs(np.array(mated), np.array(nonmated))
    assert evaluate(mated, nonmated).d_ece == pytest.approx(integral(a, b), abs=1e-6)


@pytest.mark.parametrize("spread", [0.01, 1.0, 8.0])
def test_d_ece_of_llrs_that_no_oracle_made(spread: float) -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.0, spread, 12), rng.normal(0.5, spread, 15)
    assert d_ece(a, b) == pytest.approx(integral(a, b), abs=1e-6)
    assert d_ece(a, b) < 0


@given(scores, scores)
def test_costs_and_worst_case(mated: list, nonmated: list) -> None:
    e = evaluate(mated, nonmated)
    a, b = np.array(mated, float), np.array(nonmated, float)
    assert e.cllr == pytest.approx(
        (np.log2(1 + np.exp(-a)).mean() + np.log2(1 + np.exp(b)).mean()) / 2
    )
    plain = brute_force.oracle_llrs(a, b)
    assert e.cllr_min == pytest.approx(cllr(*plain), abs=1e-12)
    assert e.d_ece == pytest.approx(d_ece(*plain), abs=1e-12)
    evidence = len(set(np.concatenate(plain))) > 1
    worst = np.abs(np.concatenate(brute_force.oracle_llrs(a, b, laplace=True))).max() / np.log(10)
    assert e.l_w == pytest.approx(worst if evidence else 0.0, abs=1e-12)


@given(scores, scores)
def test_error_rates(mated: list, nonmated: list) -> None:
    e = evaluate(mated, nonmated)
    a, b = np.array(mated), np.array(nonmated)
    assert e.eer_kaldi == pytest.approx(brute_force.kaldi_eer(a, b), abs=1e-12)
    assert e.eer == pytest.approx(brute_force.rocch_eer(a, b), abs=1e-12)
    assert e.min_dcf == pytest.approx(brute_force.min_dcf(a, b, 0.01), abs=1e-12)
    assert e.min_dcf_001 == pytest.approx(brute_force.min_dcf(a, b, 0.001), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_kaldi_eer_without_ties(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for n_mated, n_nonmated in ((37, 411), (411, 37), (100, 100)):
        a, b = rng.normal(1, 1, n_mated), rng.normal(0, 1, n_nonmated)
        assert evaluate(a, b).eer_kaldi == pytest.approx(brute_force.kaldi_eer(a, b), abs=1e-12)


@pytest.mark.parametrize("omega", [1.0, 0.3, 4.0])
@pytest.mark.parametrize("n_mated", [20, 57, 2000])
def test_linkability(n_mated: int, omega: float) -> None:
    rng = np.random.default_rng(n_mated)
    a, b = rng.normal(1, 1, n_mated), rng.normal(0, 1, 300)
    edges = bin_edges(a, b)
    assert edges.size == min(n_mated // 10, 100) + 1
    assert (edges[0], edges[-1]) == (min(a.min(), b.min()), max(a.max(), b.max()))
    expected = brute_force.d_sys(a, b, edges, omega)
    assert d_sys(a, b, omega=omega) == pytest.approx(expected, abs=1e-12)
    assert evaluate(a, b, omega=omega).d_sys == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.integers(0, 30), min_size=10, max_size=60), st.integers(1, 12))
def test_histograms_put_scores_on_the_edges_where_numpy_does(values: list, bins: int) -> None:
    edges = np.linspace(0, 30, bins + 1)
    expected, _ = np.histogram(values, edges)
    np.testing.assert_array_equal(histogram(np.sort(np.array(values, float)), edges), expected)
    at = bin_of(np.array(values, float), edges)
    np.testing.assert_array_equal(np.bincount(at, minlength=bins), expected)
