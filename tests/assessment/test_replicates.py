"""Bootstrap and permutation replicates against explicitly repeated and renamed trials."""

from __future__ import annotations

import brute_force
import numpy as np
import pytest
from simulated import simulate

from pseudovoice import evaluate
from pseudovoice.assessment import replicates, tally
from pseudovoice.assessment.linkability import bin_edges
from pseudovoice.assessment.replicates import (
    Replicates,
    bootstrap,
    draw_names,
    draw_speakers,
    once,
    permutation,
    replicate,
)
from pseudovoice.assessment.zebra import d_ece
from pseudovoice.scores.scoreset import ScoreSet

SCALARS = (
    "eer",
    "eer_kaldi",
    "min_dcf",
    "min_dcf_001",
    "cllr",
    "cllr_min",
    "cllr_cal",
    "d_ece",
    "l_w",
)


SUMMED = 1e-6
"""What is summed over the trials of a cell may be summed in single precision."""


def all_scalars(counts: tally.Tally, weights: replicates.Weights) -> Replicates:
    inside = np.ones(counts.row.size, bool)
    return replicate(counts, weights, similarity="geometric", square=inside, per_speaker=True)


def check_replicate(
    found: Replicates, r: int, scores: ScoreSet, as_mated: np.ndarray, as_nonmated: np.ndarray
) -> None:
    """Compare replicate ``r`` with trials that count ``as_mated`` and ``as_nonmated`` times."""
    mated, nonmated = np.repeat(scores.score, as_mated), np.repeat(scores.score, as_nonmated)
    if mated.size == 0 or nonmated.size == 0:
        assert all(np.isnan(values[r]) for values in found.scalars.values())
        assert found.speaker_d_ece is not None
        assert np.isnan(found.speaker_d_ece[r]).all()
        return
    expected = evaluate(mated, nonmated)
    for name in SCALARS:
        assert found.scalars[name][r] == pytest.approx(getattr(expected, name), abs=1e-9), name
    # The bins are those of the observed scores, whatever is drawn.
    edges = bin_edges(np.sort(scores.mated_scores), np.sort(scores.nonmated_scores))
    assert found.scalars["d_sys"][r] == pytest.approx(
        brute_force.d_sys(mated, nonmated, edges), abs=1e-9
    )
    llr_of = {}
    for laplace in (False, True):
        pair = brute_force.oracle_llrs(mated, nonmated, laplace=laplace)
        llr_of[laplace] = dict(
            zip(np.concatenate([mated, nonmated]), np.concatenate(pair), strict=True)
        )
    check_matrix(found, r, scores, as_mated, as_nonmated, llr_of[True])
    evidence = len(set(llr_of[False].values())) > 1
    check_speakers(found, r, scores, as_mated, as_nonmated, llr_of, evidence)


def check_matrix(
    found: Replicates,
    r: int,
    scores: ScoreSet,
    as_mated: np.ndarray,
    as_nonmated: np.ndarray,
    llr_of: dict,
) -> None:
    """D_diag: cells in use, each as often as it was drawn."""
    n = len(scores.speakers)
    used = as_mated + as_nonmated > 0
    llr = np.array([llr_of[s] for s in scores.score[used]])
    values = brute_force.similarities(llr, scores.enrol[used], scores.trial[used], n, "geometric")
    for name, of in (("d_diag", values), ("d_diag_log", np.log2(values))):
        sums, weights = [0.0, 0.0], [0.0, 0.0]
        for i in range(n):
            for j in range(n):
                cell = (scores.enrol == i) & (scores.trial == j)
                for k, count in enumerate((as_mated, as_nonmated)):
                    if cell.any() and count[cell][0] > 0:
                        sums[k] += count[cell][0] * of[i, j]
                        weights[k] += count[cell][0]
        expected = abs(sums[0] / weights[0] - sums[1] / weights[1])
        assert found.scalars[name][r] == pytest.approx(expected, rel=SUMMED, abs=SUMMED), name


def check_speakers(
    found: Replicates,
    r: int,
    scores: ScoreSet,
    as_mated: np.ndarray,
    as_nonmated: np.ndarray,
    llr_of: dict,
    evidence: bool,
) -> None:
    """Each speaker's own trials under the calibration of the whole replicate."""
    assert found.speaker_d_ece is not None
    assert found.speaker_l_w is not None
    for k in range(len(scores.speakers)):
        own = (scores.enrol == k) | (scores.trial == k)
        a, b = (np.repeat(scores.score, count * own) for count in (as_mated, as_nonmated))
        if a.size == 0 or b.size == 0:
            assert np.isnan(found.speaker_d_ece[r, k])
            continue
        plain = llr_of[False]
        expected = d_ece([plain[s] for s in a], [plain[s] for s in b])
        assert found.speaker_d_ece[r, k] == pytest.approx(expected, abs=SUMMED)
        worst = max(abs(llr_of[True][s]) for s in np.concatenate([a, b])) / np.log(10)
        assert found.speaker_l_w[r, k] == pytest.approx(worst if evidence else 0.0, abs=1e-9)


SETS = {
    "full": simulate(0),
    "two speakers": simulate(1, speakers=2, trials=6),
    "many against few": simulate(2, keep=lambda enrol, trial: (enrol != 3) | (trial == 3)),
    "sparse": simulate(3, speakers=8, keep=lambda e, t: (e == t) | ((t - e) % 8 == 1)),
}


@pytest.mark.parametrize("name", SETS)
def test_bootstrap(name: str) -> None:
    scores = SETS[name]
    drawn = draw_speakers(np.random.default_rng(0), 12, len(scores.speakers))
    drawn[0] = 0.0
    drawn[0, 0] = len(scores.speakers)  # everybody is the same person: no non-mated trial
    counts = tally.tally(scores, any_labels=False)
    found = all_scalars(counts, bootstrap(counts, drawn))
    for r, weight in enumerate(drawn.astype(int)):
        as_mated = np.where(scores.mated, weight[scores.enrol], 0)
        as_nonmated = np.where(scores.mated, 0, weight[scores.enrol] * weight[scores.trial])
        check_replicate(found, r, scores, as_mated, as_nonmated)


@pytest.mark.parametrize("name", SETS)
def test_permutation(name: str) -> None:
    scores = SETS[name]
    names = draw_names(np.random.default_rng(1), 8, len(scores.speakers))
    counts = tally.tally(scores, any_labels=True)
    weights = permutation(counts, names)
    found = all_scalars(counts, weights)
    both = np.intersect1d(scores.enrol, scores.trial)
    for r in range(len(names)):
        # The enrolled who have trials swap names among themselves, in the order drawn.
        new_name = dict(zip(both, both[np.argsort(names[r, both])], strict=True))
        renamed = np.array([new_name.get(e, e) for e in scores.enrol])
        mated = renamed == scores.trial
        check_replicate(found, r, scores, mated.astype(int), (~mated).astype(int))


@pytest.mark.parametrize("any_labels", [False, True])
@pytest.mark.parametrize("name", SETS)
def test_every_cell_once_is_the_observed_data(name: str, any_labels: bool) -> None:
    scores = SETS[name]
    counts = tally.tally(scores, any_labels=any_labels)
    found = all_scalars(counts, once(counts))
    check_replicate(found, 0, scores, scores.mated.astype(int), (~scores.mated).astype(int))
    assert counts.n.sum() == scores.score.size
    assert counts.rungs.sum() == scores.score.size
    assert not counts.rounded


def test_drawing_each_speaker_once_is_the_observed_data() -> None:
    scores = SETS["full"]
    counts = tally.tally(scores, any_labels=False)
    drawn = np.ones((1, len(scores.speakers)))
    a, b = bootstrap(counts, drawn), once(counts)
    np.testing.assert_array_equal(a.mated, b.mated)
    np.testing.assert_array_equal(a.nonmated, b.nonmated)


def test_renaming_nobody_is_the_observed_data() -> None:
    scores = SETS["full"]
    counts = tally.tally(scores, any_labels=True)
    same = permutation(counts, np.arange(len(scores.speakers))[None])
    np.testing.assert_array_equal(same.mated, once(counts).mated)


def test_replicates_do_not_depend_on_how_they_are_chunked(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = SETS["full"]
    counts = tally.tally(scores, any_labels=False)
    weights = bootstrap(counts, draw_speakers(np.random.default_rng(2), 30, 6))
    whole = all_scalars(counts, weights)
    monkeypatch.setattr(replicates, "CHUNK", 3 * counts.low.size)
    parts = all_scalars(counts, weights)
    assert whole.scalars.keys() == parts.scalars.keys()
    for name, values in whole.scalars.items():
        np.testing.assert_allclose(parts.scalars[name], values, atol=SUMMED, err_msg=name)
    assert parts.speaker_d_ece is not None
    assert parts.speaker_l_w is not None
    np.testing.assert_allclose(parts.speaker_d_ece, whole.speaker_d_ece, atol=SUMMED)
    np.testing.assert_allclose(parts.speaker_l_w, whole.speaker_l_w, atol=1e-12)


def test_draws_are_a_resample_and_a_renaming() -> None:
    drawn = draw_speakers(np.random.default_rng(3), 200, 7)
    assert drawn.shape == (200, 7)
    assert (drawn.sum(axis=1) == 7).all()
    assert drawn.max() > 1
    names = draw_names(np.random.default_rng(3), 200, 7)
    assert (np.sort(names, axis=1) == np.arange(7)).all()
    assert len({tuple(row) for row in names}) > 150


def test_permutations_give_no_name_to_one_who_has_no_trials() -> None:
    """Speakers 0 and 1 are enrolled without trials of their own: they keep their names."""
    scores = simulate(4, keep=lambda _, trial: trial > 1)
    counts = tally.tally(scores, any_labels=True)
    weights = permutation(counts, draw_names(np.random.default_rng(0), 50, 6))
    np.testing.assert_array_equal(weights.mated @ counts.n, np.full(50, 16.0))
    np.testing.assert_array_equal(weights.mated + weights.nonmated, 1.0)
    assert not weights.mated[:, counts.row < 2].any()
    assert weights.mated[:, counts.row >= 2].any(axis=0).all()  # any other pair may be mated


@pytest.mark.parametrize("any_labels", [False, True])
def test_larger_sets_are_rounded_and_close(any_labels: bool) -> None:
    scores = simulate(5, speakers=8, trials=40, decimals=9)
    exact = tally.tally(scores, any_labels=any_labels)
    rounded = tally.tally(scores, any_labels=any_labels, most_rungs=200)
    assert rounded.rounded
    assert rounded.low.size <= 200 < exact.low.size
    assert rounded.rungs.sum() == scores.score.size
    full, less = all_scalars(exact, once(exact)), all_scalars(rounded, once(rounded))
    for name in ("d_ece", "cllr_min", "eer", "d_diag"):
        assert less.scalars[name][0] == pytest.approx(full.scalars[name][0], abs=0.02), name
    assert less.scalars["d_ece"][0] <= full.scalars["d_ece"][0] + 1e-12
    assert less.scalars["l_w"][0] <= full.scalars["l_w"][0] + 1e-12
    for name in ("cllr", "d_sys"):  # these do not come from the rungs
        assert less.scalars[name][0] == pytest.approx(full.scalars[name][0], abs=1e-12), name


def test_a_chunk_without_usable_replicates(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = tally.tally(SETS["full"], any_labels=False)
    monkeypatch.setattr(replicates, "CHUNK", counts.low.size)  # one replicate at a time
    good = once(counts)
    nobody = np.zeros_like(good.mated)
    weights = replicates.Weights(
        np.vstack([nobody, good.mated, good.mated]), np.vstack([good.nonmated] * 2 + [nobody])
    )
    found = replicate(counts, weights)
    assert np.isnan(found.scalars["d_ece"]).tolist() == [True, False, True]
    none = replicate(counts, weights[:1])
    assert np.isnan(none.scalars["d_ece"]).all()
