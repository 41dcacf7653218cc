"""Real speech and real weights, skipped with a sentence where they are absent."""

from __future__ import annotations

from pathlib import Path

import pytest

from pseudovoice.asr.moonshine import Moonshine, load_moonshine
from pseudovoice.asr.whisper import Whisper, load_whisper
from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.models import FetchError, artefact, cached_path
from pseudovoice.utility.dnsmos import Dnsmos, load_dnsmos


@pytest.fixture(scope="session")
def dev(shared: Path) -> Corpus:
    """The development set of read English beside the repository."""
    folder = shared / "speech" / "dev"
    if not folder.is_dir():
        pytest.skip(f"the real speech is not here: there is no {folder}")
    return read_corpus(folder)


@pytest.fixture(scope="session")
def moonshine() -> Moonshine:
    try:
        return load_moonshine()
    except FetchError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def whisper() -> Whisper:
    try:
        return load_whisper("whisper-base")
    except FetchError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def large_whisper() -> Whisper:
    """Only where somebody has fetched it: nobody wants 250 MB for the sake of a test."""
    if not cached_path(artefact("whisper-small-decoder")).is_file():
        pytest.skip("whisper-small is not in the cache")
    return load_whisper("whisper-small")


@pytest.fixture(scope="session")
def dnsmos() -> Dnsmos:
    try:
        return load_dnsmos()
    except FetchError as error:
        pytest.skip(str(error))
