"""Every kind of broken audio file: one sentence each, and the rest survives."""

from __future__ import annotations

import io
import os
import re
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pseudovoice.corpus import AudioError, Utterance, examine, load, read_corpus

SPEECH = (0.2 * np.sin(np.arange(8000) * 0.05)).astype(np.float32)
Break = Callable[[Path], None]


def encoded(suffix: str, samples: np.ndarray = SPEECH, rate: int = 16000) -> bytes:
    """The bytes of a whole file in the format of the suffix."""
    stream = io.BytesIO()
    container = {".opus": "OGG", ".aiff": "AIFF"}.get(suffix, suffix[1:].upper())
    subtype = "OPUS" if suffix == ".opus" else None
    soundfile.write(stream, samples, rate, format=container, subtype=subtype)
    return stream.getvalue()


def file(name: str, content: bytes) -> Break:
    """Put a file with these bytes beside the good ones."""

    def apply(root: Path) -> None:
        path = root / os.fsdecode(name.encode("utf-8", "surrogateescape"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    return apply


def floats(name: str, samples: np.ndarray, subtype: str = "FLOAT") -> Break:
    """Put a file with these samples beside the good ones."""

    def apply(root: Path) -> None:
        soundfile.write(root / name, samples, 16000, subtype=subtype)

    return apply


def patched(content: bytes, offset: int, new: bytes) -> bytes:
    """The bytes with some of them replaced."""
    return content[:offset] + new + content[offset + len(new) :]


def flipped(content: bytes, offset: int) -> bytes:
    """The bytes with one of them turned over."""
    damaged = bytearray(content)
    damaged[offset] ^= 0xFF
    return bytes(damaged)


def cut(suffix: str, share: float = 0.6) -> bytes:
    """The first part of a file."""
    whole = encoded(suffix)
    return whole[: int(len(whole) * share)]


def link(name: str, target: str) -> Break:
    """Put a link beside the good files."""
    return lambda root: (root / name).symlink_to(target)


def with_sample(index: int, value: float) -> np.ndarray:
    """Speech with one sample replaced."""
    samples = SPEECH.copy()
    samples[index] = value
    return samples


WAV = encoded(".wav")
FLAC = encoded(".flac")
HUGE = patched(FLAC, 21, bytes([FLAC[21] | 0x0F]) + b"\xff" * 4)

IN_A_FOLDER = {
    "zero bytes": (file("anna/x.wav", b""), r"anna/x\.wav: the file is empty \(0 bytes\)"),
    "header only": (file("anna/x.wav", WAV[:50]), r"x\.wav: is truncated: at least 15994 bytes"),
    "half a header": (file("anna/x.wav", WAV[:20]), r"x\.wav: is truncated: at least 1 byte"),
    "fuzzed magic": (
        file("anna/x.wav", patched(WAV, 0, b"\x91\xa4FF")),
        r"x\.wav: the contents are not audio .* although its name ends in \.wav; replace it",
    ),
    "fuzzed format": (
        file("anna/x.wav", patched(WAV, 20, b"\xee\xee")),
        r"x\.wav: is damaged or truncated and cannot be decoded \(",
    ),
    "sample rate 1 Hz": (
        file("anna/x.wav", patched(WAV, 24, struct.pack("<II", 1, 2))),
        r"x\.wav: the header gives a sample rate of 1 Hz",
    ),
    "no samples": (
        file("anna/x.wav", encoded(".wav", SPEECH[:0])),
        r"x\.wav: contains no samples; record it again",
    ),
    "truncated WAV": (file("anna/x.wav", cut(".wav")), r"x\.wav: is truncated: .* copy or"),
    "truncated FLAC": (file("anna/x.flac", cut(".flac")), r"x\.flac: is damaged or truncated"),
    "truncated MP3": (
        file("anna/x.mp3", cut(".mp3")),
        r"x\.mp3: is truncated: \d+ of 8000 samples can be decoded",
    ),
    "truncated Ogg": (file("anna/x.ogg", cut(".ogg")), r"x\.ogg: is truncated"),
    "truncated Opus": (file("anna/x.opus", cut(".opus")), r"x\.opus: is truncated"),
    "damaged last page of Ogg": (
        file("anna/x.ogg", flipped(encoded(".ogg"), -20)),
        r"x\.ogg: is damaged: the checksum of its first or last page is wrong; copy or download",
    ),
    "damaged first page of Opus": (
        file("anna/x.opus", flipped(encoded(".opus"), encoded(".opus").rfind(b"OggS") + 99)),
        r"x\.opus: is damaged: the checksum of its first or last page is wrong",
    ),
    "truncated AIFF": (file("anna/x.aiff", cut(".aiff")), r"x\.aiff: is truncated"),
    "truncated AU": (file("anna/x.au", cut(".au")), r"x\.au: is truncated"),
    "truncated W64": (file("anna/x.w64", cut(".w64")), r"x\.w64: is truncated"),
    "truncated CAF": (file("anna/x.caf", cut(".caf")), r"x\.caf: is damaged or truncated"),
    "MP3 of two frames' header": (
        file("anna/x.mp3", encoded(".mp3")[:50]),
        r"x\.mp3: is damaged or truncated .*\(the header is damaged\)",
    ),
    "empty MP3": (file("anna/x.mp3", b""), r"x\.mp3: the file is empty"),
    "empty Ogg": (file("anna/x.ogg", encoded(".ogg", SPEECH[:0])), r"x\.ogg: contains no samples"),
    "FLAC that claims 2^36 samples": (
        file("anna/x.flac", HUGE),
        r"x\.flac: is damaged .*\(the header",
    ),
    "text named .wav": (file("anna/x.wav", b"hello\n" * 99), r"although its name ends in \.wav"),
    "text named .au": (file("anna/x.au", b"hello\n" * 99), r"although its name ends in \.au"),
    "NaN": (
        floats("anna/x.wav", with_sample(7, np.nan)),
        r"x\.wav: 1 of 8000 samples are NaN or infinite",
    ),
    "infinity": (floats("anna/x.wav", with_sample(7, -np.inf)), r"samples are NaN or infinite"),
    "16-bit numbers as floats": (
        floats("anna/x.wav", 32768 * SPEECH),
        r"x\.wav: the samples reach 6\.55e\+03 times full scale; divide them",
    ),
    "one sample": (
        floats("anna/x.wav", SPEECH[:1]),
        r"x\.wav: lasts 0\.0001 s \(1 sample\), shorter than 0\.1 s",
    ),
    "too short": (floats("anna/x.wav", SPEECH[:800]), r"lasts 0\.0500 s \(800 samples\)"),
    "silence": (floats("anna/x.wav", 0 * SPEECH), r"x\.wav: is silent throughout"),
    "silence with an offset": (floats("anna/x.wav", 0 * SPEECH + 0.3), r"is silent throughout"),
    "clipped": (
        floats("anna/x.wav", np.clip(9 * SPEECH, -1, 1), "PCM_16"),
        r"x\.wav: is clipped: \d+\.\d% of the samples are at full scale; record it again",
    ),
    "8-bit clipped": (
        floats("anna/x.wav", np.clip(9 * SPEECH, -1, 1), "PCM_U8"),
        r"x\.wav: is clipped",
    ),
    "unsupported audio": (file("anna/x.ape", b"MAC \x96\x0f"), r"is \.ape audio, .* convert"),
    "M4A without sound": (
        file("anna/x.m4a", b"\0\0\0 ftypM4A " + bytes(99)),
        r"x\.m4a: is damaged or truncated and cannot be decoded \(.*\); copy or download it again",
    ),
    "hidden file": (file("anna/.x.wav", WAV), r"the id '\.x' begins with a dot"),
    "newline in a name": (file("anna/x\ny.wav", WAV), r"the id 'x\\ny' contains a line break"),
    "control character": (file("anna/x\x07.wav", WAV), r"'x\\x07' contains a control character"),
    "line separator": (file("anna/x\u2028y.wav", WAV), r"contains a line break"),
    "backslash in a name": (file("anna/x\\y.wav", WAV), r"'x\\\\y' contains a path separator"),
    "name that is not UTF-8": (file("anna/x\udcff.wav", WAV), r"contains bytes that are not UTF-8"),
    "space at the end": (file("anna/x .wav", WAV), r"'x ' begins or ends with a space"),
    "very long name": (file(f"anna/{'x' * 220}.wav", WAV), r"…' is longer than 200 bytes"),
    "file without a speaker": (
        file("x.wav", WAV),
        r"corpus: 1 audio file lies outside any speaker's folder \('x\.wav'\); make a folder",
    ),
    "the same name twice": (
        lambda root: [file(f"ben/b1{end}", encoded(end))(root) for end in (".wav", ".ogg")],
        r"the id 'b1' is a duplicate of .*b1\.flac; give every utterance its own id",
    ),
    "link out of the corpus": (
        link("anna/x.wav", "/etc/hostname"),
        r"'anna/x\.wav' is a link that leaves the corpus, to /etc/hostname; put the file",
    ),
    "link to nowhere": (
        link("anna/x.wav", "nothing.wav"),
        r"x\.wav: is a link to a file that does",
    ),
    "link loop": (link("anna/x.wav", "x.wav"), r"anna/x\.wav: is a link that leads back to itself"),
    "link to a folder": (link("carl", "anna"), r"carl: is a link to a folder, .* not followed"),
    "named pipe": (
        lambda root: os.mkfifo(root / "anna" / "x.wav"),
        r"anna/x\.wav: is not a regular file; replace it",
    ),
    "metadata that is no table": (
        file("metadata.tsv", b"one\ttwo\n1\t2\n"),
        r"metadata\.tsv: the first line has none of the columns utt, path and speaker; put the",
    ),
    "empty metadata": (file("metadata.csv", b"\n"), r"metadata\.csv: is empty; give a table with"),
    "metadata in half UTF-16": (
        file("metadata.csv", "utt,gender\na1,f\n".encode("utf-16")[:-1]),
        r"metadata\.csv: cannot be read to its end \(.*truncated data\); restore the file",
    ),
    "metadata with another speaker": (
        file("metadata.tsv", b"utt\tspeaker\na1\tcarl\n"),
        r"metadata\.tsv: 1 utterance has another speaker than its folder \('a1'\)",
    ),
}


@pytest.mark.parametrize("case", IN_A_FOLDER)
def test_broken_file_is_a_sentence_and_the_rest_survives(case: str, tree: Path) -> None:
    apply, sentence = IN_A_FOLDER[case]
    apply(tree)
    found = examine(read_corpus(tree))
    told = [str(problem) for problem in found.problems if re.search(sentence, str(problem))]
    # Two of a kind come only from the case that makes two duplicates.
    assert len(told) == len(found.problems) == (2 if case == "the same name twice" else 1), told
    assert all(line.endswith(".") and "\n" not in line and "; " in line for line in told)
    good = read_corpus(tree).speakers
    for speaker in ("anna", "ben"):
        assert any(load(u, sample_rate=16000).size == 8000 for u in usable(good[speaker]))


def usable(utterances: tuple[Utterance, ...]) -> list[Utterance]:
    """Those that can be loaded."""
    kept = []
    for utterance in utterances:
        try:
            load(utterance, sample_rate=16000)
        except AudioError:
            continue
        kept.append(utterance)
    return kept


@pytest.mark.parametrize(
    "suffix", [".wav", ".flac", ".mp3", ".caf", ".ogg", ".opus", ".aiff", ".au", ".w64"]
)
def test_fuzzed_files_load_or_raise_a_sentence(suffix: str, tmp_path: Path) -> None:
    whole = encoded(suffix)
    generator = np.random.default_rng(1)
    path = tmp_path / f"x{suffix}"
    sentences = []
    for _ in range(60):
        content = bytearray(whole)
        for position in generator.integers(0, 80, generator.integers(1, 6)):
            content[position] = generator.integers(256)
        path.write_bytes(content)
        try:
            samples = load(Utterance("x", "s", path), sample_rate=16000)
        except AudioError as error:
            sentences.append(str(error))
        else:
            assert samples.dtype == np.float32
            assert np.isfinite(samples).all()
    assert sentences, "the fuzzing never hit anything"
    assert all(sentence.startswith(str(path)) for sentence in sentences)
