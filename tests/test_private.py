"""What was heard and said is its owner's alone, also where an earlier version left it open."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import numpy as np
import pytest

from pseudovoice.embeddings.store import EmbeddingStore
from pseudovoice.models.cache import cache_directory, private_cache, store
from pseudovoice.private import private_file, private_folder
from pseudovoice.slicing.staging import Staging
from pseudovoice.sqlite_store import SqliteStore
from pseudovoice.utility.store import MeasureStore

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX")


@pytest.fixture(autouse=True)
def usual_umask() -> object:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_new_folders_and_files_are_private_and_open_ones_are_closed(tmp_path: Path) -> None:
    assert mode(private_folder(tmp_path / "above" / "mine")) == 0o700
    assert mode(tmp_path / "above") == 0o755
    assert mode(private_file(tmp_path / "new")) == 0o600
    (tmp_path / "open").mkdir(mode=0o755)
    (tmp_path / "old").write_text("kept")
    assert mode(private_folder(tmp_path / "open")) == 0o700
    assert mode(private_file(tmp_path / "old")) == 0o600
    assert (tmp_path / "old").read_text() == "kept"


def test_a_link_is_not_followed_to_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir(mode=0o755)
    (tmp_path / "link").symlink_to("there")
    private_folder(tmp_path / "link")
    assert mode(tmp_path / "there") == 0o755


@pytest.mark.parametrize("before", [False, True], ids=["new", "left open"])
def test_stores_of_what_was_heard_and_said(tmp_path: Path, before: bool) -> None:
    for name, opened in (("e.sqlite", EmbeddingStore), ("u.sqlite", MeasureStore)):
        path = tmp_path / name
        if before:
            opened(path).close()
            for file in tmp_path.glob(f"{name}*"):
                file.chmod(0o644)
        database = opened(path)
        values = {"k": np.ones(3, np.float32)} if name == "e.sqlite" else {"k": "what was said"}
        database.put(values)
        files = sorted(p.name for p in tmp_path.glob(f"{name}*"))
        assert files == [name, f"{name}-shm", f"{name}-wal"]
        assert [oct(mode(tmp_path / file)) for file in files] == ["0o600"] * 3
        database.close()


def test_a_store_that_another_program_has_open_is_closed_to_others(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    first = SqliteStore(path, table="t", column="c", what="things")
    first.put({"a": b"b"})
    for file in tmp_path.glob("x.sqlite*"):
        file.chmod(0o664)
    second = SqliteStore(path, table="t", column="c", what="things")
    assert {mode(file) for file in tmp_path.glob("x.sqlite*")} == {0o600}
    assert second.get(["a"], bytes) == {"a": b"b"}
    first.close()
    second.close()


def test_features(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(tmp_path / "cache"))
    assert mode(private_cache("features")) == 0o700
    store(b"x", private_cache("features") / "ab" / "f.npy", private=True)
    assert mode(cache_directory() / "features" / "ab" / "f.npy") == 0o600
    assert mode(cache_directory()) == 0o700


def test_a_cache_that_is_shared_on_purpose_stays_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shared").mkdir(mode=0o755)
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(tmp_path / "shared"))
    assert mode(private_cache()) == 0o755
    assert mode(private_cache("counts")) == 0o700
    monkeypatch.delenv("PSEUDOVOICE_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "pseudovoice").mkdir(mode=0o755)
    assert mode(private_cache()) == 0o700


def test_slices_on_their_way(tmp_path: Path) -> None:
    staging = Staging(tmp_path / "out")
    staging.folder.mkdir(mode=0o755)
    with staging.held():
        staging.open({"a": 1})
        assert mode(staging.folder) == 0o700
        assert {mode(file) for file in staging.folder.iterdir()} == {0o600}
