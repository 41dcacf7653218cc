"""Loading: rates, widths, channels, segments, streams of unknown length, hashes."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pseudovoice.corpus import AudioError, Utterance, audio_hash, decode, load, read_corpus
from pseudovoice.errors import InputError


def utterance(path: Path, **fields: object) -> Utterance:
    return replace(Utterance("x", "anna", path), **fields)


@pytest.mark.parametrize(
    ("subtype", "error"),
    [("PCM_U8", 1 / 128), ("PCM_16", 2**-15), ("PCM_24", 2**-23), ("FLOAT", 0.0), ("DOUBLE", 0.0)],
)
def test_every_width_becomes_float_at_full_scale_one(
    subtype: str, error: float, tmp_path: Path, voice: Callable, record: Callable
) -> None:
    samples = voice()
    path = record(tmp_path / "x.wav", samples, subtype=subtype)
    loaded = load(utterance(path), sample_rate=16000)
    assert loaded.dtype == np.float32
    assert loaded.ndim == 1
    assert np.abs(loaded - samples).max() <= error


@pytest.mark.parametrize("suffix", [".wav", ".flac", ".mp3", ".ogg", ".opus", ".aiff", ".caf"])
def test_every_format_keeps_length_and_pitch(
    suffix: str, tmp_path: Path, voice: Callable, record: Callable
) -> None:
    path = record(tmp_path / f"x{suffix}", voice(1.0))
    loaded = load(utterance(path), sample_rate=16000)
    assert loaded.size == 16000
    # One second, so the bin number is the frequency in Hz: the hum of 140 Hz.
    assert np.argmax(np.abs(np.fft.rfft(loaded))) == 140


@pytest.mark.parametrize("rate", [8000, 11025, 22050, 44100, 48000, 96000])
def test_every_rate_is_resampled_to_the_same_hum(
    rate: int, tmp_path: Path, voice: Callable, record: Callable
) -> None:
    path = record(tmp_path / "x.wav", voice(1.0, rate), rate)
    loaded = load(utterance(path), sample_rate=16000)
    assert abs(loaded.size - 16000) <= 1
    spectrum = np.abs(np.fft.rfft(loaded, 16000)) / 8000
    assert np.argmax(spectrum) == 140
    assert spectrum[140] == pytest.approx(0.2, abs=0.005)


def test_wrong_extension_does_not_matter_if_the_contents_are_audio(
    tmp_path: Path, record: Callable
) -> None:
    path = record(tmp_path / "x.flac").rename(tmp_path / "x.wav")
    assert load(utterance(path), sample_rate=16000).size == 8000


def test_channel_policy(tmp_path: Path, voice: Callable, record: Callable) -> None:
    stereo = voice(channels=2)
    path = record(tmp_path / "x.wav", stereo, subtype="FLOAT")
    x = utterance(path)
    np.testing.assert_allclose(load(x, sample_rate=16000), stereo.mean(axis=1), atol=1e-7)
    np.testing.assert_array_equal(load(x, sample_rate=16000, channel="first"), stereo[:, 0])
    np.testing.assert_array_equal(load(x, sample_rate=16000, channel=1), stereo[:, 1])
    for channel in (2, -1):
        with pytest.raises(AudioError, match=f"has 2 channels, so there is no channel {channel} "):
            load(x, sample_rate=16000, channel=channel)


def test_opposite_channels_are_silent_only_in_the_mean(tmp_path: Path, voice: Callable) -> None:
    samples = voice()
    path = tmp_path / "x.wav"
    soundfile.write(path, np.stack([samples, -samples], axis=1), 16000, subtype="FLOAT")
    with pytest.raises(AudioError, match="is silent throughout; leave it out, or choose another"):
        load(utterance(path), sample_rate=16000)
    assert load(utterance(path), sample_rate=16000, channel="first").size == 8000
    assert not load(utterance(path), sample_rate=16000, refuse_silence=False).any()


@pytest.mark.parametrize("suffix", [".wav", ".flac"])
def test_segments_are_cut_to_the_sample(
    suffix: str, tmp_path: Path, voice: Callable, record: Callable
) -> None:
    path = record(tmp_path / f"x{suffix}", voice(2.0))
    whole = load(utterance(path), sample_rate=16000)
    part = load(utterance(path, start=0.5, end=1.25), sample_rate=16000)
    np.testing.assert_array_equal(part, whole[8000:20000])
    np.testing.assert_array_equal(
        load(utterance(path, start=1.5), sample_rate=16000), whole[24000:]
    )
    np.testing.assert_array_equal(load(utterance(path, end=0.2), sample_rate=16000), whole[:3200])


def test_segment_end_may_be_rounded_but_not_wrong(tmp_path: Path, record: Callable) -> None:
    path = record(tmp_path / "x.wav")
    assert load(utterance(path, start=0.1, end=0.51), sample_rate=16000).size == 6400
    with pytest.raises(AudioError, match=r"the segment lies outside the file, which lasts 0\.50 s"):
        load(utterance(path, start=0.1, end=0.52), sample_rate=16000)


def test_shortest_duration_can_be_chosen(tmp_path: Path, voice: Callable, record: Callable) -> None:
    path = record(tmp_path / "x.wav", voice(0.05))
    assert load(utterance(path), sample_rate=16000, min_duration=0.05).size == 800
    with pytest.raises(AudioError, match=r"lasts 0\.0500 s \(800 samples\), shorter than 0\.1 s"):
        load(utterance(path), sample_rate=16000)


@pytest.mark.parametrize("length", [0x7FFFFFFF, 0x7FFFF000, 0xFFFFFFFF])
def test_streamed_wav_of_unknown_length_is_whole(
    length: int, tmp_path: Path, record: Callable
) -> None:
    path = record(tmp_path / "x.wav")
    content = path.read_bytes()
    path.write_bytes(content[:40] + length.to_bytes(4, "little") + content[44:])
    assert load(utterance(path), sample_rate=16000).size == 8000


def test_streamed_flac_of_unknown_length_is_whole(tmp_path: Path, record: Callable) -> None:
    path = record(tmp_path / "x.flac")
    content = path.read_bytes()
    # The length is the lower 36 bits of bytes 21 to 25; 0 stands for unknown.
    path.write_bytes(content[:21] + bytes([content[21] & 0xF0, 0, 0, 0, 0]) + content[26:])
    assert load(utterance(path), sample_rate=16000).size == 8000
    assert load(utterance(path, start=0.25, end=0.5), sample_rate=16000).size == 4000


@pytest.mark.parametrize(("container", "endian"), [("RF64", "FILE"), ("WAV", "BIG")])
def test_rarer_wav_headers_and_their_truncation(
    container: str, endian: str, tmp_path: Path, voice: Callable
) -> None:
    path = tmp_path / "x.wav"
    soundfile.write(path, voice(), 16000, format=container, endian=endian, subtype="PCM_16")
    assert load(utterance(path), sample_rate=16000).size == 8000
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(AudioError, match="is truncated: at least 100 bytes are missing"):
        load(utterance(path), sample_rate=16000)


def test_header_counted_into_the_length_is_no_truncation(tmp_path: Path, record: Callable) -> None:
    path = record(tmp_path / "x.wav")
    content = path.read_bytes()
    path.write_bytes(content[:40] + (16000 + 36).to_bytes(4, "little") + content[44:])
    assert load(utterance(path), sample_rate=16000).size == 8000


def test_extra_chunks_after_the_samples_are_no_truncation(tmp_path: Path, record: Callable) -> None:
    path = record(tmp_path / "x.wav")
    path.write_bytes(path.read_bytes() + b"LIST\x04\0\0\0INFO")
    assert load(utterance(path), sample_rate=16000).size == 8000


@pytest.mark.parametrize(
    ("mode", "first_part", "whole"),
    [
        ("CONSTANT", 1.0, True),
        # The bit rate of the first part misleads about the length: too long, then too short.
        ("VARIABLE", 1e-4, True),
        ("VARIABLE", 1.0, False),
    ],
)
def test_mp3_without_a_length_is_whole_or_refused(
    mode: str, first_part: float, whole: bool, tmp_path: Path
) -> None:
    noise = np.random.default_rng(0).standard_normal(160_000).astype(np.float32)
    noise *= np.where(np.arange(160_000) < 32_000, first_part, 0.01).astype(np.float32)
    path = tmp_path / "x.mp3"
    soundfile.write(path, noise, 16000, bitrate_mode=mode, compression_level=0.5)
    assert load(utterance(path), sample_rate=16000).size == 160_000
    content = path.read_bytes()
    tag = max(content.find(b"Xing"), content.find(b"Info"))
    path.write_bytes(b"ID3\x04\0\0\0\0\0\x05title" + content[content.find(b"\xff\xf3", tag) :])
    if whole:
        assert load(utterance(path), sample_rate=16000).size >= 160_000
    else:
        with pytest.raises(AudioError, match="has a variable bit rate but no length in its header"):
            load(utterance(path), sample_rate=16000)


def test_decode_keeps_what_is_in_the_file(
    tmp_path: Path, voice: Callable, record: Callable
) -> None:
    sound = decode(utterance(record(tmp_path / "x.wav", voice(0.5, 44100, 2), 44100, "PCM_24")))
    assert sound.samples.shape == (22050, 2)
    assert (sound.sample_rate, sound.subtype, sound.duration) == (44100, "PCM_24", 0.5)


def test_missing_file_is_an_audio_error_that_survives_pickling(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match="does not exist") as caught:
        load(utterance(tmp_path / "x.wav"), sample_rate=16000)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert again.kind == "missing"
    assert again.problem.where == str(tmp_path / "x.wav")


def test_hash_depends_on_contents_and_segment_only(tmp_path: Path, record: Callable) -> None:
    one = record(tmp_path / "one.wav")
    two = tmp_path / "two.wav"
    two.write_bytes(one.read_bytes())
    assert audio_hash(utterance(one)) == audio_hash(utterance(two, speaker="ben"))
    assert audio_hash(utterance(one)) != audio_hash(utterance(one, start=0.0))
    assert audio_hash(utterance(one, start=0.1)) != audio_hash(utterance(one, end=0.1))
    before = audio_hash(utterance(two))
    two.write_bytes(one.read_bytes()[:-1] + b"\x55")
    assert audio_hash(utterance(two)) != before
    two.unlink()
    with pytest.raises(AudioError, match=r"two\.wav: does not exist"):
        audio_hash(utterance(two))


def test_file_that_may_not_be_read(
    tmp_path: Path, record: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = record(tmp_path / "x.wav")

    def forbidden(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    # Tests may run as root, who may read everything.
    monkeypatch.setattr(Path, "open", forbidden)
    sentence = r"x\.wav: cannot be read \(Permission denied\); check its permissions\."
    with pytest.raises(AudioError, match=sentence):
        load(utterance(path), sample_rate=16000)
    with pytest.raises(InputError, match=sentence):
        audio_hash(utterance(path))
    monkeypatch.setattr(Path, "iterdir", forbidden)
    with pytest.raises(InputError, match=sentence):
        read_corpus(tmp_path)
