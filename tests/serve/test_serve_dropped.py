"""Dropped folders: plain files under plain names, private, and gone in the end."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from loopback_client import Client

from pseudovoice.errors import InputError
from pseudovoice.private import temporary
from pseudovoice.serve.dropped import Dropped, check_parts


def test_a_folder_arrives_and_goes(serve: Any) -> None:
    client: Client = serve()
    place = client.post("drop", {}).tree["id"]
    assert client.put(f"drop/{place}/my%20speech/anna/01.wav", b"abc").status == 201
    assert client.put(f"drop/{place}/my%20speech/b%C3%A9n/empty.wav", b"").status == 201
    root = client.server.dropped.root
    folder = client.server.dropped.folder(place)
    assert folder == root / place / "my speech"
    assert (folder / "anna" / "01.wav").read_bytes() == b"abc"
    for path in (root, folder, folder / "anna"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "anna" / "01.wav").stat().st_mode) == 0o600
    client.server.server_close()
    assert not client.server.dropped.private.exists()


@pytest.mark.parametrize(
    "name",
    [
        "..",
        "a/..",
        "..%2Fescaped",
        "%2e%2e/escaped",
        "a%2Fb",
        "a%5Cb",
        "",
        "a//b",
        ".hidden",
        "x%00y",
        "line%0Abreak",
        "c%3Ad",
        "%20space",
        "x" * 300,
        "/".join("abcdefghijklmnopq"),
    ],
)
def test_names_that_are_more_than_names_are_refused(serve: Any, name: str) -> None:
    client: Client = serve()
    place = client.post("drop", {}).tree["id"]
    answer = client.put(f"drop/{place}/{name}", b"x")
    assert answer.status == 422
    assert answer.sentence.endswith(".")
    assert list(client.server.dropped.root.rglob("*")) == [client.server.dropped.root / place]
    assert not (client.server.dropped.root.parent / "escaped").exists()


@pytest.mark.parametrize("place", ["nowhere", "..", "%2e%2e", "", "."])
def test_places_that_were_not_given_are_refused(serve: Any, place: str) -> None:
    client: Client = serve()
    assert client.put(f"drop/{place}/a.wav", b"x").status in (404, 422)
    assert list(client.server.dropped.root.iterdir()) == []


def test_nothing_is_written_twice(serve: Any) -> None:
    client: Client = serve()
    place = client.post("drop", {}).tree["id"]
    client.put(f"drop/{place}/a/b", b"first")
    again = client.put(f"drop/{place}/a/b", b"second")
    assert again.status == 422
    below = client.put(f"drop/{place}/a/b/c", b"below a file")
    assert below.status == 422
    assert (client.server.dropped.root / place / "a" / "b").read_bytes() == b"first"


def test_half_a_file_is_no_file(tmp_path: Path) -> None:
    with Dropped() as dropped:
        place = dropped.begin()
        with pytest.raises(InputError, match="only a part"):
            dropped.put(place, ["a", "b.wav"], io.BytesIO(b"half"), 8)
        assert not (dropped.root / place / "a" / "b.wav").exists()
        with pytest.raises(InputError, match="not here any more"):
            dropped.folder("elsewhere")
    assert tmp_path.exists()


def test_only_what_was_dropped_is_taken_up_again() -> None:
    with Dropped() as dropped:
        place = dropped.begin()
        dropped.put(place, ["speech", "a.wav"], io.BytesIO(b"x"), 1)
        folder = dropped.folder(place)
        assert dropped.again(folder) == folder
        for other in (
            dropped.root,
            dropped.root / place,
            folder / "..",
            folder / ".." / ".." / "..",
        ):
            with pytest.raises(InputError):
                dropped.again(other)


def test_dropped_folders_of_a_server_that_has_stopped_are_asked_for_again(
    serve: Any, tmp_path: Path
) -> None:
    client: Client = serve()
    run = tmp_path / "out" / "run"
    run.mkdir()
    gone = "/var/pseudovoice-dropped-abc/files/0123/speech"
    plan = {"title": "t", "safeguard": "s", "original": gone, "protected": gone + "2"}
    (run / "unfinished.json").write_text(json.dumps(plan), encoding="utf-8")
    answer = client.post("run/resume", {"name": "run"})
    assert answer.status == 422
    assert "drop them again" in answer.sentence


def test_what_a_killed_server_left_is_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with Dropped() as living:
        killed = subprocess.Popen(
            [
                sys.executable,
                "-c",
                # The file alone, without what the whole room imports.
                "import runpy, sys, time; room = runpy.run_path(sys.argv[1]); "
                "kept = room['TemporaryFolder']('dropped'); "
                "print(kept.path, flush=True); time.sleep(600)",
                temporary.__file__,
            ],
            env={**os.environ, "TMPDIR": str(tmp_path)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert killed.stdout is not None
        left = Path(killed.stdout.readline().strip())
        with Dropped():
            assert left.is_dir()  # it lives
        killed.kill()
        killed.communicate()
        (tmp_path / "pseudovoice-dropped-by-others").mkdir()
        with Dropped():
            assert not left.exists()
        assert living.root.is_dir()
        assert (tmp_path / "pseudovoice-dropped-by-others").is_dir()


def test_plain_names_of_any_script_are_taken() -> None:
    check_parts(["Füße und Hände", "日本語 01.wav", "a'b & c;d $e.flac"])
