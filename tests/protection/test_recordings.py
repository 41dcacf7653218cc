"""Recordings as people have them, from the command line: m4a, films, flat folders, streams."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import unicodedata
from pathlib import Path

import av
import numpy as np
import pytest
import soundfile
from click.testing import CliRunner, Result
from numpy.typing import NDArray

from pseudovoice.cli.main import app
from pseudovoice.corpus import Utterance, decode, read_corpus, write_audio
from pseudovoice.keys import new_key

RATE = 16_000


def speech(seed: int = 0, seconds: float = 1.5) -> NDArray[np.float64]:
    """Pulses through a resonance with pauses: enough of a voice to be changed."""
    rng = np.random.default_rng(seed)
    pulses = np.zeros(round(seconds * RATE))
    pulses[:: 100 + 10 * seed] = 1.0
    ring = np.exp(-np.arange(400) / 60) * np.sin(2 * np.pi * 700 / RATE * np.arange(400))
    voiced = np.convolve(pulses, ring)[: pulses.size]
    return 0.3 * voiced / np.abs(voiced).max() + 0.002 * rng.standard_normal(pulses.size)


def protect(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    return CliRunner().invoke(app, ["protect", *map(str, arguments)], input=stdin)


def sound(path: Path) -> NDArray[np.float32]:
    return decode(Utterance("x", "s", path)).samples


@pytest.mark.parametrize("out", ["out.wav", "out.m4a", "out.flac"])
def test_a_phone_recording(out: str, tmp_path: Path) -> None:
    write_audio(tmp_path / "Gespräch.m4a", speech(), RATE)
    ran = protect(tmp_path / "Gespräch.m4a", tmp_path / out, "--safeguard", "mcadams")
    assert ran.exit_code == 0, ran.output
    before, after = sound(tmp_path / "Gespräch.m4a"), sound(tmp_path / out)
    assert before.shape == after.shape
    assert np.mean((before - after) ** 2) > 0.1 * np.mean(before**2)


def test_an_extension_that_cannot_be_written_is_refused_before_any_work(tmp_path: Path) -> None:
    write_audio(tmp_path / "a.m4a", speech(), RATE)
    ran = protect(tmp_path / "a.m4a", tmp_path / "out.wma", "--safeguard", "mcadams")
    assert ran.exit_code == 2
    assert "audio cannot be written with the extension .wma; use one of .wav" in ran.stderr
    assert not (tmp_path / "out.wma").exists()


@pytest.fixture
def film(tmp_path: Path) -> Path:
    path = tmp_path / "talk.mp4"
    with av.open(path, "w") as out:
        out.metadata["title"] = "Anna Berg"
        seen = out.add_stream("mpeg4", rate=10)
        seen.width, seen.height, seen.pix_fmt = 32, 32, "yuv420p"
        heard = out.add_stream("aac", rate=RATE)
        heard.layout = "mono"
        for k in range(15):
            frame = av.VideoFrame.from_ndarray(np.full((32, 32, 3), 16 * k, np.uint8), "rgb24")
            frame.pts = k
            out.mux(seen.encode(frame))
        out.mux(seen.encode(None))
        row = speech().astype(np.float32)[None]
        said = av.AudioFrame.from_ndarray(row, format="flt", layout="mono")
        said.sample_rate, said.pts = RATE, 0
        out.mux(heard.encode(said))
        out.mux(heard.encode(None))
    return path


def test_a_film_keeps_its_picture_and_says_so(film: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.mp4"
    ran = protect(film, out, "--safeguard", "mcadams", "--json")
    assert ran.exit_code == 0, ran.output
    assert json.loads(ran.stdout)["picture"] is True
    assert "The picture is kept as it is, faces, lips and places with it" in ran.stderr
    pictures = []
    for path in (film, out):
        with av.open(path) as container:
            pictures.append([frame.to_ndarray() for frame in container.decode(video=0)])
    np.testing.assert_array_equal(*pictures)
    assert b"Anna" not in out.read_bytes()
    assert sound(film).shape == sound(out).shape
    assert np.abs(sound(film) - sound(out)).max() > 0.05


def test_a_film_into_sound_has_none(film: Path, tmp_path: Path) -> None:
    ran = protect(film, tmp_path / "out.m4a", "--safeguard", "mcadams", "--json")
    assert json.loads(ran.stdout)["picture"] is False
    with av.open(tmp_path / "out.m4a") as container:
        assert [stream.type for stream in container.streams] == ["audio"]


def test_sound_and_picture_do_not_come_apart(film: Path, tmp_path: Path) -> None:
    ran = protect(film, tmp_path / "out.mp4", "--safeguard", "mcadams", "--trim", "1")
    assert ran.exit_code == 2
    assert "sound and picture would come apart; leave out --pad and --trim" in ran.stderr


def test_a_flat_folder(tmp_path: Path) -> None:
    nfc, nfd = (unicodedata.normalize(form, "Müller") for form in ("NFC", "NFD"))
    for k, name in enumerate((f"{nfc}_1.m4a", f"{nfd}_2.wav", "Weiß-1.mka")):
        write_audio(tmp_path / "flat" / name, speech(k), RATE)
    arguments = (tmp_path / "flat", tmp_path / "out", "--safeguard", "mcadams-random")
    ran = protect(*arguments)
    assert ran.exit_code == 2
    assert "3 audio files lie outside any speaker's folder" in ran.stderr
    assert "or say who speaks with --speaker-from; if several people speak in a file," in ran.stderr
    assert "`pseudovoice diarise` finds who speaks when" in ran.stderr
    ran = protect(*arguments, "--speaker-from", "name")
    assert ran.exit_code == 0, ran.output
    assert "3 utterances of 2 speakers protected" in ran.stdout
    made = read_corpus(tmp_path / "out")
    assert {name: len(group) for name, group in made.speakers.items()} == {nfc: 2, "Weiß": 1}
    assert {u.path.suffix for u in made} == {".wav"}
    assert protect(*arguments, "--speaker-from", "name").stdout.endswith(", 3 of them before\n")


def test_turns_and_speaker_from_contradict_each_other(tmp_path: Path) -> None:
    write_audio(tmp_path / "a.wav", speech(), RATE)
    (tmp_path / "a.rttm").write_text("SPEAKER a 1 0 1 <NA> <NA> x <NA> <NA>\n")
    more = ("--turns", tmp_path / "a.rttm", "--speaker-from", "file")
    ran = protect(tmp_path / "a.wav", tmp_path / "b.wav", "--safeguard", "mcadams", *more)
    assert ran.exit_code == 2
    assert "Turns say who speaks; leave out --speaker-from." in ran.stderr


def wav(samples: NDArray[np.float64]) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, samples, RATE, format="WAV")
    return file.getvalue()


def test_streams_give_the_voice_that_files_give(tmp_path: Path) -> None:
    key = tmp_path / "my.key"
    new_key(key)
    (tmp_path / "x.wav").write_bytes(wav(speech()))
    chosen = ("--safeguard", "mcadams-random", "--key-file", key, "--speaker-from", "anna")
    assert protect(tmp_path / "x.wav", tmp_path / "out.wav", *chosen).exit_code == 0
    # A real program: what else it might write to its standard output counts.
    ran = subprocess.run(
        [sys.executable, "-m", "pseudovoice", "protect", "-", "-", *chosen],
        input=wav(speech()),
        capture_output=True,
        timeout=120,
        check=True,
    )
    assert ran.stdout == (tmp_path / "out.wav").read_bytes()
    assert b"1 utterances of 1 speakers protected" in ran.stderr
    assert not Path("-").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--safeguard", "mcadams-random"), "Whose voice is it? Everybody has one of their own"),
        (
            ("--safeguard", "mcadams-random", "--speaker-from", "anna"),
            "standard output has no place beside it; make one (pseudovoice key new) and name it "
            "with --key-file.",
        ),
        (
            ("--safeguard", "mcadams", "--diarise"),
            "find it first (pseudovoice diarise), and name the file with --turns.",
        ),
    ],
)
def test_what_a_stream_cannot_hold_is_a_sentence(arguments: tuple[str], sentence: str) -> None:
    ran = protect("-", "-", *arguments, stdin=wav(speech()))
    assert ran.exit_code == 2
    assert sentence in ran.stderr
    assert ran.stdout == ""


def test_a_stream_that_is_no_recording_leaves_nothing(tmp_path: Path) -> None:
    for sent, says in (
        (b"hello", "the contents are not audio in a format that can be read"),
        (b"", "the file is empty (0 bytes)"),
        (wav(speech())[:9_000], "is truncated: at least "),
    ):
        ran = protect("-", "-", "--safeguard", "mcadams", stdin=sent)
        assert (ran.exit_code, ran.stdout) == (2, "")
        assert f"pseudovoice: standard input: {says}" in ran.stderr
    ran = protect(tmp_path, "-", "--safeguard", "mcadams")
    assert "is a folder, and standard output takes one recording." in ran.stderr
