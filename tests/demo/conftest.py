"""The speech of the demo from the user's cache, and an empty cache without any package index."""

from __future__ import annotations

from pathlib import Path

import pytest

from pseudovoice.corpus import Corpus
from pseudovoice.demo.real import real_corpus
from pseudovoice.models import FetchError


@pytest.fixture(scope="session")
def speech() -> Corpus:
    """The 21 people, fetched by name if they are not in the cache."""
    try:
        return real_corpus()
    except FetchError as error:
        pytest.skip(str(error))


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, a pip that reaches no index, and no way to any hub."""
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "nothing"))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    (tmp_path / "nothing").mkdir()
    # Nothing listens there, so that a download fails at once and not after half a minute.
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    return tmp_path / "cache"
