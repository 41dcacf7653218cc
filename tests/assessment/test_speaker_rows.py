"""Disclosure per speaker and the zoo, against a direct computation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from simulated import simulate

from pseudovoice import Assessment, ScoreSet, assess_scores, calibrate
from pseudovoice.assessment.zebra import d_ece, tag
from pseudovoice.assessment.zoo import zoo

FEW = {"replicates": 40, "permutations": 40}


def check_rows(result: Assessment, scores: ScoreSet, atol: float = 1e-12) -> None:
    plain = calibrate(scores.mated_scores, scores.nonmated_scores)(scores.score)
    laplace = calibrate(scores.mated_scores, scores.nonmated_scores, laplace=True)(scores.score)
    for row in result.speakers:
        k = scores.speakers.index(row.speaker)
        own = (scores.enrol == k) | (scores.trial == k)
        a, b = own & scores.mated, own & ~scores.mated
        assert (row.n_mated, row.n_nonmated) == (a.sum(), b.sum())
        assert row.d_ece == pytest.approx(d_ece(plain[a], plain[b]), abs=atol)
        assert row.l_w == pytest.approx(np.abs(laplace[own]).max() / np.log(10), abs=atol)
        assert row.tag == tag(row.l_w)


def test_rows_of_made_up_speakers() -> None:
    scores = simulate(0)
    result = assess_scores({"op": scores}, **FEW)
    assert {row.speaker for row in result.speakers} == set(scores.speakers)
    check_rows(result, scores)
    for row in result.speakers:
        assert row.d_ece_low <= row.d_ece <= row.d_ece_high
        assert row.l_w_low <= row.l_w <= row.l_w_high
        assert row.d_ece_null is not None
        assert set(row.to_dict()) >= {"condition", "speaker", "d_ece", "l_w", "tag"}


def test_rows_of_golden_speakers(golden: dict[str, ScoreSet]) -> None:
    for condition, scores in golden.items():
        result = assess_scores({condition: scores}, replicates=0, permutations=0)
        # 16 of 20 speakers are enrolled; only they have mated trials.
        assert len(result.speakers) == 16
        check_rows(result, scores)


def test_the_worst_protected_come_first() -> None:
    scores = simulate(0, gap=1.0)
    # Speaker 3 is given away, speaker 1 misleads the attacker.
    exposed = scores.score + np.where(scores.mated & (scores.enrol == 3), 6.0, 0.0)
    exposed -= np.where(scores.mated & (scores.enrol == 1), 6.0, 0.0)
    result = assess_scores({"op": replace(scores, score=exposed)}, **FEW)
    disclosed = [row.d_ece for row in result.speakers]
    assert disclosed == sorted(disclosed, reverse=True)
    assert result.speakers[0].speaker == "s03"
    assert result.speakers[-1].speaker == "s01"
    assert result.speakers[-1].d_ece < 0
    assert result.speakers[-1].d_ece_low < 0  # not clipped


def test_the_most_disclosed_of_all_is_held_against_the_most_disclosed_by_chance() -> None:
    """Its null level is that of the largest, by hand from shuffled names."""
    scores = simulate(0, gap=0.0, speakers=40)
    result = assess_scores({"op": scores, "pp": scores}, **FEW)
    assert ("pp", "d_ece_person") not in {(r.condition, r.metric) for r in result.rows}
    (row,) = [r for r in result.rows if r.metric == "d_ece_person"]
    assert row.value == pytest.approx(max(r.d_ece for r in result.speakers), abs=1e-12)
    assert row.low <= row.value <= row.high
    part = result.conditions["op"]
    largest = np.nanmax(part.permuted.speaker_d_ece, axis=1)
    assert row.null == pytest.approx(largest.mean())
    assert row.null_95 == pytest.approx(np.quantile(largest, 0.95))
    # Each person alone passes less by chance, so that somebody would always seem to stand out.
    assert row.null_95 > max(r.d_ece_null_95 for r in result.speakers)
    assert row.chance
    exposed = scores.score + np.where(scores.mated & (scores.enrol == 3), 9.0, 0.0)
    told = assess_scores({"op": replace(scores, score=exposed)}, **FEW)
    (row,) = [r for r in told.rows if r.metric == "d_ece_person"]
    assert row.value > row.null_95
    assert not row.chance


def test_a_copy_of_one_condition_gives_the_same_people() -> None:
    scores = simulate(0)
    result = assess_scores({"oo": scores, "op": scores}, **FEW)
    rows = {c: [r for r in result.speakers if r.condition == c] for c in ("oo", "op")}
    assert [replace(r, condition="op") for r in rows["oo"]] == rows["op"]


def test_zoo_places_speakers_by_their_mean_llrs() -> None:
    scores = simulate(0)
    llr = calibrate(scores.mated_scores, scores.nonmated_scores, laplace=True)(scores.score)
    found = assess_scores({"oo": scores}, replicates=0, permutations=0).zoos["oo"]
    assert found.speakers == scores.speakers
    for k in range(len(scores.speakers)):
        own = scores.mated & (scores.enrol == k)
        cross = ~scores.mated & ((scores.enrol == k) | (scores.trial == k))
        assert found.mated[k] == pytest.approx(llr[own].mean())
        assert found.nonmated[k] == pytest.approx(llr[cross].mean())
    table = found.table()
    assert list(table) == ["speaker", "mean_mated_llr", "mean_nonmated_llr", "animal"]


def test_animals() -> None:
    """Four speakers at the corners, four between them."""
    n = 8
    enrol = np.repeat(np.arange(n), n).astype(np.int32)
    trial = np.tile(np.arange(n), n).astype(np.int32)
    own = np.array([5.0, -5.0, 5.0, -5.0, 0.1, 0.2, -0.1, -0.2])
    cross = np.array([-5.0, 5.0, 5.0, -5.0, 0.1, -0.1, 0.2, -0.2])
    llr = np.where(enrol == trial, own[enrol], cross[enrol] + cross[trial])
    scores = replace(simulate(0, speakers=n, trials=1), score=llr)
    found = zoo(scores, llr)
    assert found.animal[:4] == ("dove", "worm", "chameleon", "phantom")
    assert set(found.animal[4:]) == {"sheep"}
    assert found.mated_quartiles == tuple(np.percentile(own, [25, 75]))
    even = zoo(scores, np.zeros(llr.size))
    assert set(even.animal) == {"sheep"}


def test_figures_of_a_speaker_are_never_rounded() -> None:
    """Replicates of large sets run on rounded scores; the figure itself does not."""
    scores = simulate(0, speakers=6, trials=3000, decimals=12, gap=0.1)
    result = assess_scores({"op": scores}, replicates=0, permutations=0)
    assert result.conditions["op"].labelled.rounded
    check_rows(result, scores, atol=1e-9)
