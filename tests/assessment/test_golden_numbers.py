"""Every golden number of METRICS.md to its printed digits, six significant at most."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from pseudovoice import Assessment, assess_scores, d_sys, ece_profile, evaluate
from pseudovoice.scores.scoreset import ScoreSet


def same_digits(value: float, printed: str) -> bool:
    """Whether a value agrees with the printed one to its digits, six significant at most.

    That is: to half a unit of the last of them (rounding a rounded number again would not do).
    """
    exact = Decimal(printed)
    digits = min(6, len(exact.as_tuple().digits))
    unit = Decimal(10) ** (exact.adjusted() - digits + 1)
    return abs(Decimal(value) - exact) <= unit / 2


def test_the_ruler_itself() -> None:
    assert same_digits(0.58391049, "0.583910")
    assert not same_digits(0.58391051, "0.583910")
    assert same_digits(3.9786682, "3.978669")  # six of seven digits
    assert not same_digits(3.97866, "3.978669")
    assert same_digits(0.46017, "0.46017")
    assert not same_digits(0.4602, "0.46017")
    assert same_digits(8.18108e-5, "8.1811e-5")
    assert not same_digits(8.18116e-5, "8.1811e-5")


SCORES = {
    "oo": {
        "d_ece": "0.583910",
        "l_w": "3.978669",
        "cllr_min": "0.183501",
        "cllr": "26.793341",
        "eer": "0.07165447",
        "eer_kaldi": "0.07664",
        "d_sys": "0.897723",
        "min_dcf": "0.1326",
        "min_dcf_001": "0.1515",
    },
    "op": {
        "d_ece": "0.004643",
        "l_w": "0.297173",
        "cllr_min": "0.993146",
        "eer": "0.46017",
        "d_sys": "0.087170",
    },
    "pp": {
        "d_ece": "0.116676",
        "l_w": "2.009253",
        "cllr_min": "0.829818",
        "eer": "0.30943",
        "d_sys": "0.302190",
    },
}


@pytest.mark.parametrize("condition", SCORES)
def test_scores(golden: dict[str, ScoreSet], condition: str) -> None:
    scores = golden[condition]
    result = evaluate(scores.mated_scores, scores.nonmated_scores)
    assert (result.n_mated, result.n_nonmated) == (548, 11196)
    assert result.tag == {"oo": "C", "op": "A", "pp": "C"}[condition]
    found = {m: (getattr(result, m), text) for m, text in SCORES[condition].items()}
    assert {m: pair for m, pair in found.items() if not same_digits(*pair)} == {}


def test_nine_digit_reference_values(golden: dict[str, ScoreSet], libri: Path) -> None:
    """The reference code adds a ramp of 1e-6 to the LLRs; beyond that we agree with it."""
    for line in csv.DictReader((libri / "metrics.csv").read_text().splitlines()):
        scores = golden[line["cond"]]
        result = evaluate(scores.mated_scores, scores.nonmated_scores)
        assert result.d_ece == pytest.approx(float(line["ref_D_ECE"]), abs=1e-7)
        assert result.l_w == pytest.approx(float(line["ref_lw_log10"]), abs=1e-6)
        assert result.cllr_min == pytest.approx(float(line["ref_Cllr_min"]), abs=1e-7)
        assert result.cllr == pytest.approx(float(line["ref_Cllr_act"]), abs=1e-8)
        assert result.d_sys == pytest.approx(float(line["ref_linkability"]), abs=2e-9)
        assert f"{100 * result.eer:.6f}" == line["ref_ROCCH_EER_nolaplace"]
        assert 100 * result.eer_kaldi == pytest.approx(float(line["pub_EER_kaldi"]), abs=5e-3)
        assert f"{result.min_dcf:.4f}" == line["pub_minDCF01"]
        assert f"{result.min_dcf_001:.4f}" == line["pub_minDCF001"]
        assert result.tag == line["tag"]


def test_assessment_rows_hold_the_same_numbers(golden: dict[str, ScoreSet]) -> None:
    result = assess_scores(golden, replicates=0, permutations=0)
    for condition, expected in SCORES.items():
        for metric, printed in expected.items():
            assert same_digits(float(result.value(condition, metric)), printed)
    assert [result.value(c, "tag") for c in SCORES] == ["C", "A", "C"]
    row = result.row("oo", "l_w")
    assert row.method.endswith("ceiling 4.04985")
    assert result.row("oo", "d_sys").method == "histogram, omega 1, 54 bins"
    assert (row.low, row.high, row.null, row.chance) == (None, None, None, None)


def test_ece_profile(golden: dict[str, ScoreSet], shared: Path) -> None:
    path = shared / "golden" / "published" / "ece_profile_libri_test_trials_f_OO.csv"
    odds, prior, oracle = np.loadtxt(path, delimiter=",", skiprows=1).T
    profile = ece_profile(golden["oo"].mated_scores, golden["oo"].nonmated_scores)
    assert profile.logit_prior.size == 201
    np.testing.assert_allclose(profile.logit_prior, odds, atol=1e-9)
    np.testing.assert_allclose(profile.prior, prior, atol=2e-5)
    np.testing.assert_allclose(profile.oracle, oracle, atol=2e-5)


def test_scores_of_bob(shared: Path) -> None:
    folder = shared / "golden" / "vectors"
    mated = np.loadtxt(folder / "bob_nonsep_positives.txt")
    nonmated = np.loadtxt(folder / "bob_nonsep_negatives.txt")
    assert (mated.size, nonmated.size) == (50, 50)
    result = evaluate(mated, nonmated)
    assert same_digits(result.eer, "0.1163636")
    assert same_digits(result.cllr, "3.618335")
    assert same_digits(result.cllr_min, "0.403062")
    separated = evaluate(
        np.loadtxt(folder / "bob_linsep_positives.txt"),
        np.loadtxt(folder / "bob_linsep_negatives.txt"),
    )
    assert (separated.eer, separated.cllr_min) == (0.0, 0.0)


def test_scores_1(shared: Path) -> None:
    score, label = np.loadtxt(shared / "golden" / "vectors" / "scores_1").T
    result = evaluate(score[label == 1], score[label == 0])
    assert result.d_sys is not None
    assert same_digits(result.d_sys, "0.5063636")
    assert same_digits(result.cllr, "1.26016586")
    assert same_digits(result.cllr_min, "0.06332590")
    assert same_digits(result.eer, "0.0166667")


RANGES = [
    # non-mated, mated: uniform draws of audmetric's test cases
    ((0.0, 0.2), (0.8, 1.0)),
    ((0.0, 0.2), (0.8, 1.0)),
    ((0.1, 0.3), (0.7, 0.9)),
    ((0.2, 0.4), (0.6, 0.8)),
    ((0.3, 0.5), (0.5, 0.7)),
    ((0.4, 0.6), (0.5, 0.7)),
    ((0.3, 0.5), (0.4, 0.6)),
    ((0.4, 0.6), (0.4, 0.6)),
    ((0.5, 0.7), (0.3, 0.5)),
    ((0.3, 0.6), (0.5, 0.8)),
    ((0.2, 0.6), (0.5, 0.9)),
    ((0.1, 0.6), (0.5, 1.0)),
    ((0.4, 0.6), (0.5, 0.7)),
    ((0.0, 1.0), (0.0, 1.0)),
    ((0.0, 1.0), (0.0, 1.0)),
    ((0.0, 1.0), (0.0, 1.0)),
]


@pytest.mark.parametrize("case", range(16))
def test_linkability_of_uniform_draws(shared: Path, case: int) -> None:
    path = shared / "golden" / "vectors" / "audmetric_linkability_results.txt"
    number, omega, expected = np.loadtxt(path, delimiter=",", skiprows=1)[case]
    assert number == case
    # Pairs (non-mated, mated) are drawn one after the other from the legacy generator.
    unit = np.random.RandomState(1).random_sample((1000, 2))
    (low_0, high_0), (low_1, high_1) = RANGES[case]
    nonmated = low_0 + (high_0 - low_0) * unit[:, 0]
    mated = low_1 + (high_1 - low_1) * unit[:, 1]
    assert d_sys(mated, nonmated, omega=omega) == pytest.approx(expected, rel=1e-6)
    result = evaluate(mated, nonmated, omega=omega).d_sys
    assert result == pytest.approx(expected, rel=1e-6)


COSINE = {
    "arithmetic": ("0.986511", "8.1811e-5", "0.999917", "-8.700243"),
    "geometric": ("0.943847", "8.4005e-5", "0.999911", "-9.020072"),
}


@pytest.fixture(scope="module")
def similar(cosine: Callable[[str], dict[str, ScoreSet]]) -> Callable[[str, str], Assessment]:
    sets = {pairing: cosine(pairing) for pairing in ("all", "upper")}

    def assess(similarity: str, pairing: str) -> Assessment:
        return assess_scores(sets[pairing], similarity=similarity, replicates=0, permutations=0)

    return assess


@pytest.mark.parametrize("similarity", COSINE)
def test_similarity_of_cosine_scores(
    similar: Callable[[str, str], Assessment], similarity: str
) -> None:
    result = similar(similarity, "all")
    names = (("oo", "d_diag"), ("op", "d_diag"), ("op", "deid"), ("pp", "g_vd"))
    found = {
        name: (float(result.value(*name)), printed)
        for name, printed in zip(names, COSINE[similarity], strict=True)
    }
    assert {name: pair for name, pair in found.items() if not same_digits(*pair)} == {}


@pytest.mark.parametrize("pairing", ["all", "upper"])
@pytest.mark.parametrize("similarity", COSINE)
def test_similarity_of_the_reference_code(
    similar: Callable[[str, str], Assessment], libri: Path, similarity: str, pairing: str
) -> None:
    record = json.loads((libri / "similarity_cosine.json").read_text())
    year = {"arithmetic": "2020", "geometric": "2022"}[similarity]
    expected = record[f"f_{'full' if pairing == 'all' else 'tri'}_{year}"]
    result = similar(similarity, pairing)
    for condition, key in (("oo", "Doo"), ("op", "Dop"), ("pp", "Dpp")):
        row = result.row(condition, "d_diag")
        assert float(row.value) == pytest.approx(expected[key], abs=2e-6)
        assert row.method == f"exhaustive, {similarity} similarity, {pairing} pairs"
    for condition in ("oo", "op"):
        row = result.row(condition, "d_diag")
        assert [row.n_mated, row.n_nonmated] == expected[f"n_tar_imp_{condition.upper()}"]
    assert float(result.value("op", "deid")) == pytest.approx(expected["DeID"], abs=2e-6)
    assert float(result.value("pp", "g_vd")) == pytest.approx(expected["GVD"], abs=2e-5)
    matrix = result.matrices["op"]
    assert matrix.values.shape == (20, 20)
    assert np.array_equal(matrix.values, matrix.values.T) == (pairing == "upper")


def test_trial_permutations_of_linkability(golden: dict[str, ScoreSet]) -> None:
    """METRICS: labels permuted by trial give D_sys 0.05 to 0.06 on the golden set."""
    scores = golden["oo"]
    rng = np.random.default_rng(0)
    null = []
    for _ in range(20):
        mated = rng.permutation(scores.mated)
        null.append(d_sys(scores.score[mated], scores.score[~mated]))
    assert 0.05 <= np.mean(null) <= 0.06


def test_speaker_permutations_say_that_op_is_chance(golden: dict[str, ScoreSet]) -> None:
    """METRICS: golden OP's D_ECE of 0.0046 lies well inside what renamed speakers give."""
    row = assess_scores({"op": golden["op"]}, replicates=0, permutations=200).row("op", "d_ece")
    assert row.null is not None
    assert row.null_95 is not None
    assert 0.002 < row.null < 0.005
    assert float(row.value) < row.null_95 < 0.012
    assert row.chance is True
