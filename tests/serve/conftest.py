"""A server on loopback, real speech for it to assess, and a browser to look at it with."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from loopback_client import Client

from pseudovoice.corpus import read_corpus
from pseudovoice.models.cache import cache_directory
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import parse_chain
from pseudovoice.serve import Loopback, ReadableFolders
from reading import Reader

Serve = Callable[..., Client]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Start servers; they are stopped after the test."""
    running: list[tuple[Loopback, threading.Thread]] = []

    def start(*roots: Path, out: Path = tmp_path / "out", patience: float = 20.0) -> Client:
        server = Loopback(
            ReadableFolders.at(out, roots or (tmp_path,)), workers=1, patience=patience
        )
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        running.append((server, thread))
        return Client(server)

    yield start
    for server, thread in running:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="session")
def speech(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ``original`` and ``protected``: four readers, eight utterances each."""
    base = tmp_path_factory.mktemp("speech")
    dev = read_corpus(shared / "speech" / "dev")
    for name in list(dev.speakers)[:4]:
        folder = base / "original" / name
        folder.mkdir(parents=True)
        for utterance in dev.speakers[name][:8]:
            shutil.copyfile(utterance.path, folder / utterance.path.name)
    protect_corpus(
        read_corpus(base / "original"), base / "protected", parse_chain("mcadams"), key=None
    )
    return base


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache that knows the weights but no speech; runs take it from the environment."""
    there, fresh = cache_directory(), tmp_path / "cache"
    fresh.mkdir()
    for name in ("models", "graphs"):
        (there / name).mkdir(parents=True, exist_ok=True)
        (fresh / name).symlink_to(there / name, target_is_directory=True)
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(fresh))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    return fresh


@pytest.fixture
def visitor(driver: object) -> Iterator[Reader]:
    reader = Reader(driver)
    reader.look(width=1440, height=900, dark=False)
    yield reader
    reader.driver.get("about:blank")  # or its stream of events would outlive the server
