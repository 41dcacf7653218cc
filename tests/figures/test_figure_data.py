"""The tidy data of each figure are what the picture claims."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from pseudovoice import assess_scores
from pseudovoice.assessment.assess import Assessment
from pseudovoice.assessment.carried_over import actual_run, carried_over
from pseudovoice.assessment.estimate import Estimate
from pseudovoice.assessment.evaluate import evaluate
from pseudovoice.assessment.profile import oracle_curve
from pseudovoice.assessment.reliability import reliability
from pseudovoice.assessment.similarity import SimilarityMatrix
from pseudovoice.assessment.zebra import d_ece, ece
from pseudovoice.assessment.zoo import Zoo
from pseudovoice.errors import InputError
from pseudovoice.figures.calibration_plot import calibration_data
from pseudovoice.figures.diarisation import Distinct, diarisation_data
from pseudovoice.figures.heatmap import draw_heatmap, heatmap_data
from pseudovoice.figures.histograms import histogram_data, robust_edges
from pseudovoice.figures.map import System, draw_map, map_data
from pseudovoice.figures.profiles import (
    PRIORS,
    actual_profiles,
    distortion_profiles,
    oracle_profile,
    profile_data,
)
from pseudovoice.figures.published import PUBLISHED
from pseudovoice.figures.speakers import TOP_NAMED, heights, speakers_data
from pseudovoice.figures.specs import diarisation_figure, numbers_of
from pseudovoice.figures.tidy import columns, to_csv
from pseudovoice.figures.zoo import standing_out, zoo_data
from pseudovoice.scores.scoreset import ScoreSet


def test_heatmap_data_keep_rows_original_and_columns_protected() -> None:
    op = SimilarityMatrix(np.array([[0.1, 0.2], [0.3, 0.4]]), ("a", "b"))
    table = heatmap_data({"op": op})
    cells = dict(
        zip(zip(table["row"], table["column"], strict=True), table["similarity"], strict=True)
    )
    assert cells == {("a", "a"): 0.1, ("a", "b"): 0.2, ("b", "a"): 0.3, ("b", "b"): 0.4}


def test_heatmap_places_the_quadrants_and_leaves_absent_ones_empty() -> None:
    op = SimilarityMatrix(np.array([[0.1, 0.2], [0.3, 0.4]]), ("a", "b"))
    pp = SimilarityMatrix(np.array([[0.9]]), ("b",))
    ax = Figure().subplots()
    draw_heatmap(ax, {"op": op, "pp": pp})
    picture = ax.images[0].get_array()
    fine = picture.shape[0] // 4
    cells = picture[::fine, ::fine]
    assert np.allclose(cells[:2, 2:], op.values)
    assert np.allclose(cells[2:, :2], op.values.T)
    assert cells.mask[:2, :2].all()
    assert cells[3, 3] == 0.9
    assert cells.mask[2:, 2].all()
    assert "absent" in [text.get_text() for text in ax.texts]
    assert sum(patch.get_hatch() is not None for patch in ax.patches) == 1


def test_heatmap_without_any_matrix_says_what_to_do() -> None:
    with pytest.raises(InputError, match="every pair of speakers"):
        draw_heatmap(Figure().subplots(), {})


def test_zoo_data_and_who_stands_out(nasty: Assessment) -> None:
    table = zoo_data(nasty.zoos)
    here = [k for k, c in enumerate(table["condition"]) if c == "op"]
    assert [table["speaker"][k] for k in here] == list(nasty.zoos["op"].speakers)
    assert [table["mean_mated_llr"][k] for k in here] == nasty.zoos["op"].mated.tolist()
    x = np.array([0.0, 1.0, 2.0, 3.0, 40.0])
    y = np.array([0.0, 1.0, 1.0, 1.0, 1.0])
    zoo = Zoo(tuple("abcde"), x, y, ("phantom", *["sheep"] * 4), (1.0, 3.0), (1.0, 1.0))
    assert standing_out(zoo) == [4, 0]


def test_profile_data_hold_cllr_min_and_enclose_d_ece(nasty: Assessment) -> None:
    part = nasty.conditions["op"]
    profile = oracle_profile("x", part.scores.mated_scores, part.scores.nonmated_scores)
    table = profile_data([profile])
    middle = table["prior_log_odds"].index(0.0)
    assert table["ece"][middle] == pytest.approx(1.0)
    assert table["ece"][middle + PRIORS.size] == pytest.approx(nasty.value("op", "cllr_min"))
    prior, curve = np.array(table["ece"]).reshape(2, -1)
    pi = 1.0 / (1.0 + np.exp(-PRIORS))
    area = np.trapezoid((prior - curve) * pi * (1.0 - pi), PRIORS)
    assert area == pytest.approx(nasty.value("op", "d_ece"), abs=1e-4)


def test_distortion_profiles_carry_c_ece_of_the_table(
    nasty: Assessment, nasty_f0: ScoreSet
) -> None:
    f1 = nasty.conditions["op"].scores
    carried = carried_over(nasty_f0, f1)
    assert carried is not None
    assert carried_over(f1, f1) is None, "a safeguard that draws nothing"
    made = distortion_profiles(carried)
    own = evaluate(nasty_f0.mated_scores, nasty_f0.nonmated_scores)
    assert made[0].numbers == f"({own.d_ece:.3f}, {own.l_w:.3f}, {own.tag})", "f0's own, beside"
    assert [p.kind for p in made] == ["oracle", "oracle", "actual", "actual"]
    for profile, metric in zip(made[2:], ("c_ece_linear", "c_ece_isotonic"), strict=True):
        shown = float(profile.numbers.strip("[]").split(";")[0].replace("−", "-"))
        assert shown == pytest.approx(nasty.value("op", metric), abs=5e-4)
        assert profile.ece[PRIORS.size // 2] == pytest.approx(profile.at_half, abs=1e-5)


def test_scores_as_they_are_stand_beside_the_oracle(nasty: Assessment) -> None:
    """Fig. 7: the actual curve is ECE of the scores read as LLRs, and Cllr at even odds."""
    names = ("oo", "op")
    scores = {name: nasty.conditions[name].scores for name in names}
    made = actual_profiles(
        {name: numbers_of(nasty.rows, name) for name in names},
        {n: oracle_curve(s.mated_scores, s.nonmated_scores) for n, s in scores.items()},
        {n: actual_run(s) for n, s in scores.items()},
    )
    assert [p.label for p in made] == ["OO", "OO, as they are", "OP", "OP, as they are"]
    for name, profile in zip(names, made[1::2], strict=True):
        mated, nonmated = scores[name].mated_scores, scores[name].nonmated_scores
        assert profile.at_half == pytest.approx(float(nasty.value(name, "cllr")))
        assert profile.ece == pytest.approx(ece(PRIORS, mated, nonmated), abs=1e-3, rel=1e-3)
        assert (profile.ece >= made[0].ece.min()).all()
        shown = profile.numbers.strip("[]").split(";")[0].replace("−", "-")
        assert float(shown) == pytest.approx(d_ece(mated, nonmated), abs=5e-3, rel=1e-2)


@pytest.mark.parametrize("prior", [0.5, None, 0.1])
def test_oracle_calibrated_scores_lie_on_the_diagonal(prior: float | None) -> None:
    rng = np.random.default_rng(0)
    mated, nonmated = rng.normal(400, 300, 200), rng.normal(-400, 300, 3000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = calibration_data({"op": reliability(mated, nonmated, prior=prior)})
    after = np.array(table["scores"]) == "oracle-calibrated"
    x, y = np.array(table["mean_posterior"]), np.array(table["mated_fraction"])
    assert np.allclose(x[after], y[after], atol=1e-9)
    assert np.abs(x[~after] - y[~after]).max() > 0.01
    for stage in (after, ~after):
        assert np.array(table["n_mated"])[stage].sum() == 200
        assert np.array(table["n_nonmated"])[stage].sum() == 3000
        assert np.array(table["share"])[stage].sum() == pytest.approx(1.0)


def test_histogram_counts_every_score_and_ignores_the_reach_of_a_few() -> None:
    rng = np.random.default_rng(0)
    mated, nonmated = rng.normal(2, 1, 500), np.append(rng.normal(0, 1, 5000), [1e6, -1e6])
    edges = robust_edges(mated, nonmated)
    assert -6 < edges[0] < edges[-1] < 8
    table = histogram_data({"oo": (mated, nonmated)})
    for label, n in (("mated", 500), ("non-mated", 5002)):
        here = np.array(table["trials"]) == label
        counts = np.array(table["count"])[here]
        assert counts.sum() == n
        inside = counts[1:-1].sum() / n
        area = np.array(table["density"])[here][1:-1] @ np.diff(edges)
        assert area == pytest.approx(inside)


def test_histogram_of_equal_scores_has_a_range() -> None:
    edges = robust_edges(np.ones(20), np.ones(50))
    assert edges[0] < 1.0 < edges[-1]


def test_published_points_are_those_of_the_papers(shared: Path) -> None:
    assert len(PUBLISHED) == 30
    text = {
        source: next((shared / "papers").glob(f"{source}*.md")).read_text()
        for source in ("noe2020", "noe2022")
    }
    for point in PUBLISHED:
        for value in (point.deid, point.g_vd):
            assert f"{value:g}" in text[point.source] or f"{value:.2f}" in text[point.source]
    (row,) = [p for p in PUBLISHED if (p.system, p.dataset) == ("B2r", "vctk_test_trials_f")]
    assert (row.deid, row.g_vd, row.source) == (79.98, -1.46, "noe2022")
    assert "Computer Speech" in row.citation


def test_map_data_and_a_gain_of_minus_infinity() -> None:
    systems = [
        System("a", Estimate(0.9, 0.8, 1.0), Estimate(float("-inf"))),
    ]
    table = map_data(systems)
    assert (table["system"][0], table["deid_percent"][0], table["deid_low"][0]) == ("a", 90.0, 80.0)
    assert table["g_vd_db"][0] == float("-inf")
    assert len(table["system"]) == 31
    ax = Figure().subplots()
    draw_map(ax, systems)
    low, high = ax.get_ylim()
    assert -20 < low < high < 5


def test_speakers_come_worst_first_which_in_pp_is_the_least_distinct(nasty: Assessment) -> None:
    table = speakers_data(nasty.speakers)
    for name, sign in (("oo", -1), ("op", -1), ("pq", -1), ("pp", 1)):
        values = [v for v, c in zip(table["d_ece"], table["condition"], strict=True) if c == name]
        assert len(values) == 8
        assert values == sorted(values, key=lambda v, sign=sign: sign * v)


@pytest.mark.parametrize("n", [1, 5, 30, 31, 200])
def test_speaker_lines_fit_a_page_and_the_worst_have_one_each(n: int) -> None:
    at = heights(n)
    assert at.size == n
    assert (np.diff(at) > 0).all()
    assert at[-1] < 36
    assert np.allclose(np.diff(at[:TOP_NAMED]), 1.0)


def test_csv_keeps_digits_and_disarms_formulas() -> None:
    text = to_csv(columns(name=["=1+1", "a,b", "-x", None], value=[0.1 + 0.2, -1.0, True, 3]))
    assert text == "name,value\n'=1+1,0.30000000000000004\n\"a,b\",-1.0\n'-x,true\n,3\n"


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="different lengths"):
        columns(a=[1], b=[1, 2])


def test_speakers_without_intervals_are_drawn_too(nasty: Assessment) -> None:
    scores = {k: part.scores for k, part in nasty.conditions.items() if k == "op"}
    bare = assess_scores(scores, replicates=0, permutations=0)
    table = speakers_data(bare.speakers)
    assert table["d_ece_low"] == [None] * 8
    assert replace(bare, speakers=()).speakers == ()


def test_diarisation_stands_against_the_gain(nasty: Assessment) -> None:
    """The figure of what distinctiveness is for: both numbers of every system, with intervals."""
    gain = nasty.row("pp", "g_vd")
    systems = [
        Distinct("a, b", gain, Estimate(0.31, 0.25, 0.36)),
        Distinct("c", gain, Estimate(0.4)),
    ]
    table = diarisation_data(systems, Estimate(0.12, 0.1, 0.15))
    assert list(table["system"]) == ["unprotected", "a, b", "c"]
    assert list(table["der_percent"]) == pytest.approx([12.0, 31.0, 40.0])
    assert list(table["g_vd_db"]) == pytest.approx([0.0, gain.value, gain.value])
    assert list(table["der_low"])[1:] == [pytest.approx(25.0), None]
    spec = diarisation_figure(systems, Estimate(0.12))
    assert "DER 31.0 % [25.0, 36.0]" in spec.caption
    figure = Figure()
    spec.draw(figure)
    (ax,) = figure.axes
    drawn = {
        tuple(np.round(line.get_xydata()[0], 6)) for line in ax.lines if len(line.get_xdata()) == 1
    }
    assert {(0.0, 12.0), (round(float(gain.value), 6), 31.0)} <= drawn
