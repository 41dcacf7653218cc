"""The tidy table: every metric with its interval and null level, and what is absent and why."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from simulated import simulate

from pseudovoice import Assessment, ScoreSet, assess_scores, evaluate
from pseudovoice.assessment import normalised
from pseudovoice.assessment.assess import OF_MATRICES, SCALARS
from pseudovoice.assessment.condition import Condition
from pseudovoice.assessment.estimate import Estimate, estimate, tag_estimate
from pseudovoice.assessment.metrics import METRICS
from pseudovoice.assessment.zebra import TAGS
from pseudovoice.library.keep import load
from pseudovoice.scores.scoreset import unnamed_scores, with_pairs

FEW = {"replicates": 60, "permutations": 60}


def three_conditions() -> dict[str, ScoreSet]:
    return {
        "oo": simulate(0, gap=3.0),
        "op": simulate(1, gap=0.5),
        "pp": simulate(2, gap=2.0),
        "pq": simulate(3, gap=1.0),
    }


@pytest.fixture(scope="module")
def result() -> Assessment:
    return assess_scores(three_conditions(), **FEW)


def said(result: Assessment, *fragments: str) -> bool:
    """Whether one warning holds all fragments."""
    return any(all(f in warning for f in fragments) for warning in result.warnings)


def test_every_metric_of_every_condition_has_its_row(result: Assessment) -> None:
    found = [(row.condition, row.metric) for row in result.rows]
    assert len(found) == len(set(found))
    for condition in ("oo", "op", "pp", "pq"):
        assert [m for c, m in found if c == condition][: len(SCALARS)] == list(SCALARS)
    for pair in (
        ("op", "deid"),
        ("pp", "g_vd"),
        ("op", "deid_log"),
        ("pp", "g_vd_log"),
        ("op", "deid_d_ece"),
        ("op", "deid_cllr_min"),
        ("pp", "g_d_ece"),
        ("pp", "g_cllr_min"),
    ):
        assert pair in found
    assert not {m for c, m in found if c == "pq"} & {"deid", "g_vd", "g_d_ece"}


def test_values_are_those_of_evaluate(result: Assessment) -> None:
    for name, scores in three_conditions().items():
        expected = evaluate(scores.mated_scores, scores.nonmated_scores)
        for metric, value in expected.scalars().items():
            assert result.value(name, metric) == value
        assert result.value(name, "tag") == expected.tag
        row = result.row(name, "d_ece")
        assert (row.n_mated, row.n_nonmated) == (24, 120)
        assert (row.unit, row.method) == ("bit", "oracle PAV")


def test_rows_hold_together(result: Assessment) -> None:
    for row in result.rows:
        if row.metric == "tag":
            assert TAGS.index(row.low) <= TAGS.index(row.value) <= TAGS.index(row.high)
            assert (row.null, row.null_95, row.chance) == (None, None, None)
            continue
        info = METRICS[row.metric]
        assert row.low <= row.value <= row.high, row
        assert info.low - 1e-12 <= row.low, row
        assert row.high <= info.high + 1e-12, row
        assert row.null is not None, row
        assert row.null_95 is not None, row
        passed = row.value > row.null_95 if info.evidence > 0 else row.value < row.null_95
        inside = row.low <= row.null <= row.high
        # Raw scores have a scale of their own: passing the null there is no evidence.
        judged = row.metric not in ("cllr", "cllr_cal")
        assert row.chance == ((inside or not passed) if judged else None), row
    assert result.row("oo", "d_ece").chance is False
    assert result.row("op", "d_ece").attacker == "ignorant"
    assert result.row("pq", "d_ece").attacker == "lazy-informed"
    assert result.row("pp", "d_ece").direction == "higher"
    assert result.row("op", "d_ece").direction == "lower"


def test_ratios_follow_their_equations(result: Assessment) -> None:
    value = result.value
    oo, op, pp = (value(c, "d_diag") for c in ("oo", "op", "pp"))
    assert value("op", "deid") == pytest.approx(1 - op / oo)
    assert value("pp", "g_vd") == pytest.approx(10 * np.log10(pp / oo))
    oo, op, pp = (value(c, "d_diag_log") for c in ("oo", "op", "pp"))
    assert value("op", "deid_log") == pytest.approx(1 - op / oo)
    assert value("pp", "g_vd_log") == pytest.approx(10 * np.log10(pp / oo))
    oo, op, pp = (value(c, "d_ece") for c in ("oo", "op", "pp"))
    assert value("op", "deid_d_ece") == pytest.approx(1 - op / oo)
    assert value("pp", "g_d_ece") == pytest.approx(10 * np.log10(pp / oo))
    oo, op, pp = (value(c, "cllr_min") for c in ("oo", "op", "pp"))
    assert value("op", "deid_cllr_min") == pytest.approx((op - oo) / (1 - oo))
    assert value("pp", "g_cllr_min") == pytest.approx(10 * np.log10((1 - pp) / (1 - oo)))


def test_ratio_replicates_pair_the_speakers_and_permute_the_numerator_only() -> None:
    sets = three_conditions()
    result = assess_scores(sets, **FEW)
    oo, op = result.conditions["oo"], result.conditions["op"]
    row = result.row("op", "deid_d_ece")
    ratios = normalised.deid_d_ece(oo.resampled.scalars["d_ece"], op.resampled.scalars["d_ece"])
    ratios = ratios[np.isfinite(ratios)]
    low, high = np.quantile(ratios, [0.025, 0.975])
    assert row.low == pytest.approx(min(2 * row.value - high, row.value))
    assert row.high == pytest.approx(max(min(2 * row.value - low, 1.0), row.value))
    null = 1 - op.permuted.scalars["d_ece"] / oo.evaluation.d_ece
    assert row.null == pytest.approx(null.mean())
    assert row.null_95 == pytest.approx(np.quantile(null, 0.05))


def test_the_same_seed_gives_the_same_table() -> None:
    sets = three_conditions()
    first, again = assess_scores(sets, seed=7, **FEW), assess_scores(sets, seed=7, **FEW)
    assert first.rows == again.rows
    assert first.speakers == again.speakers
    other = assess_scores(sets, seed=8, **FEW)
    assert [r.value for r in first.rows] == [r.value for r in other.rows]
    assert [r.low for r in first.rows] != [r.low for r in other.rows]
    assert [r.null for r in first.rows] != [r.null for r in other.rows]


def test_more_replicates_do_not_change_the_permutations() -> None:
    sets = {"oo": simulate(0)}
    a = assess_scores(sets, replicates=30, permutations=50)
    b = assess_scores(sets, replicates=90, permutations=50)
    assert [(r.null, r.null_95) for r in a.rows] == [(r.null, r.null_95) for r in b.rows]
    c = assess_scores(sets, replicates=30, permutations=90)
    assert [(r.low, r.high) for r in a.rows] == [(r.low, r.high) for r in c.rows]
    assert [(r.low, r.high) for r in a.rows] != [(r.low, r.high) for r in b.rows]


def test_the_order_of_the_trials_does_not_matter(result: Assessment) -> None:
    rng = np.random.default_rng(0)
    shuffled = {}
    for name, scores in three_conditions().items():
        order = rng.permutation(scores.score.size)
        shuffled[name] = replace(
            scores,
            score=scores.score[order],
            mated=scores.mated[order],
            enrol=scores.enrol[order],
            trial=scores.trial[order],
        )
    again = assess_scores(shuffled, **FEW)
    for a, b in zip(result.rows, again.rows, strict=True):
        assert (a.condition, a.metric, a.chance) == (b.condition, b.metric, b.chance)
        for x, y in zip(
            (a.value, a.low, a.high, a.null), (b.value, b.low, b.high, b.null), strict=True
        ):
            assert x == (y if isinstance(y, str) or y is None else pytest.approx(y, abs=1e-9))


def test_how_speakers_are_coded_does_not_matter(result: Assessment) -> None:
    recoded = {}
    for name, scores in three_conditions().items():
        order = np.random.default_rng(1).permutation(len(scores.speakers))
        place = np.argsort(order).astype(np.int32)
        recoded[name] = replace(
            scores,
            enrol=place[scores.enrol],
            trial=place[scores.trial],
            speakers=tuple(scores.speakers[k] for k in order),
        )
    again = assess_scores(recoded, **FEW)
    assert again.rows == result.rows
    assert again.speakers == result.speakers


def test_no_protection_hides_nothing_and_loses_nothing() -> None:
    original = simulate(0, gap=2.0)
    result = assess_scores({"oo": original, "op": original, "pp": original}, **FEW)
    for condition, metric in (
        ("op", "deid"),
        ("pp", "g_vd"),
        ("op", "deid_log"),
        ("pp", "g_vd_log"),
        ("op", "deid_d_ece"),
        ("op", "deid_cllr_min"),
        ("pp", "g_d_ece"),
        ("pp", "g_cllr_min"),
    ):
        row = result.row(condition, metric)
        assert (row.value, row.low, row.high) == (0.0, 0.0, 0.0), row


def test_golden_copy_hides_nothing(golden: dict[str, ScoreSet]) -> None:
    scores = golden["oo"]
    result = assess_scores(
        {"oo": scores, "op": scores, "pp": scores}, replicates=40, permutations=0
    )
    for condition, metric in (("op", "deid"), ("pp", "g_vd")):
        row = result.row(condition, metric)
        assert (row.value, row.low, row.high) == (0.0, 0.0, 0.0)


def test_json_holds_everything(result: Assessment) -> None:
    record = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert set(record) >= {"rows", "warnings", "provenance"}
    assert len(record["rows"]) == len(result.rows)
    assert record["rows"][0]["metric"] == "eer"
    assert set(record["rows"][0]) >= {
        "condition",
        "attacker",
        "metric",
        "value",
        "low",
        "high",
        "null",
        "n_mated",
        "n_nonmated",
        "unit",
        "direction",
        "method",
    }
    assert record["provenance"]["seed"] == 0
    assert (record["provenance"]["replicates"], record["provenance"]["permutations"]) == (60, 60)


def test_what_the_caller_knows_stands_in_the_result() -> None:
    result = assess_scores(
        {"op": simulate(0)},
        replicates=0,
        permutations=0,
        attackers={"op": "semi-informed"},
        notes=["two trials were left out."],
        provenance={"file": "x.scores"},
    )
    assert result.row("op", "eer").attacker == "semi-informed"
    assert result.warnings[0] == "two trials were left out."
    assert result.provenance["file"] == "x.scores"
    with pytest.raises(KeyError, match="deid in condition op"):
        result.row("op", "deid")


class TestDegenerateSets:
    def test_two_speakers(self) -> None:
        result = assess_scores(
            {c: simulate(k, speakers=2) for k, c in enumerate(("oo", "op", "pp"))}, **FEW
        )
        assert result.matrices["oo"].values.shape == (2, 2)
        row = result.row("oo", "d_ece")
        assert (row.low, row.high) == (None, None)  # it would have no width
        assert any("2 speaker(s) are too few" in text for text in result.warnings)
        assert {row.d_ece_low for row in result.speakers} == {None}
        three = assess_scores({"oo": simulate(0, speakers=3)}, **FEW).row("oo", "d_ece")
        assert three.low < three.high
        assert len([s for s in result.speakers if s.condition == "oo"]) == 2

    def test_a_speaker_with_one_trial(self) -> None:
        first = simulate(0, keep=lambda e, t: (e != 5) & (t != 5))
        scores = replace(
            first,
            score=np.append(first.score, 1.0),
            mated=np.append(first.mated, False),
            enrol=np.append(first.enrol, 0).astype(np.int32),
            trial=np.append(first.trial, 5).astype(np.int32),
        )
        result = assess_scores({"oo": scores}, **FEW)
        assert "s05" not in {s.speaker for s in result.speakers}  # no mated trial of theirs
        assert said(result, "oo:", "s05", "left out of the similarity matrix")
        assert result.matrices["oo"].speakers == first.speakers[:5]

    @pytest.mark.parametrize("level", [0.0, 0.1, -37.25])
    def test_constant_scores(self, level: float) -> None:
        scores = simulate(0, spread=0.0)
        constant = replace(scores, score=scores.score + level)
        result = assess_scores({"oo": constant}, **FEW)
        assert said(result, "oo: all scores are equal; they carry no evidence at all.")
        assert result.speakers == ()
        assert (result.value("oo", "tag"), result.value("oo", "d_sys")) == ("0", 0.0)
        assert result.value("oo", "eer") == 0.5
        assert result.value("oo", "d_ece") == pytest.approx(0.0, abs=1e-15)
        row = result.row("oo", "d_ece")
        assert row.chance is True
        assert set(result.zoos["oo"].animal) == {"sheep"}

    def test_fewer_than_ten_mated(self) -> None:
        result = assess_scores({"oo": simulate(0, speakers=4, trials=2)}, **FEW)
        assert said(result, "oo: d_sys is absent: it needs at least 10 mated scores", "are 8.")
        assert "d_sys" not in {r.metric for r in result.rows}
        assert "d_ece" in {r.metric for r in result.rows}

    def test_a_sparse_key(self) -> None:
        scores = simulate(0, speakers=8, keep=lambda e, t: (e == t) | ((t - e) % 8 == 1))
        result = assess_scores({"oo": scores, "op": scores}, **FEW)
        assert result.matrices == {}
        assert said(
            result,
            "oo: d_diag and what follows from it are absent: 48 pair(s) of speakers",
            "the first s00 against s02; the matrix needs a score for every pair.",
        )
        assert said(result, "deid is absent: d_diag is.")
        row = result.row("op", "d_ece")
        assert row.low <= row.value <= row.high
        assert len(result.speakers) == 16

    def test_one_speaker_on_both_sides(self) -> None:
        scores = simulate(0, keep=lambda e, t: (t == 0) & (e < 3))
        result = assess_scores({"oo": scores}, **FEW)
        assert said(result, "d_diag", "1 speaker(s) stand on both sides", "two are needed")

    def test_scores_without_names(self) -> None:
        rng = np.random.default_rng(0)
        scores = unnamed_scores(rng.normal(2, 1, 30), rng.normal(0, 1, 200))
        result = assess_scores({"oo": scores, "op": scores}, **FEW)
        assert said(result, "oo: intervals, null levels", "the score file names no speakers.")
        for row in result.rows:
            assert (row.low, row.high, row.null, row.chance) == (None, None, None, None)
        assert result.value("op", "deid_d_ece") == 0.0
        assert said(result, "deid is absent: d_diag is.")
        assert (result.speakers, result.matrices, result.zoos) == ((), {}, {})

    def test_named_and_unnamed_together(self) -> None:
        rng = np.random.default_rng(0)
        unnamed = unnamed_scores(rng.normal(0, 1, 30), rng.normal(0, 1, 200))
        result = assess_scores({"oo": simulate(0), "op": unnamed}, **FEW)
        assert result.row("oo", "d_ece").low is not None
        assert result.row("op", "d_ece").low is None
        assert result.row("op", "deid_d_ece").low is None

    def test_single_trial_classes(self) -> None:
        one_mated = simulate(0, keep=lambda e, t: (e != t) | ((e == 0) & (np.arange(e.size) == 0)))
        assert one_mated.mated.sum() == 1
        result = assess_scores({"oo": one_mated}, **FEW)
        assert result.row("oo", "d_ece").n_mated == 1
        one_other = simulate(0, keep=lambda e, t: (e == t) | ((e == 0) & (np.arange(e.size) == 4)))
        assert (~one_other.mated).sum() == 1
        result = assess_scores({"oo": one_other}, **FEW)
        assert result.row("oo", "d_ece").n_nonmated == 1
        assert result.value("oo", "eer") <= 0.5

    def test_conditions_with_other_speakers(self) -> None:
        """A condition may know people that another does not; each keeps to its own."""
        pp = simulate(2, speakers=4)
        pp = replace(pp, speakers=tuple("x" + name for name in pp.speakers))
        result = assess_scores({"oo": simulate(0), "pp": pp}, **FEW)
        assert result.matrices["pp"].speakers == pp.speakers
        assert result.row("pp", "g_vd").low is not None

    def test_speakers_who_resemble_others_more_than_themselves(self) -> None:
        scores = simulate(0, gap=-3.0)
        # An oracle calls that no evidence at all (PAV never falls), so D_diag is 0 here; a few
        # speakers who are well recognised give the others a scale to fail on.
        upside_down = replace(
            scores, score=np.where(scores.mated & (scores.enrol == 0), 9.0, scores.score)
        )
        result = assess_scores({"oo": upside_down}, replicates=0, permutations=0)
        matrix = result.matrices["oo"].values
        off = matrix[~np.eye(6, dtype=bool)].mean()
        warned = said(result, "oo: speakers resemble others more than themselves")
        assert warned == (matrix.diagonal().mean() < off - 0.01)


def test_absent_conditions_are_named() -> None:
    result = assess_scores({"op": simulate(0)}, replicates=0, permutations=0)
    assert said(result, "deid is absent: it needs the scores of oo.")
    assert said(result, "g_vd is absent: it needs the scores of oo and pp.")
    assert said(result, "op: c_ece_linear and c_ece_isotonic are absent: no scores of another run")


def test_a_recogniser_that_knows_nothing_has_no_ratios() -> None:
    upside_down = simulate(0, speakers=2, gap=-60.0)
    result = assess_scores({"oo": upside_down, "op": simulate(1)}, replicates=0, permutations=0)
    assert said(result, "deid_d_ece is absent: the scores of OO hold no evidence, the recogniser")
    assert said(
        result, "deid_cllr_min is absent: the scores of OO hold no evidence, the recogniser"
    )


def test_pseudo_voices_without_any_distinction_have_no_gain() -> None:
    upside_down = simulate(0, speakers=2, gap=-60.0)  # to an oracle: one block, no evidence
    result = assess_scores({"oo": simulate(1), "pp": upside_down}, replicates=0, permutations=0)
    assert said(result, "g_d_ece is absent: d_ece(PP) is 0, the pseudo-voices cannot be told apart")
    assert all(np.isfinite(r.value) for r in result.rows if not isinstance(r.value, str))


def test_rounded_replicates_are_said_and_centred(monkeypatch: pytest.MonkeyPatch) -> None:
    from pseudovoice.assessment import condition
    from pseudovoice.assessment.tally import tally

    def coarse(scores: ScoreSet, *, any_labels: bool) -> object:
        return tally(scores, any_labels=any_labels, most_rungs=40)

    sets = {"oo": simulate(0, speakers=8, trials=40, decimals=9)}
    exact = assess_scores(sets, **FEW)
    monkeypatch.setattr(condition, "tally", coarse)
    rounded = assess_scores(sets, **FEW)
    assert "rounded" not in exact.provenance
    assert rounded.provenance["rounded"]["oo"].endswith(" levels")
    for metric in ("d_ece", "cllr_min", "eer", "d_diag"):
        a, b = exact.row("oo", metric), rounded.row("oo", metric)
        assert a.value == b.value  # the figure itself is never rounded
        assert b.low == pytest.approx(a.low, abs=0.02)
        assert b.high == pytest.approx(a.high, abs=0.02)


def test_upper_pairing_counts_each_pair_of_speakers_once() -> None:
    """Replicates of mirrored matrices agree with the matrix they are replicates of."""
    from pseudovoice import score_embeddings

    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(24, 5)) + np.repeat(rng.normal(size=(6, 5)), 4, axis=0)
    names = [f"p{k // 4}" for k in range(24)]
    for pairing in ("all", "upper"):
        scores = score_embeddings(vectors, np.roll(vectors, 1, axis=1), names, pairing=pairing)
        result = assess_scores({"op": scores}, **FEW)
        part = result.conditions["op"]
        for metric in ("d_diag", "d_diag_log", "d_ece", "eer"):
            assert part.observed.scalars[metric][0] == pytest.approx(part.scalar(metric), abs=1e-6)
        row = result.row("op", "d_diag")
        assert row.low <= row.value <= row.high


class TestEstimates:
    rng = np.random.default_rng(0)
    draws = rng.normal(0.3, 0.05, 400)

    def test_basic_interval(self) -> None:
        low, high = np.quantile(self.draws, [0.025, 0.975])
        e = estimate("d_ece", 0.31, self.draws)
        assert (e.low, e.high) == (pytest.approx(0.62 - high), pytest.approx(0.62 - low))
        assert (e.null, e.null_95, e.chance) == (None, None, None)

    def test_percentile_interval_of_the_worst_case(self) -> None:
        low, high = np.quantile(self.draws, [0.025, 0.975])
        e = estimate("l_w", 0.31, self.draws)
        assert (e.low, e.high) == (pytest.approx(low), pytest.approx(high))

    def test_bounds_are_clipped_and_hold_the_value(self) -> None:
        assert estimate("eer", 0.49, self.draws - 0.2).high == 0.5
        assert estimate("d_ece", 0.01, self.draws).low == 0.0
        assert estimate("l_w", 9.0, self.draws).high == 9.0
        assert estimate("d_ece", 0.7, self.draws - 10).low == 0.7

    def test_rounded_scores_are_shifted_back(self) -> None:
        plain = estimate("d_ece", 0.31, self.draws)
        shifted = estimate("d_ece", 0.31, self.draws - 0.02, observed=0.29)
        assert shifted.low == pytest.approx(plain.low)
        assert shifted.high == pytest.approx(plain.high)

    def test_too_few_replicates_give_no_interval(self) -> None:
        assert estimate("d_ece", 0.3, self.draws[:19]) == Estimate(0.3)
        assert estimate("d_ece", 0.3, self.draws[:20]).low is not None
        mostly_nan = np.where(np.arange(400) < 19, self.draws, np.nan)
        assert estimate("d_ece", 0.3, mostly_nan, mostly_nan) == Estimate(0.3)

    def test_chance(self) -> None:
        null = np.linspace(0.0, 0.1, 101)
        above = estimate("d_ece", 0.3, self.draws, null)
        assert (above.null, above.null_95, above.chance) == (
            pytest.approx(0.05),
            pytest.approx(0.095),
            False,
        )
        assert estimate("d_ece", 0.09, None, null).chance is True  # does not pass 95 % of chance
        wide = self.rng.normal(0.3, 0.3, 400)
        assert estimate("d_ece", 0.3, wide, null).chance is True  # its interval holds the null
        # Where small values are evidence, the bound is at the other end.
        low_eer = estimate("eer", 0.1, None, np.linspace(0.4, 0.5, 101))
        assert low_eer.null_95 == pytest.approx(0.405)
        assert low_eer.chance is False
        assert estimate("eer", 0.45, None, np.linspace(0.4, 0.5, 101)).chance is True

    def test_tags_span_their_interval(self) -> None:
        assert tag_estimate(Estimate(2.5, 0.9, 4.2)) == Estimate("C", "A", "D")
        assert tag_estimate(Estimate(0.0)) == Estimate("0")


class TestCalibrationDistortion:
    def test_against_the_maps_themselves(self) -> None:
        from pseudovoice import learn_isotonic, learn_linear
        from pseudovoice.assessment.zebra import d_ece

        f0, f1 = simulate(10, gap=1.0), simulate(11, gap=1.0)
        result = assess_scores({"op": f1}, f0={"op": f0}, **FEW)
        for name, learn in (("c_ece_linear", learn_linear), ("c_ece_isotonic", learn_isotonic)):
            learnt = learn(f0.mated_scores, f0.nonmated_scores)
            row = result.row("op", name)
            assert row.value == pytest.approx(
                d_ece(learnt(f1.mated_scores), learnt(f1.nonmated_scores))
            )
            assert row.value <= result.value("op", "d_ece")  # nobody beats the oracle
            assert row.low <= row.value <= row.high
            assert row.null is not None

    def test_replicates_learn_anew(self) -> None:
        from pseudovoice import learn_isotonic, learn_linear
        from pseudovoice.assessment.condition import Resampling
        from pseudovoice.assessment.distortion import Replicated
        from pseudovoice.assessment.replicates import draw_speakers
        from pseudovoice.assessment.tally import tally
        from pseudovoice.assessment.zebra import d_ece

        f0, f1 = simulate(10, gap=1.0), simulate(11, gap=1.0)
        drawn = draw_speakers(np.random.default_rng(0), 5, 6)
        counts = [tally(f, any_labels=True) for f in (f0, f1)]
        both = Replicated(*counts, Resampling(drawn, np.empty((0, 6), np.intp)))
        for name, learn in (("c_ece_linear", learn_linear), ("c_ece_isotonic", learn_isotonic)):
            found = both.resampled(name)
            for r, weight in enumerate(drawn.astype(int)):
                classes = []
                for f in (f0, f1):
                    often = np.where(f.mated, weight[f.enrol], weight[f.enrol] * weight[f.trial])
                    classes += [
                        np.repeat(f.score[f.mated], often[f.mated]),
                        np.repeat(f.score[~f.mated], often[~f.mated]),
                    ]
                learnt = learn(classes[0], classes[1])
                expected = d_ece(learnt(classes[2]), learnt(classes[3]))
                assert found[r] == pytest.approx(expected, abs=1e-6)

    def test_misleading_maps_give_negative_values(self) -> None:
        f0, f1 = simulate(10, gap=4.0), simulate(11, gap=-4.0)
        result = assess_scores({"op": f1}, f0={"op": f0}, replicates=0, permutations=0)
        assert result.value("op", "c_ece_linear") < 0
        assert result.value("op", "c_ece_isotonic") < 0

    def test_a_deterministic_safeguard_has_none(self) -> None:
        scores = simulate(10)
        result = assess_scores({"op": scores}, f0={"op": scores}, replicates=0, permutations=0)
        assert said(
            result,
            "op: c_ece_linear and c_ece_isotonic are undefined",
            "same scores, the safeguard is deterministic.",
        )
        assert "c_ece_linear" not in {row.metric for row in result.rows}

    def test_without_names_there_is_a_value_and_no_interval(self) -> None:
        rng = np.random.default_rng(0)
        f0 = unnamed_scores(rng.normal(1, 1, 30), rng.normal(0, 1, 90))
        result = assess_scores({"op": simulate(11)}, f0={"op": f0}, **FEW)
        row = result.row("op", "c_ece_linear")
        assert isinstance(row.value, float)
        assert (row.low, row.null) == (None, None)


def test_null_levels_that_cannot_be_had_are_said() -> None:
    """Where hardly any renaming leaves mated trials, there is no null level."""
    scores = simulate(
        0, speakers=8, keep=lambda e, t: (e == t) & (e < 1) | ((e > 3) & (t == e - 3))
    )
    result = assess_scores({"oo": scores}, replicates=0, permutations=60)
    nulls = result.conditions["oo"].permuted.scalars["d_ece"]
    assert said(result, "oo: null levels are absent") == (np.isnan(nulls).mean() > 0.5)


def test_condition_without_resampling() -> None:
    part = Condition("oo", simulate(0), "geometric", None)
    assert part.resampled is None
    assert part.permuted is None
    assert part.replicates_of("d_ece") == (None, None, None)


def test_similarity_rests_on_all_pairs_that_stand_beside_lists(tmp_path: Path) -> None:
    """Rows of matrices are those of the pairs alone, the others those of the lists alone."""
    lists = {"oo": simulate(4, gap=3.0, speakers=8), "op": simulate(5, gap=1.0, speakers=8)}
    lists["pp"] = simulate(6, gap=2.0, speakers=8)
    pairs = {
        k: replace(s, method="exhaustive") for k, s in three_conditions().items() if k in lists
    }
    together = {name: with_pairs(lists[name], pairs[name]) for name in lists}
    both, listed, paired = (assess_scores(one, **FEW) for one in (together, lists, pairs))
    for row in both.rows:
        other = paired if row.metric in OF_MATRICES else listed
        assert row == other.row(row.condition, row.metric)
    assert {row.metric for row in both.rows} >= set(OF_MATRICES)
    assert len(both.matrices["op"].speakers) == 6, "of those who are tried"
    assert len(both.zoos["op"].speakers) == 6
    assert both.speakers == listed.speakers
    kept = load(both.save(tmp_path / "both.json"))
    assert np.array_equal(kept.matrices["op"].values, both.matrices["op"].values)
    assert kept.conditions["op"].evaluation == both.conditions["op"].evaluation
