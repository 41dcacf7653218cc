"""Voice similarity matrices against a double loop, and what is read off them."""

from __future__ import annotations

import brute_force
import numpy as np
import pytest
from simulated import simulate

from pseudovoice import calibrate, similarity_matrix
from pseudovoice.assessment.assess import assess_scores
from pseudovoice.assessment.similarity import SimilarityMatrix, deid, diagonal_dominance, g_vd

SIMILARITIES = ("geometric", "arithmetic")


def segments(seed: int, per_speaker: int = 4, speakers: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """LLRs of segments in mixed order, and the speaker of each."""
    rng = np.random.default_rng(seed)
    who = rng.permutation(np.repeat(np.arange(speakers), per_speaker))
    return rng.normal(0, 3, (who.size, who.size)) + 2 * (who[:, None] == who), who


@pytest.mark.parametrize("same_segment", [True, False])
@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_segment_matrix_is_the_double_loop(similarity: str, same_segment: bool) -> None:
    llr, who = segments(0)
    result = similarity_matrix(llr, who, who, similarity=similarity, same_segment=same_segment)
    keep = ~np.eye(who.size, dtype=bool) if same_segment else np.ones(llr.shape, bool)
    rows, columns = (np.broadcast_to(x, llr.shape)[keep] for x in (who[:, None], who))
    expected = brute_force.similarities(llr[keep], rows, columns, 5, similarity)
    np.testing.assert_allclose(result.values, expected, rtol=1e-12)
    assert result.speakers == ("0", "1", "2", "3", "4")
    assert result.similarity == similarity


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_more_rows_than_fit_in_a_block(similarity: str) -> None:
    """The rows are taken a few at a time; the seams must not show."""
    llr, who = segments(1, per_speaker=120, speakers=3)
    assert llr.size > 65_536
    whole = similarity_matrix(llr, who, who, similarity=similarity).values
    off = ~np.eye(who.size, dtype=bool)
    rows, columns = (np.broadcast_to(x, llr.shape)[off] for x in (who[:, None], who))
    expected = brute_force.similarities(llr[off], rows, columns, 3, similarity)
    np.testing.assert_allclose(whole, expected, rtol=1e-11)


def test_different_segments_on_either_side() -> None:
    rng = np.random.default_rng(2)
    rows, columns = np.array(list("abab")), np.array(list("bbaaab"))
    llr = rng.normal(size=(4, 6))
    result = similarity_matrix(llr, rows, columns, same_segment=False)
    assert result.values[0, 1] == pytest.approx(
        np.exp(np.log(1 / (1 + np.exp(-llr[np.ix_(rows == "a", columns == "b")]))).mean())
    )
    assert result.speakers == ("a", "b")


def test_the_input_is_left_alone_and_may_be_integers() -> None:
    llr, who = segments(3)
    whole = np.round(llr).astype(int)
    before = whole.copy()
    for similarity in SIMILARITIES:
        a = similarity_matrix(whole, who, who, similarity=similarity)
        b = similarity_matrix(whole.astype(float), who, who, similarity=similarity)
        np.testing.assert_array_equal(a.values, b.values)
    np.testing.assert_array_equal(whole, before)


def test_analytic_matrices() -> None:
    who = list("aabb")
    for similarity in SIMILARITIES:
        even = similarity_matrix(np.zeros((4, 4)), who, who, similarity=similarity)
        np.testing.assert_allclose(even.values, 0.5)
        assert even.d_diag == pytest.approx(0.0, abs=1e-15)
        sure = np.where(np.equal.outer(who, who), 800.0, -800.0)
        ideal = similarity_matrix(sure, who, who, similarity=similarity)
        np.testing.assert_allclose(ideal.values, np.eye(2), atol=1e-300)
        assert ideal.d_diag == 1.0
    # A geometric mean lies below the posterior of the mean LLR.
    llr, who = segments(4)
    geometric, arithmetic = (similarity_matrix(llr, who, who, similarity=s) for s in SIMILARITIES)
    assert (geometric.values < arithmetic.values).all()


def test_dominance() -> None:
    values = np.array([[0.9, 0.1, 0.2], [0.3, 0.8, 0.2], [0.2, 0.2, 0.7]])
    assert diagonal_dominance(values) == pytest.approx(0.8 - 0.2)
    assert diagonal_dominance(values[::-1]) == pytest.approx(
        abs((0.2 + 0.8 + 0.2) / 3 - (0.2 + 0.7 + 0.3 + 0.2 + 0.9 + 0.1) / 6)
    )
    weight = np.array([2.0, 1.0, 0.0])
    assert diagonal_dominance(values, weight) == pytest.approx(
        (2 * 0.9 + 0.8) / 3 - (2 * 0.1 + 2 * 0.3) / 4
    )
    matrix = SimilarityMatrix(np.array([[0.5, 0.25], [0.125, 0.5]]), ("a", "b"))
    assert matrix.d_diag_log == pytest.approx(-1 + 2.5)
    assert matrix.d_diag == pytest.approx(0.5 - 0.1875)
    table = matrix.table()
    assert table["row"].tolist() == ["a", "a", "b", "b"]
    assert table["column"].tolist() == ["a", "b", "a", "b"]
    assert table["similarity"].tolist() == [0.5, 0.25, 0.125, 0.5]


@pytest.mark.parametrize("even", [0.0, 0.3, 1.0])
def test_no_and_full_dominance(even: float) -> None:
    """0 for a matrix of one value, 1 for the identity and for its opposite (noe2020 §4)."""
    assert diagonal_dominance(np.full((4, 4), even)) == pytest.approx(0.0, abs=1e-15)
    assert diagonal_dominance(np.eye(4)) == 1.0
    assert diagonal_dominance(1.0 - np.eye(4)) == 1.0


def test_deid_and_gain() -> None:
    assert deid(0.8, 0.2) == pytest.approx(0.75)
    assert deid(0.4, 0.6) == pytest.approx(-0.5)  # not clipped
    assert deid(0.8, 0.8) == 0.0
    assert g_vd(0.8, 0.08) == pytest.approx(-10.0)
    assert g_vd(0.8, 0.8) == 0.0
    assert g_vd(0.8, 0.0) == -np.inf


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_condition_matrix_is_the_double_loop_over_calibrated_trials(similarity: str) -> None:
    scores = simulate(5)
    result = assess_scores(
        {"op": scores}, similarity=similarity, replicates=0, permutations=0
    ).matrices["op"]
    oracle = calibrate(scores.mated_scores, scores.nonmated_scores, laplace=True)
    expected = brute_force.similarities(
        oracle(scores.score), scores.enrol, scores.trial, 6, similarity
    )
    np.testing.assert_allclose(result.values, expected, rtol=1e-12)
    assert not np.allclose(result.values, result.values.T)  # OP is kept as it is
    assert result.speakers == scores.speakers


def test_speakers_on_one_side_are_left_out_of_the_matrix_but_calibrate() -> None:
    scores = simulate(6, keep=lambda enrol, _: enrol != 2)
    result = assess_scores({"oo": scores}, replicates=0, permutations=0)
    assert result.matrices["oo"].speakers == ("s00", "s01", "s03", "s04", "s05")
    assert any("1 speaker(s) on one side" in w and "s02" in w for w in result.warnings)
    oracle = calibrate(scores.mated_scores, scores.nonmated_scores, laplace=True)
    expected = brute_force.similarities(
        oracle(scores.score), scores.enrol, scores.trial, 6, "geometric"
    )
    inside = [0, 1, 3, 4, 5]
    np.testing.assert_allclose(
        result.matrices["oo"].values, expected[np.ix_(inside, inside)], rtol=1e-12
    )
