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
import soundfile
from object_store import KEY_ID, SECRET

from pseudovoice.keys import new_key


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


@pytest.fixture
def corpus(shared: Path, tmp_path: Path) -> Path:
    """A little of three utterances each of four people, with a listing."""
    root, k = tmp_path / "corpus", 0
    rows = ["file_name,id,speaker,transcription"]
    for who, speaker in zip("abcd", ("1272", "1462", "1673", "174"), strict=True):
        (root / who).mkdir(parents=True)
        for source in sorted((shared / "speech" / "dev" / speaker).rglob("*.flac"))[:3]:
            sound, rate = soundfile.read(source, start=16_000, frames=20_000 + 37 * k)
            soundfile.write(root / who / f"{who}{k:02d}.wav", sound, rate)
            rows.append(f"{who}/{who}{k:02d}.wav,{who}{k:02d},{who},SOME WORDS {k}")
            k += 1
    (root / "metadata.csv").write_text("\n".join(rows) + "\n")
    return root


@pytest.fixture
def key(tmp_path: Path) -> Path:
    new_key(tmp_path / "secret.key")
    return tmp_path / "secret.key"


@pytest.fixture
def afar(bucket: Any, corpus: Path) -> Any:
    """The bucket with the corpus in it."""
    bucket.put(str(corpus), "speech/", recursive=True)
    assert len(bucket.find("speech/corpus")) == 13
    return bucket
