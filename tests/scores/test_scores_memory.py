"""A million trials are read as arrays, not as objects."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pyarrow as pa
import pytest

from pseudovoice.scores.formats.detect import read_trials
from pseudovoice.scores.read import read_scores

SPEAKERS, UTTERANCES = 200, 5000


@pytest.fixture(scope="module")
def million(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """1,000,000 lines of scores and of key."""
    folder = tmp_path_factory.mktemp("million")
    scored = "".join(f"@ utt{k:04d} {k % 97 / 7:.5f}\n" for k in range(UTTERANCES)).encode()
    rest = [
        "".join(
            f"@ utt{k:04d} {'target' if k % SPEAKERS == s else 'nontarget'}\n"
            for k in range(UTTERANCES)
        ).encode()
        for s in range(SPEAKERS)
    ]
    scores, key = folder / "scores", folder / "trials"
    scores.write_bytes(b"".join(scored.replace(b"@", b"spk%03d" % s) for s in range(SPEAKERS)))
    key.write_bytes(b"".join(r.replace(b"@", b"spk%03d" % s) for s, r in enumerate(rest)))
    return scores, key


def test_no_object_per_trial(million: tuple[Path, Path]) -> None:
    """A Python float alone takes 24 bytes, a tuple of three 64, an id 56: they cannot hide here."""
    before = pa.default_memory_pool().max_memory()
    tracemalloc.start()
    try:
        trials = read_trials(million[0], "score")
        peak = tracemalloc.get_traced_memory()[1]
        objects = sum(s.count for s in tracemalloc.take_snapshot().statistics("filename"))
    finally:
        tracemalloc.stop()
    assert len(trials) == SPEAKERS * UTTERANCES
    assert trials.trial is not None
    assert len(trials.trial.values) == UTTERANCES
    assert peak < 100 * len(trials)
    assert objects < 0.1 * len(trials)
    arrow = max(pa.default_memory_pool().max_memory() - before, 0)
    assert arrow < 100 * len(trials)


def test_join_costs_arrays_only(million: tuple[Path, Path]) -> None:
    tracemalloc.start()
    try:
        reading = read_scores({"oo": million[0]}, trials=million[1])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    scores = reading.sets["oo"]
    assert reading.problems == ()
    assert (scores.mated.sum(), scores.score.size) == (UTTERANCES, SPEAKERS * UTTERANCES)
    assert peak < 150 * scores.score.size
