"""What the tests on Ray share: a cluster of three nodes, some speech, how trees are compared.

Where Ray is not installed there is nothing to test; ``make test-ray`` installs it.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ray_cluster import OneMachine

sys.path.insert(0, str(Path(__file__).parent))

PEOPLE, UTTERANCES = 3, 4


@pytest.fixture(scope="session")
def machine() -> Iterator[OneMachine]:
    from ray_cluster import NODES, OneMachine

    with OneMachine(NODES) as machine:
        yield machine


@pytest.fixture
def cluster(machine: OneMachine) -> OneMachine:
    """All of its nodes, whatever the test before did to them."""
    machine.mend()
    return machine


@pytest.fixture(scope="session")
def speech(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The shortest utterances of a few people, as LibriSpeech lays them out."""
    dev = Path(__file__).resolve().parents[3] / "shared/speech/dev"
    if not dev.is_dir():
        pytest.skip(f"the speech is not here: there is no {dev}")
    folder = tmp_path_factory.mktemp("speech") / "dev"
    for person in sorted(dev.iterdir())[:PEOPLE]:
        chapter = sorted(person.iterdir())[0]
        to = folder / person.name / chapter.name
        to.mkdir(parents=True)
        files = sorted(chapter.glob("*.flac"), key=lambda file: file.stat().st_size)
        for file in [*files[:UTTERANCES], *chapter.glob("*.txt")]:
            shutil.copy(file, to)
    return folder


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights as they are, and nothing that was computed before."""
    from pseudovoice.models.cache import cache_directory

    real = cache_directory()
    folder = tmp_path / "cache"
    folder.mkdir()
    for name in ("models", "graphs"):
        (real / name).mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(real / name)
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(folder))


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}
