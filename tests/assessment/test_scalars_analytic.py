"""Scalars whose value is known without computing it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pseudovoice import d_sys, ece_profile, evaluate
from pseudovoice.assessment import normalised
from pseudovoice.assessment.conditions import CONDITIONS
from pseudovoice.assessment.goodness import cllr
from pseudovoice.assessment.metrics import METRICS, direction
from pseudovoice.assessment.profile import PRIORS, blind_curve
from pseudovoice.assessment.zebra import D_ECE_MAX, ceiling, d_ece, disclosure_of_llr, ece, tag


@pytest.mark.parametrize(("n_mated", "n_nonmated"), [(50, 50), (3, 7), (548, 11196), (7, 3)])
def test_equal_scores(n_mated: int, n_nonmated: int) -> None:
    e = evaluate([4.2] * n_mated, [4.2] * n_nonmated)
    assert e.d_ece == pytest.approx(0.0, abs=1e-15)
    assert e.cllr_min == pytest.approx(1.0, abs=1e-15)
    assert (e.eer, e.l_w, e.tag, e.min_dcf, e.min_dcf_001) == (0.5, 0.0, "0", 1.0, 1.0)
    assert e.d_sys == (0.0 if n_mated >= 10 else None)
    assert e.constant
    assert (e.n_mated, e.n_nonmated) == (n_mated, n_nonmated)


@pytest.mark.parametrize(("n_mated", "n_nonmated"), [(40, 60), (300, 20)])
def test_perfect_separation(n_mated: int, n_nonmated: int) -> None:
    e = evaluate(np.linspace(5, 6, n_mated), np.linspace(0, 1, n_nonmated))
    assert e.d_ece == pytest.approx(1 / (2 * math.log(2)), abs=1e-15)
    assert f"{e.d_ece:.6f}" == "0.721348"
    assert (e.eer, e.eer_kaldi, e.cllr_min, e.min_dcf, e.min_dcf_001) == (0.0,) * 5
    assert e.l_w == pytest.approx(e.l_w_ceiling, rel=1e-12)
    assert not e.constant


def test_scores_that_mislead_are_no_evidence_to_an_oracle() -> None:
    e = evaluate(np.linspace(0, 1, 30), np.linspace(5, 6, 30))
    assert (e.d_ece, e.cllr_min, e.eer, e.l_w, e.tag) == (0.0, 1.0, 0.5, 0.0, "0")
    assert e.cllr > 1.0
    assert e.cllr_cal == pytest.approx(e.cllr - 1.0)


def test_half_of_the_evidence() -> None:
    """Half of each class is beyond doubt, half tied in the middle: half the full disclosure."""
    e = evaluate([0.0, 1.0], [0.0, -1.0])
    assert e.d_ece == pytest.approx(D_ECE_MAX / 2)
    assert e.cllr_min == pytest.approx(0.5)
    assert e.eer == pytest.approx(0.25)


def exact_z(llr: float) -> float:
    """Z(l) by its written form (Eq. 13) in extended precision, away from 0."""
    x = np.longdouble(llr)
    em1 = np.expm1(x)
    return float(np.longdouble(0.5) + (x - em1) / (em1 * em1))


def z_by_series(llr: float) -> float:
    """Z(l) near 0 from its Taylor series: Σ (−1)^(k+1) e^k / (k+2) with e = exp(l) − 1."""
    e = math.expm1(llr)
    return math.fsum((-1) ** (k + 1) * e**k / (k + 2) for k in range(1, 40))


@pytest.mark.parametrize("llr", [-30.0, -5.0, -1.0, -0.3, -0.051, 0.051, 0.3, 1.0, 5.0, 20.0])
def test_disclosure_of_one_llr(llr: float) -> None:
    assert disclosure_of_llr(llr) == pytest.approx(exact_z(llr), rel=1e-10)


@pytest.mark.parametrize("llr", [1e-300, 1e-17, 1e-9, 1e-4, 0.01, 0.0499999, 0.0500001, 0.2])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_disclosure_near_zero(llr: float, sign: float) -> None:
    value = disclosure_of_llr(sign * llr)
    assert value == pytest.approx(z_by_series(sign * llr), rel=1e-11)
    if llr < 1e-3:
        assert value == pytest.approx(sign * llr / 3 - llr**2 / 12, rel=1e-6)


def test_disclosure_limits() -> None:
    np.testing.assert_array_equal(disclosure_of_llr([-np.inf, 0.0, np.inf]), [-np.inf, 0.0, 0.5])
    assert disclosure_of_llr(1e300) == 0.5
    assert disclosure_of_llr(-1e300) == pytest.approx(-1e300)
    assert disclosure_of_llr(-800.0) == pytest.approx(0.5 - 800.0 + 1.0)
    grid = np.linspace(-40, 40, 4001)
    assert (np.diff(disclosure_of_llr(grid)) >= 0).all()
    assert disclosure_of_llr(np.zeros((2, 3))).shape == (2, 3)


def test_d_ece_of_given_llrs() -> None:
    assert d_ece([0.0], [0.0]) == 0.0
    assert d_ece([np.inf], [-np.inf]) == pytest.approx(D_ECE_MAX)
    assert d_ece([-np.inf], [0.0]) == -np.inf
    assert d_ece([-3.0], [3.0]) < 0.0
    assert cllr([0.0, 0.0], [0.0]) == pytest.approx(1.0)
    assert cllr([np.inf], [-np.inf]) == 0.0
    assert cllr([-np.inf], [0.0]) == np.inf


@pytest.mark.parametrize(
    ("l_w", "letter"),
    [
        (0.0, "0"),
        (5e-324, "A"),
        (0.999999, "A"),
        (1.0, "B"),
        (1.999999, "B"),
        (2.0, "C"),
        (3.999999, "C"),
        (4.0, "D"),
        (4.999999, "D"),
        (5.0, "E"),
        (5.999999, "E"),
        (6.0, "F"),
        (300.0, "F"),
    ],
)
def test_tags_at_their_bounds(l_w: float, letter: str) -> None:
    assert tag(l_w) == letter


def test_ceiling() -> None:
    assert f"{ceiling(548, 11196):.5f}" == f"{math.log10(549 * 11196 / 548):.5f}" == "4.04985"
    assert ceiling(1, 1) == pytest.approx(math.log10(2))
    assert ceiling(1000, 10) == pytest.approx(math.log10(11 * 1000 / 10))
    for n_mated, n_nonmated in ((1, 1), (1, 50), (50, 1), (12, 30)):
        best = evaluate(np.arange(n_mated) + 100.0, np.arange(n_nonmated) + 0.0)
        assert best.l_w_ceiling == ceiling(n_mated, n_nonmated)
        assert best.l_w == pytest.approx(best.l_w_ceiling, rel=1e-12)


def test_a_profile_at_even_odds_is_cllr() -> None:
    rng = np.random.default_rng(0)
    mated, nonmated = rng.normal(1, 1, 50), rng.normal(-1, 1, 80)
    e, profile = evaluate(mated, nonmated), ece_profile(mated, nonmated)
    middle = profile.logit_prior.size // 2
    assert profile.logit_prior[middle] == 0.0
    assert profile.prior[middle] == pytest.approx(1.0)
    assert profile.actual is not None
    assert profile.actual[middle] == pytest.approx(e.cllr)
    assert profile.oracle[middle] == pytest.approx(e.cllr_min)
    assert (profile.oracle <= profile.prior + 1e-15).all()
    assert (profile.oracle <= profile.actual + 1e-15).all()
    assert list(profile.table()) == ["prior_log_odds", "ece_prior", "ece_actual", "ece_oracle"]
    short = ece_profile(mated, nonmated, logit_prior=[-700.0, 1.0, 700.0], actual=False)
    assert short.actual is None
    assert list(short.table()) == ["prior_log_odds", "ece_prior", "ece_oracle"]
    assert short.prior[0] == pytest.approx(0.0, abs=1e-12)


def test_the_prior_curve_is_the_entropy_of_the_prior() -> None:
    p = 0.2
    odds = math.log(p / (1 - p))
    entropy = -(p * math.log2(p) + (1 - p) * math.log2(1 - p))
    assert ece(odds, [0.0], [0.0])[0] == pytest.approx(entropy)
    q = 1.0 / (1.0 + np.exp(-PRIORS))
    np.testing.assert_allclose(blind_curve(), -(q * np.log2(q) + (1 - q) * np.log2(1 - q)))


def test_counts_stand_for_repeated_llrs_in_a_profile() -> None:
    once = ece([-1.0, 2.0], [0.5, 0.5, 3.0], [-1.0, 0.0, 0.0])
    counted = ece([-1.0, 2.0], [0.5, 3.0], [-1.0, 0.0, 7.0], [2, 1], [1, 2, 0])
    np.testing.assert_allclose(once, counted)


def test_linkability_by_hand() -> None:
    """20 mated scores: two bins; trapezoid over two centres halves what each bin holds."""
    mated = [0.0] * 5 + [1.0] * 15
    nonmated = [0.0] * 15 + [1.0] * 5
    # Shares 1/4 and 3/4 against 3/4 and 1/4: LR 1/3 (local 0) and 3 (local 1/2).
    assert d_sys(mated, nonmated) == pytest.approx(0.5 * 0.5 * 0.75)
    # omega = 3 makes the ratios 1 (local 0) and 9 (local 4/5).
    assert d_sys(mated, nonmated, omega=3.0) == pytest.approx(0.5 * 0.8 * 0.75)
    assert d_sys([2.0] * 12, [2.0] * 3) == 0.0


def test_normalised_measures() -> None:
    assert normalised.deid_d_ece(0.5, 0.1) == pytest.approx(0.8)
    assert normalised.deid_cllr_min(0.2, 0.9) == pytest.approx(0.7 / 0.8)
    assert normalised.g_d_ece(0.5, 0.05) == pytest.approx(-10.0)
    assert normalised.g_cllr_min(0.2, 0.92) == pytest.approx(-10.0)
    # No protection at all: nothing hidden, nothing lost.
    for formula in (normalised.deid_d_ece, normalised.deid_cllr_min):
        assert formula(0.4, 0.4) == 0.0
    for formula in (normalised.g_d_ece, normalised.g_cllr_min):
        assert formula(0.4, 0.4) == 0.0
    np.testing.assert_array_equal(normalised.g_d_ece([0.5], [0.0]), [-np.inf])


def test_directions() -> None:
    assert {direction(m, "oo") for m in METRICS} == {"reference"}
    assert direction("d_ece", "op") == direction("d_ece", "pq") == "lower"
    assert direction("d_ece", "pp") == "higher"
    assert direction("eer", "op") == "higher"
    assert direction("eer", "pp") == "lower"
    assert direction("deid", "op") == "higher"
    assert direction("g_vd", "pp") == "higher"
    assert set(CONDITIONS) == {"oo", "op", "pp", "pq"}


def test_evaluation_lists_its_numbers() -> None:
    numbers = evaluate([1.0, 2.0], [0.0]).scalars()
    assert "d_sys" not in numbers
    assert "n_mated" not in numbers
    assert numbers["d_ece"] == pytest.approx(D_ECE_MAX)
    assert "d_sys" in evaluate(np.arange(10.0), [0.0]).scalars()
