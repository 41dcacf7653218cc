"""Tables of all pairs of speakers: the same in memory, in a file, by panels, and elsewhere."""

from __future__ import annotations

import errno
import os
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from multiprocessing import get_context

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_all_pairs_counted import FEW, PAIRS, counted

from pseudovoice import InputError, assess_scores
from pseudovoice.assessment.binned_condition import BinnedCondition
from pseudovoice.assessment.condition import Resampling
from pseudovoice.assessment.distortion import Replicated, ReplicatedGrids, learn, replicated
from pseudovoice.assessment.replicates import draw_names, draw_speakers
from pseudovoice.engines import using
from pseudovoice.scores import pair_table
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.pair_table import is_symmetric, narrowest, panels, put_rows

TABLES = ("cells", "terms", "llr", "gain", "strongest")


@pytest.fixture
def in_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is small enough for memory, and a panel holds two speakers."""
    monkeypatch.setattr(pair_table, "MOST_HELD", 0)
    monkeypatch.setattr(pair_table, "PANEL", 4000)


def sets(similarity: str) -> dict[str, BinnedScores]:
    return {name: counted(name, similarity=similarity) for name in PAIRS}


@given(st.integers(1, 12), st.booleans(), st.randoms(use_true_random=False), st.integers(1, 200))
@settings(deadline=None, max_examples=40)
def test_rows_make_a_table_in_any_order(n: int, symmetric: bool, chance: object, size: int) -> None:
    whole = np.arange(n * n * 3, dtype=np.uint16).reshape(n, n, 3)
    if symmetric:
        whole = np.maximum(whole, whole.swapaxes(0, 1))
    table = np.zeros_like(whole)
    cuts = sorted({0, n, *(chance.randrange(n) for _ in range(3))})  # type: ignore[attr-defined]
    parts = list(pairwise(cuts))
    chance.shuffle(parts)  # type: ignore[attr-defined]
    for first, last in parts:
        part = whole[first:last].copy()
        if symmetric:  # what was counted when it was a row is not counted again
            for k in range(first, last):
                part[k - first, :k] = 0
        put_rows(table, part, first, symmetric=symmetric)
    assert np.array_equal(table, whole)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pair_table, "PANEL", size)
        bounds = list(panels(table))
        assert [k for a, b in bounds for k in range(a, b)] == list(range(n))
        assert is_symmetric(table) == np.array_equal(whole, whole.swapaxes(0, 1))


@pytest.mark.parametrize(("most", "kind"), [(255, "u1"), (256, "u2"), (65_535, "u2"), (1e9, "u4")])
def test_counts_take_the_least_room(most: float, kind: str) -> None:
    assert narrowest(int(most)) == np.dtype(kind)


@pytest.mark.parametrize("similarity", ["geometric", "arithmetic"])
def test_in_files_everything_is_the_same(similarity: str, request: pytest.FixtureRequest) -> None:
    here = sets(similarity)
    assert {one.cells.dtype for one in here.values()} == {np.dtype(np.uint8)}
    expected = assess_scores(here, f0={"op": here["pp"]}, similarity=similarity, **FEW)
    request.getfixturevalue("in_files")
    there = sets(similarity)
    for name, one in there.items():
        for table in TABLES:
            assert isinstance(getattr(one, table), np.memmap)
            assert np.array_equal(getattr(one, table), getattr(here[name], table)), table
    found = assess_scores(there, f0={"op": there["pp"]}, similarity=similarity, **FEW)
    assert found.rows == expected.rows
    assert found.speakers == expected.speakers
    for name, matrix in expected.matrices.items():
        assert np.array_equal(matrix.values, found.matrices[name].values)


def test_replicates_of_large_tables_are_made_by_the_engine(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = {name: counted(name) for name in ("oo", "op")}
    few = {"replicates": 3, "permutations": 3}
    expected = assess_scores(here, **few)
    request.getfixturevalue("in_files")
    sent, submit = [], ProcessPoolExecutor.submit

    def spy(self: ProcessPoolExecutor, *args: object) -> object:
        sent.append(args)
        return submit(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(ProcessPoolExecutor, "submit", spy)
    with ProcessPoolExecutor(2, get_context("spawn")) as pool, using(pool):
        found = assess_scores(here, **few)
    assert sent
    assert found.rows == expected.rows
    assert found.speakers == expected.speakers


def test_distortion_by_sums_is_that_by_cells() -> None:
    f0, f1 = counted("pp"), BinnedCondition("op", counted("op"), "geometric", None)
    rng = np.random.default_rng(4)
    draws = Resampling(draw_speakers(rng, 9, 9), draw_names(rng, 7, 9))
    by_sums = replicated(f0, f1, draws)
    assert isinstance(by_sums, ReplicatedGrids)
    other = BinnedCondition("f0", f0, "geometric", None).labelled
    by_cells = Replicated(other, f1.unlabelled, draws)
    for name in ("c_ece_linear", "c_ece_isotonic"):
        learnt = learn(name, f0)
        close = {"rtol": 0, "atol": 1e-6}  # single precision pair by pair
        np.testing.assert_allclose(by_sums.resampled(name), by_cells.resampled(name), **close)
        np.testing.assert_allclose(by_sums.permuted(learnt), by_cells.permuted(learnt), **close)
        assert by_sums.observed(name) == pytest.approx(by_cells.observed(name), abs=1e-6)


@pytest.mark.usefixtures("in_files")
def test_a_disk_without_room_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(InputError, match=r"9 speakers need a table of .* set TMPDIR to a folder"):
        counted("oo")
