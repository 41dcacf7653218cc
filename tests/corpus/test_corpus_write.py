"""Writing audio: whole or not at all, in the format of the name, as exact as it can be."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pseudovoice.atomic import replacing
from pseudovoice.corpus import Utterance, decode, write_audio
from pseudovoice.errors import InputError


@pytest.mark.parametrize(
    ("name", "asked", "kept"),
    [
        ("x.wav", None, ("WAV", "PCM_16")),
        ("x.wav", "PCM_24", ("WAV", "PCM_24")),
        ("x.wav", "FLOAT", ("WAV", "FLOAT")),
        ("x.wav", "PCM_U8", ("WAV", "PCM_U8")),
        ("x.flac", "PCM_24", ("FLAC", "PCM_24")),
        ("x.flac", "FLOAT", ("FLAC", "PCM_16")),
        ("x.wav", "OPUS", ("WAV", "PCM_16")),
        ("x.opus", "VORBIS", ("OGG", "OPUS")),
        ("x.ogg", None, ("OGG", "VORBIS")),
        ("x.mp3", None, ("MP3", "MPEG_LAYER_III")),
        ("X.WAV", None, ("WAV", "PCM_16")),
    ],
)
def test_format_follows_the_extension_and_subtype_is_kept(
    name: str, asked: str | None, kept: tuple[str, str], tmp_path: Path, voice: Callable
) -> None:
    path = tmp_path / "new" / name
    assert write_audio(path, voice(), 16000, subtype=asked) == 0
    info = soundfile.info(path)
    assert (info.format, info.subtype) == kept
    assert info.frames == 8000
    assert [file.name for file in path.parent.iterdir()] == [name]


@pytest.mark.parametrize("subtype", ["PCM_U8", "PCM_16", "PCM_24", "FLOAT"])
@pytest.mark.parametrize("channels", [1, 2])
def test_decoded_samples_are_written_back_exactly(
    subtype: str, channels: int, tmp_path: Path, voice: Callable, record: Callable
) -> None:
    first = record(tmp_path / "one.wav", 3 * voice(channels=channels), subtype=subtype)
    sound = decode(Utterance("x", "s", first))
    write_audio(tmp_path / "two.wav", sound.samples, sound.sample_rate, subtype=sound.subtype)
    again = decode(Utterance("x", "s", tmp_path / "two.wav"))
    np.testing.assert_array_equal(again.samples, sound.samples)


def test_sixteen_bits_are_rounded_without_an_offset(tmp_path: Path) -> None:
    samples = np.random.default_rng(0).uniform(-0.5, 0.5, 16000)
    write_audio(tmp_path / "x.wav", samples, 16000)
    difference = decode(Utterance("x", "s", tmp_path / "x.wav")).samples[:, 0] - samples
    assert np.abs(difference).max() <= 2**-16 * 1.001
    assert abs(difference.mean()) < 2**-15 / 100


def test_samples_beyond_full_scale_are_counted(tmp_path: Path) -> None:
    samples = np.array([0.0, 1.5, -2.0, 0.5] * 500)
    assert write_audio(tmp_path / "x.wav", samples, 16000) == 1000
    read = decode(Utterance("x", "s", tmp_path / "x.wav")).samples
    assert (read.min(), read.max()) == (-1.0, 1 - 2**-15)


@pytest.mark.parametrize(
    ("name", "samples", "rate", "sentence"),
    [
        ("x.wma", np.ones(99), 16000, r"cannot be written with the extension \.wma; use one of"),
        ("x", np.ones(99), 16000, r"with the extension \(none\)"),
        ("x.wav", np.ones(0), 16000, r"not written, because there are no samples; check what"),
        ("x.wav", np.array([0.0, np.nan]), 16000, r"because samples are NaN or infinite"),
        ("x.opus", np.zeros(99), 44100, r"cannot be written as OGG OPUS at 44100 Hz with 1 chan"),
    ],
)
def test_what_cannot_be_written_leaves_nothing_behind(
    name: str, samples: np.ndarray, rate: int, sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=sentence):
        write_audio(tmp_path / name, samples, rate)
    assert list(tmp_path.iterdir()) == []


def test_interrupted_write_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text("old")

    def interrupted() -> None:
        with replacing(path) as stream:
            stream.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("subtype", ["IMA_ADPCM", "MS_ADPCM", "GSM610"])
def test_a_codec_that_fills_up_its_last_block_is_written(tmp_path: Path, subtype: str) -> None:
    samples = 0.5 * np.sin(np.arange(960) / 7)
    write_audio(tmp_path / "a.wav", samples, 8000, subtype=subtype)
    heard, _ = soundfile.read(tmp_path / "a.wav")
    assert soundfile.info(tmp_path / "a.wav").subtype == subtype
    assert 960 <= heard.size < 960 + 1100
    assert np.corrcoef(heard[100:960], samples[100:])[0, 1] > 0.7
