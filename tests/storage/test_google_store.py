"""The same through ``gs://``, with an emulator of Google's store on loopback."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from object_store import content, held, run, said

HOST = "127.0.0.1"


@pytest.fixture
def google(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A file system of an empty bucket ``speech``, and an environment in which it is found."""
    # Which kind of bucket it is, gcsfs asks by a protocol that the emulator does not speak; it
    # looks here when it is imported.
    monkeypatch.setenv("GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT", "false")
    gcsfs = pytest.importorskip("gcsfs", reason="gs:// needs gcsfs: make test-storage")
    emulator = pytest.importorskip("gcp_storage_emulator.server", reason="make test-storage")
    import fsspec

    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    server = emulator.create_server(HOST, port, in_memory=True, default_bucket="speech")
    server.start()
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"http://{HOST}:{port}")
    for name in ("gs", "gcs"):
        monkeypatch.setitem(fsspec.config.conf, name, {"token": "anon"})
    monkeypatch.setenv("PSEUDOVOICE_CACHE", "gs://speech/cache")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    gcsfs.GCSFileSystem.clear_instance_cache()
    yield fsspec.filesystem("gs", skip_instance_cache=True)
    gcsfs.GCSFileSystem.clear_instance_cache()
    server.stop()


def test_protected_and_heard_there(
    google: Any, corpus: Path, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    google.put(str(corpus), "speech/", recursive=True)
    how = ("--safeguard", "mcadams-random", "--key-file", key)
    done = run("protect", "gs://speech/corpus", "gs://speech/out", *how)
    assert done.exit_code == 0, done.output
    assert run("protect", corpus, tmp_path / "here" / "out", *how).exit_code == 0
    assert held(google, "speech/out") == content(tmp_path / "here" / "out")
    assert "12 of them before" in said(
        run("protect", "gs://speech/corpus", "gs://speech/out", *how)
    )
    ear = ("--encoder", "prosody")
    first = run("embed", "gs://speech/corpus", "-o", "gs://speech/e.npz", *ear)
    assert first.exit_code == 0, first.output
    assert len(held(google, "speech/cache")) == 12
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "second"))
    again = run("embed", "gs://speech/corpus", "-o", tmp_path / "e.npz", *ear)
    assert again.exit_code == 0, again.output
    assert google.cat_file("speech/e.npz") == (tmp_path / "e.npz").read_bytes()


@pytest.mark.usefixtures("google")
def test_a_bucket_that_google_does_not_have() -> None:
    done = run("inspect", "gs://nowhere/corpus")
    assert done.exit_code == 2
    assert "gs://nowhere/corpus" in said(done)
    assert "Traceback" not in done.output
