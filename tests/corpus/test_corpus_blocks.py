"""Recordings in blocks: the same samples, the same sentences, however long they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from pseudovoice.corpus import (
    AudioError,
    Utterance,
    decode,
    load,
    reading,
    recording,
    resampled,
    write_audio,
    writing,
)
from pseudovoice.errors import InputError

SMALL = 1000


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_BLOCK", SMALL)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("suffix", [".wav", ".flac", ".ogg", ".aiff"])
@pytest.mark.parametrize("channels", [1, 2])
def test_blocks_are_bounded_and_join_to_the_whole(
    suffix: str, channels: int, tmp_path: Path, voice: Callable
) -> None:
    path = tmp_path / f"x{suffix}"
    soundfile.write(path, voice(channels=channels), 16000)
    whole, _ = soundfile.read(path, dtype="float32", always_2d=True)
    with reading(Utterance("x", "s", path)) as audio:
        assert audio.seconds == 0.5
        for _ in range(2):  # a second pass starts at the beginning again
            blocks = list(audio.blocks())
            assert len(blocks) > 5
            assert max(block.size for block in blocks) <= SMALL
            np.testing.assert_array_equal(np.concatenate(blocks), whole)
    part = decode(Utterance("x", "s", path, start=0.1, end=0.3)).samples
    np.testing.assert_array_equal(part, whole[1600:4800])


@pytest.mark.usefixtures("small_blocks")
def test_the_sentence_counts_all_blocks(tmp_path: Path, voice: Callable) -> None:
    samples = np.asarray(voice())
    samples[[3000, 7000]] = np.nan
    soundfile.write(tmp_path / "x.wav", samples, 16000, subtype="FLOAT")
    with pytest.raises(AudioError, match=r"2 of 8000 samples are NaN or infinite"):
        decode(Utterance("x", "s", tmp_path / "x.wav"))
    samples = np.asarray(voice())
    samples[[3000, 7000]] = 500, 700
    soundfile.write(tmp_path / "x.wav", samples, 16000, subtype="FLOAT")
    with (
        reading(Utterance("x", "s", tmp_path / "x.wav")) as audio,
        pytest.raises(AudioError, match=r"the samples reach 700 times full scale"),
    ):
        assert all(np.abs(block).max() < 1 for block in audio.blocks())


@pytest.mark.parametrize(("before", "after"), [(48_000, 16_000), (22_050, 16_000), (8_000, 16_000)])
@pytest.mark.parametrize(("kind", "quality"), [("float32", "HQ"), ("float64", "VHQ")])
def test_resampling_in_blocks_gives_the_same_bits(
    before: int, after: int, kind: str, quality: str
) -> None:
    samples = np.random.default_rng(0).standard_normal(30_011).astype(kind)
    blocks = [samples[k : k + 7_001] for k in range(0, samples.size, 7_001)]
    made = np.concatenate(list(resampled(blocks, before, after, quality=quality)))
    np.testing.assert_array_equal(made, soxr.resample(samples, before, after, quality=quality))


@pytest.mark.usefixtures("small_blocks")
def test_loading_in_blocks_gives_the_same_bits(tmp_path: Path, voice: Callable) -> None:
    write_audio(tmp_path / "x.wav", voice(channels=2), 48_000)
    stereo, _ = soundfile.read(tmp_path / "x.wav", dtype="float32")
    whole = soxr.resample(stereo.mean(axis=1), 48_000, 16_000, quality="HQ")
    np.testing.assert_array_equal(
        load(Utterance("x", "s", tmp_path / "x.wav"), sample_rate=16_000), whole
    )


def test_what_is_too_long_to_be_heard_at_once_is_named(tmp_path: Path, voice: Callable) -> None:
    write_audio(tmp_path / "x.wav", np.tile(voice(), 8), 16_000)
    with pytest.raises(AudioError, match=r"x\.wav: lasts 0\.1 min, longer than the 0\.05 min") as e:
        load(Utterance("x", "s", tmp_path / "x.wav"), sample_rate=16_000, max_duration=3.0)
    assert e.value.kind == "long"


@pytest.mark.parametrize("suffix", [".wav", ".flac", ".ogg", ".opus", ".mp3", ".caf"])
def test_blocks_are_written_as_the_whole_is(suffix: str, tmp_path: Path, voice: Callable) -> None:
    samples = np.tile(voice(channels=2), (40, 1))
    write_audio(tmp_path / f"one{suffix}", samples, 16_000)
    with writing(tmp_path / f"two{suffix}", 16_000, 2) as audio:
        for k in range(0, len(samples), 30_000):
            audio.write(samples[k : k + 30_000])
    one, two = (soundfile.read(tmp_path / f"{name}{suffix}")[0] for name in ("one", "two"))
    np.testing.assert_array_equal(one, two)


def test_nothing_is_left_of_blocks_that_end_badly(tmp_path: Path, voice: Callable) -> None:
    def write() -> None:
        with writing(tmp_path / "x.wav", 16_000, 1) as audio:
            audio.write(voice())
            audio.write(np.array([np.nan]))

    with pytest.raises(InputError, match="samples are NaN or infinite"):
        write()
    assert list(tmp_path.iterdir()) == []
