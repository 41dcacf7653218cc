"""Real speech that installs by name: six people of the demo, four utterances each."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pseudovoice.corpus import Corpus, write_audio, write_table
from pseudovoice.demo.real import real_corpus
from pseudovoice.models import FetchError
from pseudovoice.models.cache import cache_directory

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="session")
def whole_demo() -> Corpus:
    try:
        return real_corpus(lambda *_: None)
    except FetchError as error:
        pytest.skip(f"the recordings of the demo cannot be fetched: {error}")


@pytest.fixture(scope="session")
def people(whole_demo: Corpus) -> Corpus:
    """A part of a corpus, which no folder by itself gives."""
    chosen = list(whole_demo.speakers.values())[:6]
    return whole_demo.subset(ids=[u.id for mine in chosen for u in mine[:4]])


@pytest.fixture(scope="session")
def folder(people: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as a folder of its own."""
    from dataclasses import replace

    from pseudovoice.corpus import decode

    root = tmp_path_factory.mktemp("people") / "six"
    moved = []
    for utterance in people:
        path = root / utterance.speaker / f"{utterance.id}.wav"
        sound = decode(utterance)
        write_audio(path, sound.samples[: 3 * sound.sample_rate], sound.sample_rate)
        moved.append(replace(utterance, path=path))
    write_table(Corpus("six", root, tuple(moved)), root / "corpus.csv")
    return root


@pytest.fixture(scope="session")
def weights() -> None:
    """These tests fetch no weights."""
    if not list((cache_directory() / "models").glob("ge2e-*")):
        pytest.skip("the weights are not here: pseudovoice models fetch ge2e")


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example packages as pip installs them, in a folder of their own."""
    place = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [
            sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
            "--no-build-isolation", "--disable-pip-version-check", "--target", str(place),
            *(str(EXAMPLES / name) for name in ("safeguard", "encoder", "attacker", "metric")),
        ],
        env={**os.environ, "PIP_CONFIG_FILE": os.devnull},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return place
