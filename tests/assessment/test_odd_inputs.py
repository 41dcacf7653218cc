"""Odd inputs that once gave a wrong number, a warning or a traceback, and must not again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from simulated import simulate

from pseudovoice import (
    InputError,
    ScoreSet,
    assess_scores,
    evaluate,
    learn_linear,
    score_embeddings,
    similarity_matrix,
)
from pseudovoice.assessment.condition import Condition
from pseudovoice.calibration.maps import map_from_dict
from pseudovoice.scores.scoreset import named_scores

FEW = {"replicates": 60, "permutations": 60}


@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_no_evidence_in_oo_means_no_ratios(spread: float) -> None:
    """deid is −3e15 and deid_d_ece 6e31 for constant OO scores."""
    nothing = simulate(0, gap=-60.0, spread=spread)
    result = assess_scores(
        {"oo": nothing, "op": simulate(1), "pp": simulate(2)}, replicates=0, permutations=0
    )
    found = {r.metric: r.value for r in result.rows if r.metric.startswith(("deid", "g_"))}
    assert found == {}


def test_equal_scores_disclose_exactly_nothing() -> None:
    e = evaluate([0.1] * 3, [0.1] * 7)
    assert (e.d_ece, e.cllr_min) == (0.0, 1.0)


def test_linear_map_of_equal_scores() -> None:
    learnt = learn_linear([0.1], [0.1, 0.1])
    assert learnt([0.1])[0] == pytest.approx(0.0, abs=1e-9)


def test_linear_map_of_huge_scores() -> None:
    learnt = learn_linear([1e200, 2e200, 0.0], [0.0, 1e200])
    plain = learn_linear([1.0, 2.0, 0.0], [0.0, 1.0])
    assert learnt.slope * 1e200 == pytest.approx(plain.slope, rel=1e-6)


def test_zoo_without_animals() -> None:
    """Mated trials of speakers 0 and 1 only, non-mated ones of others only."""
    apart = simulate(0, keep=lambda e, t: ((e == t) & (e < 2)) | ((e != t) & (e > 1) & (t > 1)))
    result = assess_scores({"oo": apart}, replicates=0, permutations=0)
    assert result.zoos["oo"].speakers == ()


def test_distortion_when_a_replicate_has_no_mated_trial() -> None:
    f1 = simulate(0, keep=lambda e, t: (e != t) | (e < 1))
    f0 = simulate(1, keep=lambda e, t: (e != t) | (e > 3))
    result = assess_scores({"op": f1}, f0={"op": f0}, **FEW)
    assert np.isfinite(result.value("op", "c_ece_linear"))


def test_assess_refuses_an_unknown_similarity() -> None:
    with pytest.raises(InputError, match="There is no similarity 'harmonic'"):
        assess_scores({"oo": simulate(0)}, similarity="harmonic", replicates=0, permutations=0)


def test_assess_refuses_f0_without_its_condition() -> None:
    with pytest.raises(InputError):
        assess_scores({"op": simulate(0)}, f0={"pp": simulate(1), "zz": simulate(2)}, replicates=0)


def test_same_segments_must_be_equally_many() -> None:
    with pytest.raises(InputError):
        similarity_matrix(np.zeros((4, 6)), list("aabb"), list("aabbbb"), same_segment=True)


def test_similarity_refuses_nan() -> None:
    with pytest.raises(InputError):
        similarity_matrix(np.full((4, 4), np.nan), list("aabb"), list("aabb"))


@pytest.mark.parametrize(
    ("mated", "nonmated"),
    [
        (np.array([1.0] * 6 + [1.0 + 2.3e-16] * 40), np.ones(9)),
        (np.arange(40) * 1e-320, np.arange(9) * 1e-320),
        (1e16 + np.arange(120) % 3 * 2.0, 1e16 + np.arange(9) % 3 * 2.0),
    ],
)
def test_linkability_on_a_narrow_range(mated: np.ndarray, nonmated: np.ndarray) -> None:
    result = evaluate(mated, nonmated)
    assert 0.0 <= result.d_sys <= 1.0


def test_equal_embeddings() -> None:
    vectors = np.tile(np.random.default_rng(3).normal(size=512), (734, 1))
    scores = score_embeddings(vectors, vectors, [f"{k % 30}" for k in range(734)])
    assert np.unique(scores.score).size == 1
    assert evaluate(scores.mated_scores, scores.nonmated_scores).constant


def test_oo_cosines_are_symmetric() -> None:
    vectors = np.random.default_rng(0).normal(size=(734, 512))
    scores = score_embeddings(vectors, vectors, ["a"] * 734)
    square = np.zeros((734, 734))
    square[~np.eye(734, dtype=bool)] = scores.score
    assert np.array_equal(square, square.T)


def test_scores_near_the_end_of_the_range() -> None:
    assert evaluate([1e308] * 3, [1e308, 1e308, -1e308]).eer < 0.5


def test_speakers_without_trials_change_nothing() -> None:
    scores = simulate(0)
    more = replace(scores, speakers=(*scores.speakers, *(f"x{k}" for k in range(30))))
    a, b = (assess_scores({"oo": s}, **FEW) for s in (scores, more))
    assert [(r.low, r.high) for r in a.rows] == [(r.low, r.high) for r in b.rows]


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_replicates_of_other_number_types(dtype: type) -> None:
    scores = simulate(0, trials=20, spread=10.0)
    scores = replace(scores, score=np.clip(scores.score, 0, 200).astype(dtype))
    part = Condition("oo", scores, "geometric", None)
    for metric, values in part.observed.scalars.items():
        assert values[0] == pytest.approx(part.scalar(metric), rel=1e-6), metric


def _codes(*pairs: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    enrol, trial = np.array(pairs, np.int32).T
    return enrol, trial


@pytest.mark.parametrize("pairs", [((0, 0), (0, 2)), ((0, 0), (0, -1))])
def test_codes_must_name_a_speaker(pairs: tuple) -> None:
    with pytest.raises(InputError):
        named_scores(np.zeros(2), *_codes(*pairs), ("a", "b"))


def test_names_must_be_distinct() -> None:
    with pytest.raises(InputError):
        named_scores(np.zeros(2), *_codes((0, 0), (0, 1)), ("a", "a"))


def test_a_map_with_a_part_missing() -> None:
    with pytest.raises(InputError):
        map_from_dict({"map": "linear"})


@pytest.mark.parametrize("wrong", [{"replicates": -1}, {"permutations": -1}, {"seed": -1}])
def test_settings_below_zero(wrong: dict[str, int]) -> None:
    with pytest.raises(InputError):
        assess_scores({"oo": simulate(0)}, **wrong)


@pytest.mark.parametrize("scores", [["a"], [[1.0, 2.0], [3.0]]])
def test_scores_that_are_no_numbers(scores: list) -> None:
    with pytest.raises(InputError):
        evaluate(scores, [0.0])


def test_the_helper_of_this_file() -> None:
    enrol, trial = _codes((0, 0), (0, 1))
    assert isinstance(named_scores(np.zeros(2), enrol, trial, ("a", "b")), ScoreSet)
