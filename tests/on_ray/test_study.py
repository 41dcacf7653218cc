"""A study on three nodes is that of one machine, byte for byte, and Ray never sees the key."""

from __future__ import annotations

import base64
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray", reason="Ray is not installed; `make test-ray` installs it")

from ray_cluster import OneMachine

import pseudovoice as pv
from conftest import tree
from pseudovoice.assessment import allpairs
from pseudovoice.assessment.allpairs import Comparison, count_all_pairs, sort_by_speaker
from pseudovoice.corpus import read_corpus
from pseudovoice.embeddings.embed import embed_corpus
from pseudovoice.encoders import load_encoder
from pseudovoice.engines import using
from pseudovoice.keys import new_key, read_key
from pseudovoice.scores import pair_table
from pseudovoice.scores.binned import BinnedScores

pytestmark = pytest.mark.weights

SAFEGUARDS = (
    "persona:candidates=2,encoders=ge2e",
    "mcadams-random",
    "mcadams-random+slice:duration=1",
)


@pytest.mark.usefixtures("own_cache")
def test_a_study_is_the_same(
    cluster: OneMachine, speech: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = new_key(tmp_path / "study.key")
    found = {}
    for where, engine in (("here", None), ("there", cluster.engine)):
        # One after the other in the same place: paths are part of what is written.
        own = tmp_path / f"cache-{where}"
        shutil.copytree(tmp_path / "cache", own, symlinks=True)
        monkeypatch.setenv("PSEUDOVOICE_CACHE", str(own))
        pv.compare(
            speech, SAFEGUARDS, "lazy", "ge2e", out=tmp_path / "out", key=tmp_path / "study.key",
            measures=("prosody",), replicates=5, permutations=5, figures=False, clips=False,
            engine=engine,
        )  # fmt: skip
        found[where] = {**tree(tmp_path / "out"), **_states(tmp_path)}
        shutil.move(tmp_path / "out", tmp_path / where)
        for state in tmp_path.glob("study.key.*"):
            state.unlink()
    here, there = ({n: d for n, d in one.items() if not _database(n)} for one in found.values())
    assert any(name.endswith(".flac") for name in here)
    assert any(name.endswith(".html") for name in here)
    assert here.keys() == there.keys()
    assert [name for name in here if here[name] != there[name]] == []
    _no_key(cluster, key.secret)


def _states(folder: Path) -> dict[str, bytes]:
    """The voices that the session gave."""
    return {path.name: path.read_bytes() for path in folder.glob("study.key.*")}


def _database(name: str) -> bool:
    """Journals of SQLite: the same rows may lie in other pages."""
    return ".sqlite" in name or name.endswith(".lock")


def _no_key(cluster: OneMachine, secret: bytes) -> None:
    """Neither the key nor a spelling of it is in anything that Ray has written."""
    spelt = [secret, secret.hex().encode(), secret.hex().upper().encode()]
    # Whatever stands before it moves base64 by up to two bytes.
    spelt += [base64.b64encode(b"x" * k + secret)[4 if k else 0 : -4] for k in (0, 1, 2)]
    written = [path for path in Path(cluster.session).rglob("*") if path.is_file()]
    contents = {path: path.read_bytes() for path in written}
    assert any(b"run_in_ray" in data for data in contents.values()), "these are not the logs"
    assert [path for path, data in contents.items() if any(one in data for one in spelt)] == []


def test_protection_survives_a_node(cluster: OneMachine, speech: Path, tmp_path: Path) -> None:
    key = new_key(tmp_path / "a.key")
    calls = 0

    def kill_once(_what: str, _done: int, _total: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            cluster.kill()

    here = pv.protect(speech, tmp_path / "here", "mcadams-random", key=key)
    there = pv.protect(
        speech, tmp_path / "there", "mcadams-random", key=read_key(tmp_path / "a.key"),
        engine=cluster.engine, progress=kill_once,
    )  # fmt: skip
    assert calls >= 3
    assert not there.problems
    assert there.done == here.done
    assert tree(tmp_path / "here") == tree(tmp_path / "there")


def test_embedding_survives_a_node(cluster: OneMachine, speech: Path) -> None:
    corpus, encoder = read_corpus(speech), load_encoder("ge2e")
    here = embed_corpus(corpus, encoder)
    killed = 0

    def kill_once(done: int) -> None:
        nonlocal killed
        if done and not killed:
            killed += 1
            cluster.kill()

    with using(cluster.engine), pytest.MonkeyPatch.context() as patch:
        patch.setattr("pseudovoice.embeddings.embed.BATCH", 1)
        there = embed_corpus(corpus, encoder, progress=kill_once)
    assert killed
    assert not there.problems
    assert here.ids == there.ids
    assert np.array_equal(here.vectors, there.vectors)


def test_all_pairs_survive_a_node(cluster: OneMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    people, each, size = 40, 60, 64
    voices = rng.standard_normal((people, size))
    vectors = np.repeat(voices, each, axis=0) + 1.5 * rng.standard_normal((people * each, size))
    unit = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    sides = sort_by_speaker(unit, np.repeat(np.arange(people), each).astype(np.int32))
    names = tuple(f"{k:02d}" for k in range(people))
    comparison = Comparison(sides, sides, names, symmetric=True, same_segment=True)
    monkeypatch.setattr(allpairs, "STRIP_COLUMNS", 700)  # not a multiple of a speaker's
    monkeypatch.setattr(allpairs, "MOST_ROWS", 256)
    here = count_all_pairs(comparison)
    killed = 0
    put = allpairs.Cells.put

    def and_kill(self: allpairs.Cells, *args: Any, **kwargs: Any) -> None:
        nonlocal killed
        put(self, *args, **kwargs)
        if not killed:
            killed += 1
            cluster.kill()

    with using(cluster.engine):
        monkeypatch.setattr(allpairs.Cells, "put", and_kill)
        there = count_all_pairs(comparison)
    assert killed
    _same(here, there)
    # Replicates, too, go where the work is done, once a table is too large for memory.
    few = {"replicates": 12, "permutations": 12}
    expected = pv.assess_scores({"pp": here}, **few)
    monkeypatch.setattr(pair_table, "MOST_HELD", 0)
    monkeypatch.setattr(pair_table, "PANEL", 40_000)
    with using(cluster.engine):
        found = pv.assess_scores({"pp": there}, **few)
    assert found.rows == expected.rows
    assert found.speakers == expected.speakers


def _same(here: BinnedScores, there: BinnedScores) -> None:
    for name, value in vars(here).items():
        other = getattr(there, name)
        if isinstance(value, np.ndarray):
            assert np.array_equal(value, other), name
        else:
            assert value == other, name
