"""A small corpus of real speech, and a key."""

from __future__ import annotations

from pathlib import Path

import pytest
import soundfile

from pseudovoice.keys import new_key

SPEAKERS = ("1272", "1462", "1673")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    new_key(tmp_path / "secret.key")
    return tmp_path / "secret.key"


@pytest.fixture(scope="session")
def speech(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A little of three utterances each of three people, with their words, as in LibriSpeech."""
    root, dev = tmp_path_factory.mktemp("shards") / "speech", shared / "speech" / "dev"
    for speaker in SPEAKERS:
        for source in sorted((dev / speaker).rglob("*.flac"))[:3]:
            place = root / source.relative_to(dev)
            place.parent.mkdir(parents=True, exist_ok=True)
            samples, rate = soundfile.read(source, start=16_000, frames=19_200)
            soundfile.write(place, samples, rate)
            (listing,) = source.parent.glob("*.trans.txt")
            lines = listing.read_text().splitlines()
            (said,) = (line for line in lines if line.startswith(f"{source.stem} "))
            with (place.parent / listing.name).open("a") as stream:
                stream.write(f"{said}\n")
    return root
