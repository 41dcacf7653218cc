"""What phones, cameras and browsers record: read and written in blocks, cut off or not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from pseudovoice.corpus import (
    AudioError,
    Utterance,
    audio_hash,
    decode,
    examine,
    read_corpus,
    reading,
    recording,
    write_audio,
    writing,
)
from pseudovoice.corpus.picture import has_picture
from pseudovoice.errors import InputError

SECONDS = 3.0
# Suffix: container, codec, rate, channels, and by how many samples it may be longer or shorter.
RECORDED = {
    ".m4a": ("ipod", "aac", 44_100, 2, 0),
    ".mp4": ("mp4", "aac", 48_000, 2, 0),
    ".mov": ("mov", "aac", 44_100, 1, 0),
    ".3gp": ("3gp", "libopencore_amrnb", 8_000, 1, 0),
    ".webm": ("webm", "libopus", 48_000, 2, 0),
    ".mkv": ("matroska", "flac", 44_100, 2, 0),
    ".wma": ("asf", "wmav2", 44_100, 2, 2048),
    ".amr": ("amr", "libopencore_amrnb", 8_000, 1, 320),
    ".aac": ("adts", "aac", 44_100, 2, 2048),
}


def tones(rate: int, channels: int, seconds: float = SECONDS) -> NDArray[np.float32]:
    """A hum that rises, so that every moment of it is told apart, and noise."""
    time = np.arange(round(seconds * rate)) / rate
    hum = 0.3 * np.sin(2 * np.pi * (200 + 100 * time) * time)
    noise = 0.001 * np.random.default_rng(0).standard_normal((time.size, channels))
    return (hum[:, None] + noise).astype(np.float32)


def record(path: Path, container: str, codec: str, rate: int, samples: NDArray) -> Path:
    """Encode with FFmpeg as other programs do, and not with the writer under test."""
    layout = "mono" if samples.shape[1] == 1 else "stereo"
    with av.open(path, "w", format=container) as out:
        track = out.add_stream(codec, rate=rate)
        track.layout, track.bit_rate = layout, 12_200 if "amr" in codec else 128_000
        row = np.ascontiguousarray(samples).reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(row, format="flt", layout=layout)
        frame.sample_rate, frame.pts = rate, 0
        for one in (frame, None):
            out.mux(track.encode(one))
    return path


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("recorded")
    return {
        suffix: record(folder / f"x{suffix}", container, codec, rate, tones(rate, channels))
        for suffix, (container, codec, rate, channels, _) in RECORDED.items()
    }


@pytest.mark.parametrize("suffix", RECORDED)
def test_samples_are_those_that_were_recorded(
    suffix: str, recorded: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "_BLOCK", 10_000)
    _, _, rate, channels, slack = RECORDED[suffix]
    said = tones(rate, channels)
    with reading(Utterance("x", "s", recorded[suffix])) as audio:
        assert (audio.sample_rate, audio.channels) == (rate, channels)
        assert audio.seconds is None or abs(audio.seconds - SECONDS) < 0.05
        passes = [list(audio.blocks()) for _ in range(2)]
    assert max(block.size for block in passes[0]) <= 10_000
    heard = np.concatenate(passes[0])
    np.testing.assert_array_equal(np.concatenate(passes[1]), heard)
    assert abs(len(heard) - len(said)) <= slack
    # Codecs for calls and bare streams begin a little earlier or later.
    middle = slice(rate, 2 * rate)
    lags = range(-2100, 2101) if slack or suffix == ".3gp" else (0,)
    errors = [np.mean((heard[rate + k : 2 * rate + k] - said[middle]) ** 2) for k in lags]
    assert min(errors) < 0.05 * np.mean(said[middle] ** 2)


@pytest.mark.parametrize("suffix", RECORDED)
def test_a_part_lies_where_it_lies_in_the_whole(suffix: str, recorded: dict[str, Path]) -> None:
    rate = RECORDED[suffix][2]
    whole = decode(Utterance("x", "s", recorded[suffix])).samples
    part = decode(Utterance("p", "s", recorded[suffix], start=1.5, end=2.0)).samples
    assert len(part) == rate // 2
    # Time stamps of some containers are whole milliseconds.
    lags = range(-rate // 1000 - 1, rate // 1000 + 2)
    first = round(1.5 * rate)
    errors = [np.abs(part - whole[first + k : first + k + len(part)]).max() for k in lags]
    assert min(errors) < 0.02
    again = decode(Utterance("p", "s", recorded[suffix], start=1.5, end=2.0)).samples
    np.testing.assert_array_equal(part, again)
    with pytest.raises(AudioError, match=r"the segment lies outside the file|truncated"):
        decode(Utterance("p", "s", recorded[suffix], start=2.9, end=9.0))


@pytest.mark.parametrize("suffix", RECORDED)
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_what_is_cut_off_is_refused(
    suffix: str, share: float, recorded: dict[str, Path], tmp_path: Path
) -> None:
    content = recorded[suffix].read_bytes()
    cut = tmp_path / f"cut{suffix}"
    cut.write_bytes(content[: int(share * len(content))])
    with pytest.raises(AudioError, match=r"cut\.\w+: is (truncated|damaged).*copy or download"):
        decode(Utterance("x", "s", cut))


def test_contents_decide_and_not_the_name(recorded: dict[str, Path], tmp_path: Path) -> None:
    named = tmp_path / "x.wav"
    named.write_bytes(recorded[".m4a"].read_bytes())
    one, other = Utterance("x", "s", named), Utterance("x", "s", recorded[".m4a"])
    np.testing.assert_array_equal(decode(one).samples, decode(other).samples)
    assert audio_hash(one) == audio_hash(other)


def test_a_folder_of_them_is_a_corpus(recorded: dict[str, Path], tmp_path: Path) -> None:
    for suffix, path in recorded.items():
        folder = tmp_path / "corpus" / f"from{suffix[1:]}"
        folder.mkdir(parents=True)
        (folder / f"x{suffix.upper()}").write_bytes(path.read_bytes())
    found = examine(read_corpus(tmp_path / "corpus"))
    assert found.problems == ()
    assert found.speakers == len(RECORDED)
    assert found.hours * 3600 == pytest.approx(len(RECORDED) * SECONDS, abs=0.2)


def test_where_time_stamps_leave_out_something_there_is_silence(tmp_path: Path) -> None:
    path, rate = tmp_path / "gap.mkv", 16_000
    said = tones(rate, 1, 1.0)
    with av.open(path, "w") as out:
        track = out.add_stream("flac", rate=rate)
        track.layout = "mono"
        for first in (0, 3 * rate):
            frame = av.AudioFrame.from_ndarray(said.reshape(1, -1), format="flt", layout="mono")
            frame.sample_rate, frame.pts = rate, first
            out.mux(track.encode(frame))
        out.mux(track.encode(None))
    heard = decode(Utterance("x", "s", path)).samples
    assert abs(len(heard) - 4 * rate) <= rate // 10
    assert np.abs(heard[int(1.4 * rate) : int(2.6 * rate)]).max() == 0
    assert np.abs(heard[-rate // 2 :]).max() > 0.2


def test_a_film_without_sound_is_a_sentence(tmp_path: Path) -> None:
    film(tmp_path / "silent.mp4", sound=None)
    with pytest.raises(AudioError, match=r"silent\.mp4: holds no sound; leave it out"):
        decode(Utterance("x", "s", tmp_path / "silent.mp4"))


def test_without_pyav_the_sentence_says_how_to_install_it(
    recorded: dict[str, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(AudioError, match=r"read by PyAV, which is not installed; .*pip install av"):
        decode(Utterance("x", "s", recorded[".m4a"]))
    with pytest.raises(InputError, match=r"written by PyAV, .* install it \(pip install av\)"):
        write_audio(tmp_path / "x.m4a", tones(16_000, 1), 16_000)


@pytest.mark.parametrize("suffix", [".m4a", ".mp4", ".mov", ".mka", ".mkv", ".webm"])
@pytest.mark.parametrize("channels", [1, 2])
def test_what_is_written_is_read_again(suffix: str, channels: int, tmp_path: Path) -> None:
    rate = 48_000 if suffix == ".webm" else 44_100
    said = tones(rate, channels, 1.0)
    for name in ("x", "y"):
        with writing(tmp_path / f"{name}{suffix}", rate, channels) as audio:
            for first in range(0, len(said), 10_001):
                audio.write(said[first : first + 10_001])
    sound = decode(Utterance("x", "s", tmp_path / f"x{suffix}"))
    assert (sound.sample_rate, sound.samples.shape) == (rate, said.shape)
    assert np.mean((sound.samples - said) ** 2) < 0.01 * np.mean(said**2)
    assert (tmp_path / f"x{suffix}").read_bytes() == (tmp_path / f"y{suffix}").read_bytes()


def test_webm_keeps_no_other_rate(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"x\.webm: sound in WebM has 48000 Hz, and this has 16000"
    ):
        write_audio(tmp_path / "x.webm", tones(16_000, 1), 16_000)
    assert list(tmp_path.iterdir()) == []


def test_an_error_of_whoever_makes_the_samples_stays_theirs(tmp_path: Path) -> None:
    def fail() -> None:
        with writing(tmp_path / "x.m4a", 16_000, 1) as audio:
            audio.write(tones(16_000, 1))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert list(tmp_path.iterdir()) == []


def film(path: Path, sound: str | None = "aac", codec: str = "libx264") -> Path:
    """Two seconds of a picture that brightens, with B-frames, tags and a turned frame."""
    with av.open(path, "w") as out:
        out.metadata["title"] = "Anna Berg"
        out.metadata["location"] = "+52.5200+013.4050/"
        picture = out.add_stream(codec, rate=25)
        picture.width, picture.height, picture.pix_fmt = 64, 48, "yuv420p"
        picture.metadata["handler_name"] = "Anna's camera"
        tracks = [picture]
        for _ in range(2 if sound else 0):
            track = out.add_stream(sound, rate=48_000)
            track.layout = "stereo"
            tracks.append(track)
        for k in range(50):
            grey = np.full((48, 64, 3), 4 * k, np.uint8)
            frame = av.VideoFrame.from_ndarray(grey, format="rgb24")
            frame.pts = k
            out.mux(picture.encode(frame))
        out.mux(picture.encode(None))
        for track in tracks[1:]:
            row = np.ascontiguousarray(tones(48_000, 2, 2.0)).reshape(1, -1)
            heard = av.AudioFrame.from_ndarray(row, format="flt", layout="stereo")
            heard.sample_rate, heard.pts = 48_000, 0
            out.mux(track.encode(heard))
            out.mux(track.encode(None))
    return path


def frames(path: Path) -> list[tuple[float, NDArray]]:
    with av.open(path) as container:
        return [(float(f.time), f.to_ndarray()) for f in container.decode(video=0)]


@pytest.mark.parametrize(
    ("source", "target"), [(".mp4", ".mp4"), (".mp4", ".mkv"), (".mkv", ".mp4"), (".mov", ".mov")]
)
def test_a_picture_goes_along_and_nothing_else(source: str, target: str, tmp_path: Path) -> None:
    original = film(tmp_path / f"talk{source}")
    assert has_picture(original)
    said = 0.1 * tones(48_000, 1, 2.0)
    out = tmp_path / f"out{target}"
    with writing(out, 48_000, 1, picture=original) as audio:
        for first in range(0, len(said), 20_000):
            audio.write(said[first : first + 20_000])
    before, after = frames(original), frames(out)
    assert len(after) == 50
    for (t, one), (u, other) in zip(before, after, strict=True):
        assert t == pytest.approx(u, abs=0.002)
        np.testing.assert_array_equal(one, other)
    with av.open(out) as container:
        assert sorted(s.type for s in container.streams) == ["audio", "video"]
        assert not {"title", "location", "comment"} & {*container.metadata}
    content = out.read_bytes()
    # x264 writes its settings between the frames, where cameras write their number and place.
    assert not [word for word in (b"Anna", b"52.52", b"x264") if word in content]
    assert [word for word in (b"Anna", b"x264") if word in original.read_bytes()]
    sound = decode(Utterance("x", "s", out)).samples
    assert sound.shape == said.shape
    assert np.mean((sound - said) ** 2) < 0.02 * np.mean(said**2)


def test_a_picture_that_the_container_cannot_hold_is_a_sentence(tmp_path: Path) -> None:
    original = film(tmp_path / "talk.mp4")
    with (
        pytest.raises(InputError, match=r"out\.webm: cannot hold the picture, which is h264; choo"),
        writing(tmp_path / "out.webm", 48_000, 1, picture=original) as audio,
    ):
        audio.write(tones(48_000, 1, 2.0))
    assert [path.name for path in tmp_path.iterdir()] == ["talk.mp4"]


def test_sound_alone_has_no_picture(recorded: dict[str, Path], record: Callable) -> None:
    assert not has_picture(recorded[".m4a"])
    assert not has_picture(record(recorded[".m4a"].parent / "plain.wav"))
