"""Counting all pairs on bins gives what keeping all scores gives."""

from pathlib import Path

import numpy as np
import pytest

from pseudovoice import InputError, assess_scores
from pseudovoice.assessment.allpairs import BINS
from pseudovoice.assessment.binned_condition import BinnedCondition
from pseudovoice.assessment.condition import Condition, Resampling
from pseudovoice.assessment.replicates import draw_names, draw_speakers
from pseudovoice.backends.backend import LinearForm
from pseudovoice.backends.compare import compare_all
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.embeddings import unit_length
from pseudovoice.scores.scoreset import ScoreSet


def sides(n: int = 360, speakers: int = 18, seed: int = 0) -> tuple[Embeddings, Embeddings]:
    rng = np.random.default_rng(seed)
    who = rng.permutation(np.arange(n) % speakers)
    voices, pseudo = rng.normal(size=(2, speakers, 64))
    o = voices[who] + 1.3 * rng.normal(size=(n, 64))
    p = 0.4 * voices[who] + pseudo[who] + 1.3 * rng.normal(size=(n, 64))
    names, ids = [f"s{k:02d}" for k in who], [f"u{k}" for k in range(n)]
    order = rng.permutation(n)  # rows and columns need not stand in the same order
    return (
        Embeddings(o.astype(np.float32), tuple(ids), tuple(names)),
        Embeddings(
            p[order].astype(np.float32),
            tuple(ids[k] for k in order),
            tuple(names[k] for k in order),
        ),
    )


def both_ways(a: Embeddings, b: Embeddings) -> tuple[ScoreSet, BinnedScores]:
    exact, binned = compare_all(a, b), compare_all(a, b, most_exact=0)
    assert isinstance(exact, ScoreSet)
    assert isinstance(binned, BinnedScores)
    return exact, binned


def test_counts_are_those_of_the_scores() -> None:
    o, p = sides()
    for a, b in ((o, o), (o, p)):
        exact, binned = both_ways(a, b)
        assert binned.mated.sum() == exact.mated.sum()
        assert binned.nonmated.sum() == (~exact.mated).sum()
        n = len(exact.speakers)
        cells = np.bincount(exact.enrol * n + exact.trial, minlength=n * n).reshape(n, n)
        np.testing.assert_array_equal(binned.cells.sum(axis=2), cells)
        edges = np.linspace(binned.low, binned.high, BINS + 1)
        counted = np.cumsum(binned.mated)
        at = np.searchsorted(np.sort(exact.mated_scores), edges[1:], "right")
        assert np.abs(counted - at).max() <= 2  # float32 rounding at a bin's edge


def test_every_metric_agrees_to_a_ten_thousandth() -> None:
    o, p = sides()
    pairs = {"oo": (o, o), "op": (o, p), "pp": (p, p)}
    exact, binned = (
        assess_scores(
            {name: compare_all(a, b, most_exact=most) for name, (a, b) in pairs.items()},
            replicates=60,
            permutations=60,
        )
        for most in (10**9, 0)
    )
    assert [(r.condition, r.metric) for r in exact.rows] == [
        (r.condition, r.metric) for r in binned.rows
    ]
    for a, b in zip(exact.rows, binned.rows, strict=True):
        if a.metric == "tag":
            continue
        if a.metric == "l_w":
            assert float(b.value) <= float(a.value) + 1e-9
        else:
            assert float(b.value) == pytest.approx(float(a.value), abs=1e-4), (
                a.metric,
                a.condition,
            )
        # Intervals and null levels are estimates themselves; they must agree within their noise.
        assert b.low is not None
        assert float(b.low) == pytest.approx(float(a.low or 0), abs=0.1 * (1 + abs(float(a.value))))
    of_exact = {(r.condition, r.speaker): r for r in exact.speakers}
    for row in binned.speakers:
        assert row.d_ece == pytest.approx(of_exact[row.condition, row.speaker].d_ece, abs=1e-4)
        assert row.l_w <= of_exact[row.condition, row.speaker].l_w + 1e-9
    assert any("l_w and tag are binned" in warning for warning in binned.warnings)


def test_a_copy_hides_nobody_on_bins_either() -> None:
    o, _ = sides()
    same = compare_all(o, o, most_exact=0)
    copy = Embeddings(o.vectors.copy(), o.ids, o.speakers)
    other = compare_all(o, copy, most_exact=0)
    result = assess_scores({"oo": same, "op": other, "pp": same}, replicates=0, permutations=0)
    assert float(result.value("op", "deid")) == pytest.approx(0.0, abs=1e-6)
    assert result.value("pp", "g_vd") == 0.0


def test_counts_are_kept_and_taken_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    o, p = sides()
    first = compare_all(o, p, most_exact=0, keep_counts=tmp_path / "counts")
    (kept,) = (tmp_path / "counts").iterdir()

    def never(*_: object) -> BinnedScores:
        raise AssertionError("counted again")

    monkeypatch.setattr("pseudovoice.backends.compare._count", never)
    again = compare_all(o, p, most_exact=0, keep_counts=tmp_path / "counts")
    assert isinstance(again, BinnedScores)
    assert isinstance(first, BinnedScores)
    for name in ("mated", "nonmated", "cells", "terms", "llr", "gain", "strongest", "edges"):
        np.testing.assert_array_equal(getattr(first, name), getattr(again, name))
    assert (first.speakers, first.similarity) == (again.speakers, again.similarity)
    monkeypatch.undo()
    kept.write_bytes(b"damaged")
    mended = compare_all(o, p, most_exact=0, keep_counts=tmp_path / "counts")
    assert isinstance(mended, BinnedScores)
    np.testing.assert_array_equal(mended.cells, first.cells)


@pytest.mark.parametrize("kind", ["resampled", "permuted"])
def test_replicates_on_the_grid_equal_those_pair_by_pair(kind: str) -> None:
    o, p = sides()
    resampling = Resampling(
        draw_speakers(np.random.default_rng(0), 70, 18),
        draw_names(np.random.default_rng(1), 70, 18),
    )
    for a, b in ((o, o), (o, p)):
        counted = compare_all(a, b, most_exact=0)
        assert isinstance(counted, BinnedScores)
        part = BinnedCondition("op", counted, "geometric", resampling)
        assert part.grid is not None
        fast, slow = getattr(part, kind), getattr(Condition, kind).func(part)
        assert fast.scalars.keys() == slow.scalars.keys()
        for name, values in slow.scalars.items():
            np.testing.assert_allclose(fast.scalars[name], values, atol=2e-5, err_msg=name)
        np.testing.assert_allclose(fast.speaker_d_ece, slow.speaker_d_ece, atol=1e-5)
        np.testing.assert_allclose(fast.speaker_l_w, slow.speaker_l_w, atol=1e-5)


def test_a_segment_and_its_version_are_no_trial_whatever_their_speakers() -> None:
    """A protected corpus may name other speakers than the original."""
    o, p = sides()
    others = tuple(f"s{(int(name[1:]) + 1) % 18:02d}" for name in p.speakers)
    swapped = Embeddings(p.vectors, p.ids, others)
    exact, binned = both_ways(o, swapped)
    assert binned.mated.sum() == exact.mated.sum()
    assert binned.nonmated.sum() == (~exact.mated).sum() == 360 * 360 - exact.mated.sum() - 360
    assert binned.cells.sum() == exact.score.size


class Shifted:
    """A back-end whose scores have terms of the row and of the column, and no known range."""

    def prepare(self, vectors: np.ndarray) -> np.ndarray:
        return unit_length(vectors)

    def linear_form(self, rows: np.ndarray, columns: np.ndarray) -> LinearForm:
        return LinearForm(30.0 * rows, columns, 4.0 * rows[:, 0], 4.0 * columns[:, 0])


@pytest.mark.parametrize("symmetric", [True, False])
def test_scores_of_a_back_end(symmetric: bool) -> None:
    o, p = sides()
    other = o if symmetric else p
    exact, binned = (
        assess_scores(
            {"op": compare_all(o, other, backend=Shifted(), most_exact=most)},  # type: ignore[arg-type]
            replicates=0,
            permutations=0,
        )
        for most in (10**9, 0)
    )
    for a, b in zip(exact.rows, binned.rows, strict=True):
        if a.metric not in ("l_w", "tag"):
            assert float(b.value) == pytest.approx(float(a.value), abs=1e-4), a.metric


@pytest.mark.parametrize("similarity", ["geometric", "arithmetic"])
def test_the_observed_data_on_the_grid(similarity: str) -> None:
    o, p = sides()
    for a, b in ((o, o), (o, p)):
        counted = compare_all(a, b, most_exact=0, similarity=similarity)
        assert isinstance(counted, BinnedScores)
        part = BinnedCondition("op", counted, similarity, None)
        fast, slow = part.observed, Condition.observed.func(part)  # type: ignore[attr-defined]
        for name, values in slow.scalars.items():
            np.testing.assert_allclose(fast.scalars[name], values, atol=2e-5, err_msg=name)
        np.testing.assert_allclose(fast.speaker_d_ece, slow.speaker_d_ece, atol=1e-5)
        np.testing.assert_allclose(fast.speaker_l_w, slow.speaker_l_w, atol=1e-9)


def test_a_replicate_of_one_speaker_alone_is_absent() -> None:
    o, p = sides()
    counted = compare_all(o, p, most_exact=0)
    assert isinstance(counted, BinnedScores)
    drawn = draw_speakers(np.random.default_rng(0), 5, 18)
    drawn[2] = 0.0
    drawn[2, 4] = 18.0
    part = BinnedCondition("op", counted, "geometric", Resampling(drawn, np.empty((0, 18), int)))
    assert part.resampled is not None
    assert part.permuted is None
    for name, values in part.resampled.scalars.items():
        assert np.isnan(values).tolist() == [False, False, True, False, False], name
    assert part.resampled.speaker_d_ece is not None
    # Who was not drawn has no figure, everybody else has one.
    np.testing.assert_array_equal(
        np.isfinite(np.delete(part.resampled.speaker_d_ece, 2, axis=0)),
        np.delete(drawn, 2, axis=0) > 0,
    )


def test_a_vector_without_direction_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    o, _ = sides()
    o.vectors[100] = 0.0
    monkeypatch.setattr("pseudovoice.backends.compare.AT_ONCE", 64)
    with pytest.raises(InputError, match="first: row 100"):
        compare_all(o, o, most_exact=0)
