"""All pairs counted on bins, against the same scores kept one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import log_expit

from pseudovoice import Assessment, InputError, ScoreSet, assess_scores, score_embeddings
from pseudovoice.assessment import allpairs
from pseudovoice.assessment.allpairs import (
    Comparison,
    SortedVectors,
    count_all_pairs,
    sort_by_speaker,
)
from pseudovoice.assessment.zebra import disclosure_of_llr
from pseudovoice.calibration.pav import pool_adjacent_violators
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.embeddings import unit_length

SPEAKERS, SEGMENTS = 9, 7
FEW = {"replicates": 40, "permutations": 40}


def vectors(seed: int, strength: float) -> np.ndarray:
    """Unit vectors of segments in mixed order; ``strength`` is how much of the voice they keep."""
    rng = np.random.default_rng(0)
    voice = rng.normal(size=(SPEAKERS, 6))[codes()]
    rng = np.random.default_rng(seed)
    return unit_length(strength * voice + rng.normal(size=(SPEAKERS * SEGMENTS, 6)))


def codes() -> np.ndarray:
    """Who speaks each segment: mixed, and not equally often."""
    rng = np.random.default_rng(1)
    who = np.repeat(np.arange(SPEAKERS), SEGMENTS)
    who[:3] = SPEAKERS - 1
    return rng.permutation(who).astype(np.int32)


NAMES = tuple(f"s{k}" for k in range(SPEAKERS))
ORIGINAL, PROTECTED = vectors(2, 1.0), vectors(3, 0.4)
PAIRS = {
    "oo": (ORIGINAL, ORIGINAL),
    "op": (ORIGINAL, PROTECTED),
    "pp": (PROTECTED, PROTECTED),
}


def kept(condition: str) -> ScoreSet:
    a, b = PAIRS[condition]
    # Single precision on both sides: the counts are made of float32 products.
    return score_embeddings(a.astype(np.float32), b.astype(np.float32), [NAMES[k] for k in codes()])


def counted(condition: str, *, similarity: str = "geometric", workers: int = 2) -> BinnedScores:
    rows, columns = (sort_by_speaker(side.astype(np.float32), codes()) for side in PAIRS[condition])
    comparison = Comparison(rows, columns, NAMES, symmetric=condition != "op", same_segment=True)
    return count_all_pairs(comparison, similarity=similarity, workers=workers)


@pytest.fixture(scope="module", params=["geometric", "arithmetic"])
def both(request: pytest.FixtureRequest) -> tuple[Assessment, Assessment]:
    similarity = request.param
    return (
        assess_scores({c: kept(c) for c in PAIRS}, similarity=similarity, **FEW),
        assess_scores(
            {c: counted(c, similarity=similarity) for c in PAIRS}, similarity=similarity, **FEW
        ),
    )


def test_every_trial_is_counted_once() -> None:
    for condition in PAIRS:
        scores, counts = kept(condition), counted(condition)
        assert counts.mated.sum() == scores.mated.sum()
        assert counts.nonmated.sum() == (~scores.mated).sum()
        cell = np.zeros((SPEAKERS, SPEAKERS))
        np.add.at(cell, (scores.enrol, scores.trial), 1.0)
        np.testing.assert_array_equal(counts.cells.sum(axis=2), cell)
        edges = counts.low + np.arange(counts.bins + 1) * counts.width
        # A product near an edge may fall either way; a bin is 2e-6 wide.
        exact = np.searchsorted(edges, np.sort(scores.mated_scores), "right") - 1
        filled = np.repeat(np.arange(counts.bins), counts.mated.astype(int))
        assert np.abs(exact - filled).max() <= 1


def test_figures_are_those_of_kept_scores(both: tuple[Assessment, Assessment]) -> None:
    exact, binned = both
    assert [(r.condition, r.metric) for r in exact.rows] == [
        (r.condition, r.metric) for r in binned.rows
    ]
    for a, b in zip(exact.rows, binned.rows, strict=True):
        assert (a.n_mated, a.n_nonmated, a.unit, a.direction) == (
            b.n_mated,
            b.n_nonmated,
            b.unit,
            b.direction,
        )
        if a.metric == "tag":
            continue
        assert b.value == pytest.approx(a.value, rel=2e-3, abs=2e-4), a
        if a.metric == "l_w":
            assert b.value <= a.value + 1e-9


def test_intervals_and_null_levels_are_close(both: tuple[Assessment, Assessment]) -> None:
    exact, binned = both
    for metric in ("d_ece", "cllr_min", "eer", "d_diag", "d_sys"):
        for condition in PAIRS:
            a, b = exact.row(condition, metric), binned.row(condition, metric)
            for bound in ("low", "high", "null", "null_95"):
                assert getattr(b, bound) == pytest.approx(getattr(a, bound), abs=0.03), (a, b)


def test_matrices_and_speakers(both: tuple[Assessment, Assessment]) -> None:
    exact, binned = both
    for condition in PAIRS:
        a, b = exact.matrices[condition], binned.matrices[condition]
        assert a.speakers == b.speakers
        np.testing.assert_allclose(b.values, a.values, atol=2e-3)
        assert binned.zoos[condition].speakers == exact.zoos[condition].speakers
    rows = {(r.condition, r.speaker): r for r in exact.speakers}
    assert len(rows) == len(binned.speakers) == 3 * SPEAKERS
    for row in binned.speakers:
        expected = rows[row.condition, row.speaker]
        assert row.d_ece == pytest.approx(expected.d_ece, abs=2e-3)
        assert row.l_w == pytest.approx(expected.l_w, abs=2e-3)
        assert (row.n_mated, row.n_nonmated) == (expected.n_mated, expected.n_nonmated)


def test_binning_is_said(both: tuple[Assessment, Assessment]) -> None:
    _, binned = both
    assert any("scores were counted on 1,048,576 bins" in w for w in binned.warnings)
    assert "rounded" in binned.provenance


def test_workers_and_symmetry_change_nothing() -> None:
    one, three = counted("oo", workers=1), counted("oo", workers=3)
    np.testing.assert_array_equal(one.mated, three.mated)
    np.testing.assert_array_equal(one.nonmated, three.nonmated)
    np.testing.assert_array_equal(one.cells, three.cells)
    np.testing.assert_allclose(one.terms, three.terms, rtol=1e-6)
    rows = sort_by_speaker(ORIGINAL.astype(np.float32), codes())
    plain = count_all_pairs(Comparison(rows, rows, NAMES, symmetric=False, same_segment=True))
    assert plain.mated.sum() == one.mated.sum()
    assert plain.nonmated.sum() == one.nonmated.sum()
    np.testing.assert_array_equal(plain.cells.sum(axis=2), one.cells.sum(axis=2))


def test_other_segments_on_the_columns() -> None:
    """Nothing is dropped where rows and columns are different segments."""
    rows, columns = (sort_by_speaker(v.astype(np.float32), codes()) for v in (ORIGINAL, PROTECTED))
    counts = count_all_pairs(Comparison(rows, columns, NAMES, symmetric=False, same_segment=False))
    assert counts.mated.sum() + counts.nonmated.sum() == (SPEAKERS * SEGMENTS) ** 2


def test_stand_ins_follow_the_scores() -> None:
    scores, counts = kept("oo"), counted("oo")
    np.testing.assert_allclose(
        np.sort(counts.mated_scores), np.sort(scores.mated_scores), atol=3 * counts.width
    )
    np.testing.assert_allclose(
        np.sort(counts.nonmated_scores), np.sort(scores.nonmated_scores), atol=3 * counts.width
    )


def test_a_copy_hides_nothing() -> None:
    counts = counted("oo")
    result = assess_scores({"oo": counts, "op": counts, "pp": counts}, **FEW)
    for condition, metric in (("op", "deid"), ("pp", "g_vd")):
        row = result.row(condition, metric)
        assert (row.value, row.low, row.high) == (0.0, 0.0, 0.0)


def test_speakers_must_agree() -> None:
    with pytest.raises(InputError, match="Counted scores of oo cover other speakers than"):
        assess_scores({"oo": replace(counted("oo"), speakers=("x", *NAMES[1:])), "op": kept("op")})


def test_zoo_of_counted_scores() -> None:
    for condition in PAIRS:
        a, b = (
            assess_scores({condition: s}, replicates=0, permutations=0).zoos[condition]
            for s in (kept(condition), counted(condition))
        )
        np.testing.assert_allclose(b.mated, a.mated, atol=0.05)
        np.testing.assert_allclose(b.nonmated, a.nonmated, atol=0.05)


def test_counted_for_another_similarity() -> None:
    counts = counted("oo", similarity="geometric")
    with pytest.raises(InputError):
        assess_scores({"oo": counts}, similarity="arithmetic", replicates=0, permutations=0)


def test_counted_scores_with_a_second_run() -> None:
    result = assess_scores({"op": counted("op")}, f0={"op": kept("pp")}, **FEW)
    assert result.row("op", "c_ece_linear").low is not None


def test_provenance_names_the_levels_that_were_used() -> None:
    result = assess_scores({"op": counted("op")}, replicates=0, permutations=0)
    levels = result.conditions["op"].labelled.low.size
    assert levels < 16_384
    assert result.provenance["rounded"]["op"] == f"{levels} levels"


def one_by_one(comparison: Comparison, counts: BinnedScores) -> dict[str, np.ndarray]:
    """Every figure of a comparison from its scores one at a time, in plain NumPy."""
    scale = counts.bins / (comparison.high - comparison.low)
    rows, columns = comparison.rows, comparison.columns
    place = (rows.vectors * np.float32(scale)) @ columns.vectors.T
    place = (place + np.float32(-comparison.low * scale)).clip(0, counts.bins - 1).astype(int)
    if comparison.symmetric:  # (k, l) and (l, k) may be rounded differently: the first counts
        place = np.where(rows.speaker[:, None] > columns.speaker[None], place.T, place)
    trial = np.ones(place.shape, bool)
    if comparison.same_segment:
        trial = rows.order[:, None] != columns.order[None]
    same = rows.speaker[:, None] == columns.speaker[None]
    mated = np.bincount(place[trial & same], minlength=counts.bins)
    nonmated = np.bincount(place[trial & ~same], minlength=counts.bins)

    filled = np.flatnonzero(mated + nonmated)
    a, b = (of[filled][None].astype(float) for of in (mated, nonmated))
    plain, laplace = (pool_adjacent_violators(a, b, laplace=rule) for rule in (False, True))
    at = np.minimum(np.searchsorted(filled, place), filled.size - 1)  # a trial's bin is filled
    llr = laplace.on_rungs(laplace.llr)[0][at]
    up, down = (disclosure_of_llr(s * plain.on_rungs(plain.llr)[0])[at] for s in (1.0, -1.0))
    cell = np.broadcast_to(rows.speaker[:, None], place.shape), columns.speaker[None]
    n = len(comparison.speakers)
    out = {"mated": mated, "nonmated": nonmated}
    for name, values in (
        ("terms", log_expit(llr)),
        ("llr", llr),
        ("gain", np.where(same, up, down)),
        ("strongest", np.abs(llr)),
    ):
        out[name] = np.zeros((n, n))
        add = np.maximum if name == "strongest" else np.add
        add.at(out[name], cell, np.where(trial, values, 0.0))
    out["cells"] = np.zeros((n, n, counts.cells.shape[2]))
    np.add.at(out["cells"], (*cell, counts.rung_of_bin[place]), trial)
    return out


def some_sides(speakers: list[int]) -> SortedVectors:
    """Segments of some of the speakers, of each in another number."""
    who = np.repeat(speakers, np.arange(3, 3 + len(speakers))).astype(np.int32)
    rng = np.random.default_rng(who.size)
    voices = np.random.default_rng(5).normal(size=(SPEAKERS, 6))
    return sort_by_speaker(
        unit_length(voices[who] + rng.normal(size=(who.size, 6))).astype(np.float32), who
    )


@pytest.mark.parametrize("bounds", [(-1.0001, 1.0001), (-0.3, 0.6)])
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("same_segment", [False, True])
def test_each_figure_of_each_pair(
    symmetric: bool, same_segment: bool, bounds: tuple[float, float]
) -> None:
    """Also with speakers on one side only, and scores beyond the range of the bins."""
    rows, columns = some_sides([0, 1, 2, 5, 6, 8]), some_sides([1, 2, 3, 5, 8])
    if symmetric:
        columns = rows
    comparison = Comparison(rows, columns, NAMES, symmetric, same_segment, *bounds)
    counts = count_all_pairs(comparison, workers=1)
    for name, values in one_by_one(comparison, counts).items():
        np.testing.assert_allclose(
            getattr(counts, name), values, rtol=1e-12, atol=1e-12, err_msg=name
        )


def test_blocks_of_any_size_count_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for condition in PAIRS:
        whole = counted(condition)
        with monkeypatch.context() as patch:
            patch.setattr(allpairs, "BLOCK_ROWS", 5)  # fewer than a speaker has
            patch.setattr(allpairs, "BLOCK_COLUMNS", 11)
            patch.setattr(allpairs, "MOST_HELD", 100)
            parts = counted(condition)
        # Products of other blocks add up in another order: a score may cross the edge of its bin.
        assert np.abs(np.cumsum(whole.mated) - np.cumsum(parts.mated)).max() <= 2
        assert np.abs(np.cumsum(whole.nonmated) - np.cumsum(parts.nonmated)).max() <= 4
        np.testing.assert_array_equal(whole.cells.sum(axis=2), parts.cells.sum(axis=2))
        np.testing.assert_allclose(whole.terms, parts.terms, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(whole.strongest, parts.strongest, rtol=1e-3, atol=1e-3)


def test_more_steps_than_16_bits_can_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Millions of scores whose evidence rises from bin to bin would make as many steps."""
    narrow = counted("op")
    steps = allpairs._steps
    monkeypatch.setattr(
        allpairs,
        "_steps",
        lambda *args: replace(found := steps(*args), of_bin=found.of_bin.astype(np.uint32)),
    )
    wide = counted("op")
    np.testing.assert_array_equal(wide.cells, narrow.cells)
    np.testing.assert_array_equal(wide.gain, narrow.gain)


def test_scores_that_are_no_numbers_stay_within_the_counts() -> None:
    rows = sort_by_speaker(ORIGINAL.astype(np.float32), codes())
    broken = rows.vectors.copy()
    broken[0] = np.nan
    columns = SortedVectors(broken, rows.speaker, rows.order)
    counts = count_all_pairs(Comparison(rows, columns, NAMES, symmetric=False, same_segment=False))
    assert counts.mated.sum() + counts.nonmated.sum() == (SPEAKERS * SEGMENTS) ** 2
