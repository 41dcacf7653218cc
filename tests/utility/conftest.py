"""Real speech and real weights, skipped with a sentence where they are absent."""

from __future__ import annotations

from pathlib import Path

import pytest

from pseudovoice.asr.moonshine import Moonshine, load_moonshine
from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.models import FetchError
from pseudovoice.utility.quality import Dnsmos, load_dnsmos


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
def dnsmos() -> Dnsmos:
    try:
        return load_dnsmos()
    except FetchError as error:
        pytest.skip(str(error))
