"""A read that fails is neither a short read nor a damaged file."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pseudovoice.corpus.recording import opened
from pseudovoice.corpus.source import Source

RATE = 16_000


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    path = tmp_path / "sound.wav"
    soundfile.write(path, 0.1 * np.random.default_rng(0).standard_normal(RATE), RATE)
    return path


def test_a_failed_read_is_the_systems_error(sound: Path) -> None:
    """Of a file that is open for writing only no byte can be read."""
    descriptor = os.open(sound, os.O_WRONLY)
    try:
        with pytest.raises(OSError, match="Bad file descriptor"), opened(descriptor):
            pass
    finally:
        os.close(descriptor)


def test_a_read_that_fails_between_is_not_the_end(sound: Path) -> None:
    descriptor, unreadable = os.open(sound, os.O_RDONLY), os.open(sound, os.O_WRONLY)
    try:
        source = Source(descriptor)
        with soundfile.SoundFile(source) as stream:
            assert len(stream.read(100)) == 100
            os.dup2(unreadable, descriptor)
            assert len(stream.read()) < RATE - 100
        with pytest.raises(OSError, match="Bad file descriptor"):
            source.check()
    finally:
        os.close(descriptor)
        os.close(unreadable)


def test_the_file_stays_open_and_gives_the_same_samples(sound: Path) -> None:
    with sound.open("rb") as file:
        with opened(file.fileno()) as stream:
            samples = stream.read(dtype="float32")
        file.seek(0)
        assert file.read(4) == b"RIFF"
    np.testing.assert_array_equal(samples, soundfile.read(sound, dtype="float32")[0])
