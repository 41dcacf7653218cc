"""A real object store on loopback: moto's server, which speaks S3 over HTTP and installs by name.

MinIO would be one too, but is a program of its own that no package index has. What is tested is
ours: every byte goes through s3fs, botocore and a socket.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from object_store import KEY_ID, SECRET


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a running store."""
    pytest.importorskip("s3fs", reason="object stores need s3fs: make test-storage")
    moto = pytest.importorskip("moto.server", reason="moto is not installed: make test-storage")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    running = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def bucket(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A file system of an empty bucket ``speech``, and an environment in which it is found."""
    import s3fs

    monkeypatch.setenv("AWS_ENDPOINT_URL", server)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY_ID)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(tmp_path / "cache"))
    s3fs.S3FileSystem.clear_instance_cache()
    store = s3fs.S3FileSystem(skip_instance_cache=True)
    store.mkdir("speech")
    yield store
    store.invalidate_cache()
    store.rm("speech", recursive=True)
    s3fs.S3FileSystem.clear_instance_cache()
