"""Broken audio and manifests through `assess audio` itself, on real speech with a real recogniser.

Thirty and more kinds of bad files lie in one corpus at once, and bad lines of each kind of listing
in one listing: whatever a corpus holds, each fault is a sentence that names the place and the
remedy, the numbers are those of the corpus without it, and the exit code is 1.
"""

from __future__ import annotations

import io
import json
import os
import re
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from cliruns import Ran, run
from numpy.typing import NDArray

from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.encoders import load_encoder
from pseudovoice.errors import PseudovoiceError

pytestmark = pytest.mark.weights
Samples = NDArray[np.float32]
RATE, FASTER = 16_000, 17_600
"""Protected speech is the original played 10 % faster: another voice for every recogniser."""


@pytest.fixture(scope="module")
def speech(shared: Path) -> dict[str, Samples]:
    """Two seconds of three utterances of each of four speakers, by id."""
    dev = shared / "speech" / "dev"
    if not dev.is_dir():
        pytest.skip(f"there is no speech at {dev}")
    try:
        load_encoder("ge2e")
    except PseudovoiceError as error:
        pytest.skip(f"the recogniser is not here: {error}")
    speakers = sorted(place.name for place in dev.iterdir() if place.is_dir())[:4]
    return {
        file.stem: soundfile.read(file, frames=2 * RATE, dtype="float32")[0]
        for name in speakers
        for file in sorted((dev / name).rglob("*.flac"))[:3]
    }


def speaker_of(utterance: str) -> str:
    return utterance.partition("-")[0]


def write_tree(folder: Path, speech: Mapping[str, Samples], rate: int) -> Path:
    for name, samples in speech.items():
        place = folder / speaker_of(name)
        place.mkdir(parents=True, exist_ok=True)
        # By bytes: soundfile cannot write below a folder whose name is not UTF-8.
        (place / f"{name}.wav").write_bytes(encoded(".wav", samples, rate))
    return folder


def assess(original: Path, protected: Path, *more: str | Path) -> Ran:
    quick = ("--replicates", "20", "--permutations", "20", "--no-gender", "--no-cache")
    return run("assess", "audio", original, protected, "--encoder", "ge2e", *quick, *more)


@pytest.fixture(scope="module")
def clean(speech: dict[str, Samples], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """ORIGINAL and PROTECTED without a fault."""
    folder = tmp_path_factory.mktemp("clean")
    return {
        "o": write_tree(folder / "o", speech, RATE),
        "p": write_tree(folder / "p", speech, FASTER),
    }


@pytest.fixture(scope="module")
def expected(clean: dict[str, Path]) -> dict[str, Any]:
    """What is assessed without a fault."""
    ran = assess(clean["o"], clean["p"], "--json")
    assert ran.code == 0, ran.err
    assert ran.json["problems"] == []
    return numbers(ran)


def numbers(ran: Ran) -> dict[str, Any]:
    return {part: ran.json[part] for part in ("rows", "speakers", "attacks", "warnings")}


def check(ran: Ran, expected: dict[str, Any]) -> None:
    """The rest is assessed as if the faults were not there, and the exit code tells of them."""
    assert ran.code == 1, ran.err
    assert numbers(ran) == expected
    for sentence in ran.json["problems"]:
        assert sentence.endswith("."), sentence
        assert "; " in sentence, sentence
        assert sentence.isprintable(), sentence
        assert f"- {sentence}\n" in ran.err
    assert f"{len(ran.json['problems'])} problem(s); what they concern was left out:" in ran.err


def sentence(ran: Ran, pattern: str) -> str:
    """The one problem that matches."""
    (found,) = [text for text in ran.json["problems"] if re.search(pattern, text)]
    return str(found)


# Broken audio: all kinds lie in one corpus, half of them among the originals.


def encoded(suffix: str, samples: NDArray[Any], rate: int = RATE, subtype: str = "") -> bytes:
    """The bytes of a whole file in the format of the suffix."""
    stream = io.BytesIO()
    container = {".opus": "OGG", ".aiff": "AIFF"}.get(suffix, suffix[1:].upper())
    subtype = subtype or ("OPUS" if suffix == ".opus" else soundfile.default_subtype(container))
    soundfile.write(stream, samples, rate, format=container, subtype=subtype)
    return stream.getvalue()


def floats(samples: NDArray[Any], subtype: str = "FLOAT") -> bytes:
    return encoded(".wav", samples, subtype=subtype)


def patched(content: bytes, offset: int, new: bytes) -> bytes:
    return content[:offset] + new + content[offset + len(new) :]


def flipped(content: bytes, begin: float, end: float) -> bytes:
    """Some bits turned over between two places, given as shares of the file."""
    damaged = bytearray(content)
    for place in np.random.default_rng(0).integers(
        int(begin * len(content)), int(end * len(content)), 40
    ):
        damaged[place] ^= 0x5A
    return bytes(damaged)


def cut(content: bytes, share: float = 0.6) -> bytes:
    return content[: int(len(content) * share)]


def with_sample(samples: Samples, value: float) -> Samples:
    changed = samples.copy()
    changed[7] = value
    return changed


AGAIN = "copy or download it again"
REPLACE = "replace it by a WAV, FLAC, Ogg, Opus, MP3 or M4A file"
NO_AUDIO = r"the contents are not audio in a format that can be read, although its name ends in "
DAMAGED = r"is damaged or truncated and cannot be decoded \("
CUT = "is truncated: at least"

# Kind: suffix, the bytes made of two seconds of speech, what is wrong, what to do.
FILES: dict[str, tuple[str, Callable[[Samples], bytes], str, str]] = {
    "zero bytes": (".wav", lambda _: b"", r"the file is empty \(0 bytes\)", "record it again"),
    "header only": (
        ".wav", lambda x: floats(x, "PCM_16")[:50], r"is truncated: at least \d+ bytes", AGAIN,
    ),
    "FLAC header only": (".flac", lambda x: encoded(".flac", x)[:42], DAMAGED, AGAIN),
    "no samples in Ogg": (
        ".ogg", lambda x: encoded(".ogg", x[:0]), "contains no samples", "record it again",
    ),
    "half a header": (".wav", lambda x: floats(x)[:20], "is truncated: at least 1 byte", AGAIN),
    "fuzzed magic": (
        ".wav", lambda x: patched(floats(x), 0, b"\x91\xa4FF"), NO_AUDIO + r"\.wav", REPLACE,
    ),
    "fuzzed format": (".wav", lambda x: patched(floats(x), 20, b"\xee\xee"), DAMAGED, AGAIN),
    "no channels": (
        ".wav", lambda x: patched(floats(x, "PCM_16"), 22, b"\0\0"), DAMAGED, AGAIN,
    ),
    "too many channels": (
        ".wav", lambda x: patched(floats(x, "PCM_16"), 22, b"\xff\xff"), DAMAGED, AGAIN,
    ),
    "sample rate 1 Hz": (
        ".wav",
        lambda x: patched(floats(x, "PCM_16"), 24, struct.pack("<II", 1, 2)),
        "the header gives a sample rate of 1 Hz", "restore the file",
    ),
    "sample rate 0": (
        ".wav", lambda x: patched(floats(x, "PCM_16"), 24, bytes(4)), DAMAGED, AGAIN,
    ),
    "no samples": (".wav", lambda x: floats(x[:0]), "contains no samples", "record it again"),
    "truncated WAV": (".wav", lambda x: cut(floats(x)), CUT, AGAIN),
    "truncated FLAC": (".flac", lambda x: cut(encoded(".flac", x)), DAMAGED, AGAIN),
    "truncated MP3": (
        ".mp3", lambda x: cut(encoded(".mp3", x)), r"is truncated: \d+ of \d+ samples", AGAIN,
    ),
    "truncated Ogg": (".ogg", lambda x: cut(encoded(".ogg", x)), CUT, AGAIN),
    "truncated Opus": (".opus", lambda x: cut(encoded(".opus", x)), CUT, AGAIN),
    "truncated AIFF": (".aiff", lambda x: cut(encoded(".aiff", x)), CUT, AGAIN),
    "truncated AU": (".au", lambda x: cut(encoded(".au", x)), CUT, AGAIN),
    "truncated W64": (".w64", lambda x: cut(encoded(".w64", x)), CUT, AGAIN),
    "truncated CAF": (".caf", lambda x: cut(encoded(".caf", x)), DAMAGED, AGAIN),
    "FLAC damaged inside": (
        ".flac", lambda x: flipped(encoded(".flac", x), 0.4, 0.6), DAMAGED, AGAIN,
    ),
    "Vorbis damaged at its end": (
        ".ogg", lambda x: flipped(encoded(".ogg", x), 0.95, 1.0),
        "is damaged: the checksum of its first or last page is wrong", AGAIN,
    ),
    "Opus damaged inside": (
        ".opus", lambda x: flipped(encoded(".opus", x), 0.4, 0.6),
        r"is damaged|is truncated: \d+ of", AGAIN,
    ),
    "FLAC that claims 2^36 samples": (
        ".flac", lambda x: patched(encoded(".flac", x), 21, b"\x0f\xff\xff\xff\xff"),
        DAMAGED, AGAIN,
    ),
    "MP3 of half a frame": (".mp3", lambda x: encoded(".mp3", x)[:50], DAMAGED, AGAIN),
    "text named .wav": (".wav", lambda _: b"hello\n" * 99, NO_AUDIO + r"\.wav", REPLACE),
    "web page named .mp3": (
        ".mp3", lambda _: b"<!DOCTYPE html>404 Not Found" * 9, NO_AUDIO + r"\.mp3", REPLACE,
    ),
    "Git LFS pointer named .flac": (
        ".flac", lambda _: b"version https://git-lfs.github.com/spec/v1\nsize 9\n",
        NO_AUDIO + r"\.flac", REPLACE,
    ),
    "M4A named .wav": (
        ".wav", lambda _: b"\0\0\0 ftypM4A " + bytes(999),
        r"is damaged or truncated and cannot be decoded \(", "copy or download it again",
    ),
    "APE": (
        ".ape", lambda _: b"MAC \x96\x0f" + bytes(999),
        r"is \.ape audio, which cannot be read here", "convert it to WAV or FLAC",
    ),
    "noise named .au": (
        ".au", lambda _: np.random.default_rng(2).bytes(9999), NO_AUDIO + r"\.au", REPLACE,
    ),
    "NaN": (
        ".wav", lambda x: floats(with_sample(x, np.nan)),
        "1 of 32000 samples are NaN or infinite", "write the file again without them",
    ),
    "infinity": (
        ".wav", lambda x: floats(with_sample(x, -np.inf)),
        "1 of 32000 samples are NaN or infinite", "write the file again without them",
    ),
    "beyond float32": (
        ".wav", lambda x: floats(1e300 * x.astype(np.float64), "DOUBLE"),
        r"\d+ of 32000 samples are NaN or infinite", "write the file again without them",
    ),
    "16-bit numbers as floats": (
        ".wav", lambda x: floats(32768 * x / np.abs(x).max()),
        r"the samples reach 3\.28e\+04 times full scale", "divide them by that",
    ),
    "one sample": (
        ".wav", lambda x: floats(x[:1]),
        r"lasts 0\.0001 s \(1 sample\), shorter than", "leave it out or record it again",
    ),
    "too short": (
        ".wav", lambda x: floats(x[:3200]), r"lasts 0\.2000 s \(3200 samples\)", "leave it out",
    ),
    "silence": (".wav", lambda x: floats(0 * x), "is silent throughout", "leave it out"),
    "a constant": (".wav", lambda x: floats(0 * x + 0.3), "is silent throughout", "leave it out"),
    "channels that cancel": (
        ".wav", lambda x: floats(np.stack([x, -x], axis=1)),
        "is silent throughout", "leave it out, or choose another channel",
    ),
}  # fmt: skip

# Kind: the name of a file that is good audio, what is wrong with it, what to do.
NAMES: dict[str, tuple[str, str, str]] = {
    "newline in a name": (
        "{who}/x\ny.wav", r"\{who}.x\\ny\.wav': the id 'x\\ny' contains a line break", "rename it",
    ),
    "control character": ("{who}/x\x07.wav", r"'x\\x07' contains a control char", "rename it"),
    "line separator": ("{who}/x\u2028y.wav", r"'x\\u2028y' contains a line break", "rename it"),
    "not UTF-8": ("{who}/x\udcff.wav", r"'x\\udcff' contains bytes that are not", "rename it"),
    "backslash": ("{who}/x\\y.wav", r"'x\\\\y' contains a path separator", "rename it"),
    "hidden": ("{who}/._x.wav", r"/\._x\.wav: the id '\._x' begins with a dot", "rename it"),
    "space at the end": ("{who}/x .wav", r"'x ' begins or ends with a space", "rename it"),
    "very long": ("{who}/" + "x" * 220 + ".wav", r"…' is longer than 200 bytes", "rename it"),
    "newline in a speaker": ("an\nna/n1.wav", r"speaker 'an\\nna' contains a line", "rename it"),
    "no speaker": (
        "lonely.wav", r"1 audio file lies outside any speaker's folder \('lonely\.wav'\)",
        "make a folder for each speaker",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def mixed(speech: dict[str, Samples], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """ORIGINAL and PROTECTED with every kind of bad file between the good ones."""
    folder = tmp_path_factory.mktemp("mixed")
    trees = {
        "o": write_tree(folder / "o", speech, RATE),
        "p": write_tree(folder / "p", speech, FASTER),
    }
    first, samples = next(iter(speech.items()))
    who = speaker_of(first)
    # No fault at all: the contents decide, not the extension.
    (trees["o"] / who / f"{first}.wav").write_bytes(encoded(".flac", samples))
    for k, (kind, (suffix, make, _, _)) in enumerate(FILES.items()):
        bad, good = ("o", "p") if k % 2 else ("p", "o")
        (trees[bad] / who / f"{bad_name(kind)}{suffix}").write_bytes(make(samples))
        # Its other version is good, so that it is left out on both sides or on none.
        (trees[good] / who / f"{bad_name(kind)}.wav").write_bytes(floats(samples))
    for name, _, _ in NAMES.values():
        path = trees["o"] / name.format(who=who)
        path.parent.mkdir(exist_ok=True)
        Path(os.fsdecode(str(path).encode("utf-8", "surrogateescape"))).write_bytes(floats(samples))
    (trees["p"] / who / "out.wav").symlink_to("/etc/hostname")
    (trees["p"] / who / "nowhere.wav").symlink_to("nothing.wav")
    (trees["p"] / who / "circle.wav").symlink_to("circle.wav")
    (trees["p"] / "again").symlink_to(who)
    # A stem twice: the second is a duplicate, and the ids of all others stay as they are.
    (trees["o"] / who / f"{first}.x.flac").write_bytes(encoded(".flac", samples))
    (trees["o"] / who / f"{first}.x.wav").write_bytes(floats(samples))
    if hasattr(os, "mkfifo"):
        os.mkfifo(trees["p"] / who / "pipe.wav")
    (trees["p"] / "metadata.tsv").write_bytes(b"one\ttwo\n1\t2\n")
    return trees


def bad_name(kind: str) -> str:
    return "bad-" + re.sub(r"\W+", "-", kind)


# What lies in PROTECTED beside the files: kind, and what is said of it.
IN_THE_TREE = {
    "link out of the corpus": r"/out\.wav: '\d+/out\.wav' is a link that leaves the corpus, to "
    r"/etc/hostname; put the file itself into the corpus\.",
    "link to nowhere": r"/nowhere\.wav: is a link to a file that does not exist; restore the file",
    "link loop": r"/circle\.wav: is a link that leads back to itself; replace it",
    "link to a folder": r"/again: is a link to a folder, .* not followed; put the folder itself",
    "the same name twice": r"\.x\.wav: the id '\S+\.x' is a duplicate of \S+\.x\.flac; give every",
    "metadata that is no table": r"/metadata\.tsv: the first line has none of the columns utt, path"
    r" and speaker; put the column names",
}
if hasattr(os, "mkfifo"):
    IN_THE_TREE["named pipe"] = r"/pipe\.wav: is not a regular file; replace it by an audio file"


@pytest.fixture(scope="module")
def broken_audio(mixed: dict[str, Path]) -> Ran:
    return assess(mixed["o"], mixed["p"], "--json", "--workers", "2")


def test_there_are_forty_kinds_and_more() -> None:
    assert len(FILES) >= 40
    assert len(FILES) + len(NAMES) + len(IN_THE_TREE) + len(LINES) >= 100


def test_the_rest_is_assessed_as_if_bad_files_were_not_there(
    broken_audio: Ran, expected: dict[str, Any]
) -> None:
    check(broken_audio, expected)


@pytest.mark.parametrize("kind", FILES)
def test_a_bad_file_is_a_sentence(kind: str, broken_audio: Ran) -> None:
    suffix, _, what, remedy = FILES[kind]
    name = re.escape(f"{bad_name(kind)}{suffix}")
    sentence(broken_audio, rf"/{name}: ({what}).*; {remedy}")


@pytest.mark.parametrize("kind", NAMES)
def test_a_bad_name_is_a_sentence(kind: str, broken_audio: Ran) -> None:
    _, what, remedy = NAMES[kind]
    sentence(broken_audio, rf"{what.replace('{who}', 'd+')}.*; {remedy}")


@pytest.mark.parametrize("kind", IN_THE_TREE)
def test_what_else_lies_in_a_tree_is_a_sentence(kind: str, broken_audio: Ran) -> None:
    sentence(broken_audio, IN_THE_TREE[kind])


def test_a_person_at_a_terminal_reads_the_same_sentences(
    mixed: dict[str, Path], broken_audio: Ran
) -> None:
    ran = assess(mixed["o"], mixed["p"])
    assert ran.code == 1
    assert "D_ECE" in ran.out
    problems = broken_audio.json["problems"]
    assert [line[2:] for line in ran.err.splitlines() if line.startswith("- ")] == problems


# Bad lines of listings: all of a kind of listing in one.


def kaldi(folder: Path, clean: Path, speech: Mapping[str, Samples]) -> Path:
    """A data directory without segments; ids that are not in PROTECTED are told of as well."""
    first = next(iter(speech))
    wav, who = clean / speaker_of(first) / f"{first}.wav", speaker_of(first)
    scp = [f"{name} {clean}/{speaker_of(name)}/{name}.wav" for name in speech]
    scp += [f"gone {clean}/gone.wav", f"folder {clean}", f"through {wav}/x.wav"]
    scp += [f"nul {clean}/x\0.wav", f"c\x1fd {wav}", f"../x {wav}", f"dots {wav}"]
    scp += ["ark raw.ark:1234", "arks raw.ark", "range raw.ark:9[0:7]", "stdin -"]
    scp += [f"program cat {wav} |", f"toolong {'x' * 300}.wav", "alone"]
    scp += [f"{first} {wav}", f"nobody {wav}", "memory /proc/self/mem"]
    people = [f"{name} {speaker_of(name)}" for name in speech]
    people += [f"{name} {who}" for name in ("gone", "folder", "through", "nul", "../x", "c\x1fd")]
    people += [f"dots ..\nmemory {who}\nlonely\n{first} ben\nsilent {who}\ntoolong {who}"]
    write_lines(folder / "wav.scp", scp)
    write_lines(folder / "utt2spk", people)
    with (folder / "utt2spk").open("ab") as stream:
        stream.write(b"x\xff anna\n")
    return folder


def segments(folder: Path, clean: Path, speech: Mapping[str, Samples]) -> Path:
    """A data directory with segments, of which some choose a channel of a call."""
    names = list(speech)
    write_call(folder / "call.wav", speech[names[1]], speech[names[0]])
    scp = [f"{name} {clean}/{speaker_of(name)}/{name}.wav" for name in names[2:]]
    scp += [f"call {folder}/call.wav", f"call-A {folder}/call.wav", f"left {folder}/call.wav"]
    scp += [f"odd {folder}/call.wav", f"two {folder}/call.wav", f"third {folder}/call.wav"]
    good = [f"{names[0]} call 0 -1 1", f"{names[1]} call-A 0 -1"]
    good += [f"{name} {name} 0 2" for name in names[2:]]
    bad = ["early {0} -3 1", "swapped {0} 1 0.5", "endless {0} 0 inf", "late {0} 7 -1"]
    bad += ["beyond {0} 1 2.5", "far {0} 1e308 -1", "farther {0} 0 1e308", "tiny {0} 0.2 0.21"]
    bad += ["unknown nobody 0 1", "few {0}", "many {0} 0 1 0 0", "words {0} a b"]
    bad += ["letter call 0 -1 B", "fifth call 0 -1 5", "mono {0} 0 -1 1"]
    bad += ["of-odd odd 0 -1", "of-third third 0 -1"]
    lines = [*good, *(line.format(names[2]) for line in bad)]
    write_lines(folder / "wav.scp", scp)
    write_lines(folder / "segments", lines)
    who = speaker_of(names[2])
    ids = [line.split()[0] for line in lines[len(good) :]]
    people = [f"{name} {speaker_of(name)}" for name in names] + [f"{name} {who}" for name in ids]
    write_lines(folder / "utt2spk", people)
    sides = ["call-A call A", f"{names[2]} {names[2]} B", "odd call X9", "two call", "third call 3"]
    write_lines(folder / "reco2file_and_channel", sides)
    return folder


def write_call(path: Path, one: Samples, other: Samples) -> None:
    soundfile.write(path, np.stack([one, other], axis=1), RATE)


def commands(folder: Path, clean: Path, speech: Mapping[str, Samples]) -> Path:
    """A data directory whose commands may run."""
    first = next(iter(speech))
    wav = clean / speaker_of(first) / f"{first}.wav"
    scp = [f"{first} cat {wav} |"]
    scp += [f"{name} {clean}/{speaker_of(name)}/{name}.wav" for name in list(speech)[1:]]
    scp += ["fails false |", "absent no-such-program-anywhere |", f"shell cat {wav} > x |"]
    scp += ["text echo hello |", "nothing true |", f"open cat '{wav} |"]
    write_lines(folder / "wav.scp", scp)
    ids = [*speech, "fails", "absent", "shell", "text", "nothing", "open"]
    write_lines(folder / "utt2spk", [f"{n} {speaker_of(n if n in speech else first)}" for n in ids])
    return folder


def table(folder: Path, clean: Path, speech: Mapping[str, Samples]) -> Path:
    """A table with relative paths and quoted cells."""
    (folder / "wav").symlink_to(clean)
    first = next(iter(speech))
    good = f"{clean}/{speaker_of(first)}/{first}.wav"
    lines = ["utt,path,speaker,start,end"]
    lines += [f"{n},{clean}/{speaker_of(n)}/{n}.wav,{speaker_of(n)},," for n in speech]
    lines += ["x1,../outside.wav,anna,,", "x2,wav/x.wav,anna,,", f'"x\n3",{good},anna,,']
    lines += [f"x4,{good},,,", "x5,,anna,,", f"x6,{good}", f"x7,{good},anna,early,"]
    lines += [f"{first},{good},anna,,", f"x8,{good},anna,3,2", "x9,a\0b.wav,anna,,"]
    lines += [
        f"x10,{good},{speaker_of(first)},1e308,",
        "x11,.,anna,,",
        f"x12,{'y' * 300}.wav,anna,,",
    ]
    lines += [f'x13,"{good},anna,,']
    write_lines(folder / "list.csv", lines)
    return folder / "list.csv"


def audiofolder(folder: Path, _: Path, speech: Mapping[str, Samples]) -> Path:
    """An AudioFolder, with the audio itself inside."""
    write_tree(folder, speech, RATE)
    lines = [json.dumps({"file_name": f"{speaker_of(n)}/{n}.wav", "speaker": speaker_of(n)})
             for n in speech]  # fmt: skip
    bad = [{"file_name": "../x.wav", "speaker": "anna"}, {"file_name": "/etc/hostname",
           "speaker": "anna"}, {"file_name": "gone.wav", "speaker": "anna"}, {"speaker": "anna"},
           {"file_name": {"bytes": "RIFF"}, "speaker": "anna"},
           {"file_name": "\ud800.wav", "speaker": "anna"}]  # fmt: skip
    lines += map(json.dumps, bad)
    lines += ["{oops", "[" * 5000, "17"]
    write_lines(folder / "metadata.jsonl", lines)
    return folder


def lhotse(folder: Path, clean: Path, speech: Mapping[str, Samples]) -> Path:
    """Recordings and supervisions."""

    def recording(name: str, path: object, **fields: object) -> dict[str, object]:
        source = {"type": "file", "channels": [0], "source": str(path)}
        return {"id": name, "sources": [source], "duration": 2.0, **fields}

    def said(name: str, of: str, **fields: object) -> dict[str, object]:
        about = {"id": name, "recording_id": of, "start": 0.0, "duration": 2.0}
        return {**about, "speaker": speaker_of(of), **fields}

    first = next(iter(speech))
    wav = clean / speaker_of(first) / f"{first}.wav"
    recordings = [recording(n, clean / speaker_of(n) / f"{n}.wav") for n in speech]
    recordings += [recording("r1", wav, sources=[]), recording("r2", wav, transforms=[1])]
    recordings += [recording("r3", "a\0b.wav"), recording("r4", "y" * 300)]
    recordings += [recording("r5", wav, sources=[{"type": "url", "source": "https://x.org/a"}])]
    supervisions = [said(n, n) for n in speech]
    supervisions += [said("x1", "nobody"), said("x2", first, duration="long")]
    supervisions += [said("x3", first, duration=10**400), said("x4", first, speaker=None)]
    supervisions += [said("", first), said("x6", first, start=float("nan")), said("x7", "r3")]
    supervisions += [said("x8", "r4"), said("x\ny", first)]
    write_lines(folder / "x_recordings.jsonl", map(json.dumps, recordings))
    lines = [*map(json.dumps, supervisions), "{oops", "[" * 5000]
    write_lines(folder / "x_supervisions.jsonl", lines)
    return folder


def ten_thousand(folder: Path, clean: Path, speech: Mapping[str, Samples]) -> Path:
    """A data directory of some speakers with the utt2spk of ten thousand, one line of it bad."""
    write_lines(
        folder / "wav.scp", [f"{name} {clean}/{speaker_of(name)}/{name}.wav" for name in speech]
    )
    lines = [f"{name} {speaker_of(name)}" for name in speech]
    lines += [f"s{k:05d}-1 s{k:05d}" for k in range(10_000 - len(lines))]
    lines[4711] = lines[4711].split()[0]
    write_lines(folder / "utt2spk", lines)
    return folder


def write_lines(path: Path, lines: Any) -> None:
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())


LISTINGS: dict[str, tuple[Callable[[Path, Path, Mapping[str, Samples]], Path], tuple[str, ...]]] = {
    "kaldi": (kaldi, ()),
    "segments": (segments, ()),
    "commands": (commands, ("--allow-commands",)),
    "table": (table, ()),
    "audiofolder": (audiofolder, ()),
    "lhotse": (lhotse, ()),
    "ten thousand": (ten_thousand, ()),
}

# The listing and the kind, and what is said of it.
LINES: dict[tuple[str, str], str] = {
    ("kaldi", "missing file"): r"wav\.scp:\d+: \S+gone\.wav does not exist; correct the path",
    ("kaldi", "a folder"): r"wav\.scp:\d+: \S+ is a folder, not an audio file; name the file",
    ("kaldi", "path through a file"): r"x\.wav cannot be opened \(Not a directory\); correct",
    ("kaldi", "NUL in a path"): r"cannot be opened \(embedded null byte\); correct the path",
    ("kaldi", "control character"): r"the id 'c\\x1fd' contains a control character; rename it",
    ("kaldi", "path as an id"): r"the id '\.\./x' contains a path separator; rename it",
    ("kaldi", "path as a speaker"): r"the speaker '\.\.' begins with a dot; rename it",
    ("kaldi", "archive"): r"'raw\.ark:1234' is a Kaldi archive or standard input, .*; write the",
    ("kaldi", "archive, whole"): r"'raw\.ark' is a Kaldi archive or standard input, .*; write the",
    ("kaldi", "archive, rows"): r"'raw\.ark:9\[0:7\]' is a Kaldi archive .*; write the audio as",
    ("kaldi", "standard input"): r"'-' is a Kaldi archive or standard input, .*; write the audio",
    ("kaldi", "a command"): r"output of the command 'cat .*', which is not run; pass --allow-com",
    ("kaldi", "name too long"): r"x\.wav cannot be opened \(File name too long\); correct the path",
    ("kaldi", "one field in wav.scp"): r"wav\.scp:\d+: the line has only one field, 'alone'; write",
    ("kaldi", "one field in utt2spk"): r"utt2spk:\d+: the line has only one field, 'lonely'; write",
    ("kaldi", "id twice"): r"wav\.scp:\d+: '\S+' is a duplicate of \S+wav\.scp:1; keep one",
    ("kaldi", "speaker twice"): r"utt2spk:\d+: '\S+' is a duplicate of \S+utt2spk:1; keep one",
    ("kaldi", "no speaker"): r"utt2spk: \d+ utterances? ha\w+ no speaker here \(.*'nobody'.*; add",
    ("kaldi", "no audio"): r"utt2spk: \d+ utterances? ha\w+ no usable audio .*; add the audio or",
    ("kaldi", "not UTF-8"): r"utt2spk:\d+: the line is not UTF-8 text; save the file as UTF-8",
    ("segments", "negative start"): r"segments:\d+: the start -3 s is not a time in the file; give",
    ("segments", "end before start"): r"the segment ends at 0\.5 s, not after its start at 1 s; co",
    ("segments", "infinite end"): r"segments:\d+: the end inf s is not a time in the file; give",
    ("segments", "after the end"): r"\(late: 7 s to the end\): the segment lies outside the file",
    ("segments", "beyond the end"): r"\(beyond: 1 s to 2\.5 s\): .* lasts 2\.00 s; correct its",
    ("segments", "start of 10³⁰⁸ s"): r"\(far: 1e\+308 s to the end\): the segment lies outside",
    ("segments", "end of 10³⁰⁸ s"): r"\(farther: 0 s to 1e\+308 s\): the segment lies outside",
    ("segments", "too short"): r"\(tiny: .*\): lasts 0\.0100 s \(160 samples\), shorter than",
    ("segments", "unknown recording"): r"the recording 'nobody' is not in wav\.scp or could not be",
    ("segments", "two fields"): r"a segment needs 4 fields, this line has 2; write: utterance",
    ("segments", "six fields"): r"a segment needs 4 fields, this line has 6; write: utterance",
    ("segments", "words"): r"segments:\d+: 'a' and 'b' are not two times; give seconds",
    ("segments", "letter as channel"): r"'B' is no channel of a recording; give its number, the",
    ("segments", "no such channel"): r"'call' has 2 channel\(s\), so there is no channel 5 .*; cor",
    (
        "segments",
        "second of one",
    ): r"'\S+' has 1 channel\(s\), so there is no channel 1 .*; correct",
    ("segments", "no side"): r"reco2file_and_channel:3: 'X9' is no side of a recording; write A",
    ("segments", "side missing"): r"reco2file_and_channel:4: .* needs 3 fields here, this line has",
    ("segments", "third side"): r"'third' has 2 channel\(s\), so there is no channel 2 .*; correct",
    ("segments", "of a bad recording"): r"the recording 'odd' is not in wav\.scp or could not be u",
    ("commands", "fails"): r"command of fails\): the program 'false' .* code 1; run the command by",
    ("commands", "no program"): r"command of absent\): .* cannot be started \(No such file .*; ins",
    ("commands", "needs a shell"): r"wav\.scp:\d+: the command 'cat .* uses '>', which needs a sh",
    ("commands", "prints text"): r"command of text\): the contents are not audio .* although a com",
    ("commands", "prints nothing"): r"command of nothing\): .*; ",
    ("commands", "open quotes"): r"wav\.scp:\d+: the command .* is incomplete; correct the quotes",
    (
        "table",
        "leaves the corpus",
    ): r"list\.csv:\d+: the path '\.\./outside\.wav' leaves the corpus",
    ("table", "link that leaves"): r"list\.csv:\d+: 'wav/x\.wav' is a link that leaves the corpus",
    ("table", "newline in an id"): r"list\.csv:\d+: the id 'x\\n3' contains a line break; rename",
    ("table", "no speaker"): r"list\.csv:\d+: the speaker is empty; give the utterance a speaker",
    ("table", "no path"): r"list\.csv:\d+: the path is empty; name the audio file",
    (
        "table",
        "missing cells",
    ): r"list\.csv:\d+: the row has 2 cells, the header has 5; quote cells",
    ("table", "no number"): r"list\.csv:\d+: the start 'early' is not a number; give seconds",
    ("table", "row twice"): r"list\.csv:\d+: the id '\S+' is a duplicate of \S+list\.csv:2; give",
    ("table", "end before start"): r"list\.csv:\d+: the segment ends at 2 s, not after its start",
    ("table", "NUL in a path"): r"list\.csv:\d+: the path 'a\\x00b\.wav' contains a NUL character",
    ("table", "start of 10³⁰⁸ s"): r"\(x10: 1e\+308 s to the end\): the segment lies outside the",
    ("table", "the folder itself"): r"list\.csv:\d+: \S+ is a folder, not an audio file; name the",
    ("table", "name too long"): r"list\.csv:\d+: \S+ cannot be opened \(File name too long\); corr",
    (
        "table",
        "open quotes",
    ): r"list\.csv:\d+: the row is not well-formed \(.*\); correct the quote",
    ("audiofolder", "leaves"): r"jsonl:\d+: the path '\.\./x\.wav' leaves the corpus folder .*; mo",
    ("audiofolder", "absolute"): r"the path '/etc/hostname' leaves the corpus folder .*; move the",
    ("audiofolder", "missing file"): r"jsonl:\d+: \S+gone\.wav does not exist; correct the path",
    ("audiofolder", "no path"): r"jsonl:\d+: the path is empty; name the audio file",
    ("audiofolder", "audio in the table"): r"holds dict values, not text; save the audio as files",
    ("audiofolder", "lone surrogate"): r"'\\ud800\.wav' contains half a character; correct",
    ("audiofolder", "no JSON"): r"jsonl:19: the line is not a JSON object; correct it or remove it",
    ("audiofolder", "nested JSON"): r"jsonl:20: the line is not a JSON object; correct it or remo",
    ("audiofolder", "a number"): r"jsonl:21: the line is not a JSON object; correct it or remove",
    ("lhotse", "no source"): r"the recording has not exactly one source; join its channels",
    ("lhotse", "transforms"): r"the recording has transforms; save it as audio with lhotse first",
    ("lhotse", "an address"): r"the source of type 'url' cannot be read; save the audio as a file",
    ("lhotse", "NUL in a path"): r"cannot be opened \(embedded null byte\); correct the path",
    ("lhotse", "name too long"): r"cannot be opened \(File name too long\); correct the path",
    ("lhotse", "unknown recording"): r"the recording 'nobody' is unknown or unusable; add it or",
    ("lhotse", "words for seconds"): r"jsonl:14: duration is not a number of seconds; correct the",
    ("lhotse", "400 digits"): r"jsonl:15: duration is not a number of seconds; correct the manife",
    ("lhotse", "no speaker"): r"jsonl:\d+: the speaker is empty; give the utterance a speaker",
    ("lhotse", "no id"): r"jsonl:\d+: the id is empty; give the utterance an id",
    ("lhotse", "NaN as start"): r"jsonl:\d+: the start nan s is not a time in the file; give secon",
    ("lhotse", "newline in an id"): r"jsonl:\d+: the id 'x\\ny' contains a line break; rename it",
    ("lhotse", "no JSON"): r"supervisions\.jsonl:22: the line is not a JSON object; correct it",
    ("lhotse", "nested JSON"): r"supervisions\.jsonl:23: the line is not a JSON object; correct it",
    ("ten thousand", "one bad line"): r"utt2spk:4712: the line has only one field, 's04699-1'; wr",
    ("ten thousand", "no audio"): r"utt2spk: 9987 utterances have no usable audio .*; add the audi",
}
if os.path.exists("/proc/self/mem"):  # noqa: PTH110 - a file that opens, and whose reading fails
    LINES["kaldi", "input error"] = r"/proc/self/mem: cannot be read \(Input/output error\); check"


@pytest.fixture(scope="module")
def listed(
    clean: dict[str, Path], speech: dict[str, Samples], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Ran]:
    """The run with such a listing as ORIGINAL, made once.

    PROTECTED has a good version of what the listing is right about and whose audio is bad.
    """
    done: dict[str, Ran] = {}

    def made(listing: str) -> Ran:
        if listing not in done:
            make, more = LISTINGS[listing]
            folder = tmp_path_factory.mktemp("listing")
            (folder / "o").mkdir()
            place = make(folder / "o", clean["o"], speech)
            protected = write_tree(folder / "p", speech, FASTER)
            first = next(iter(speech))
            for name in BAD_ONLY_IN_SOUND.get(listing, ()):
                target = protected / speaker_of(first) / f"{name}.wav"
                target.write_bytes(floats(speech[first]))
            done[listing] = assess(place, protected, "--json", *more)
        return done[listing]

    return made


BAD_ONLY_IN_SOUND = {
    "kaldi": ("memory",),
    "segments": ("late", "beyond", "far", "farther", "tiny"),
    "commands": ("fails", "absent", "text", "nothing"),
    "table": ("x10",),
}


@pytest.mark.parametrize("listing", LISTINGS)
def test_the_rest_is_assessed_as_if_bad_lines_were_not_there(
    listing: str, listed: Callable[[str], Ran], expected: dict[str, Any]
) -> None:
    check(listed(listing), expected)


@pytest.mark.parametrize(("listing", "kind"), LINES, ids=[", ".join(key) for key in LINES])
def test_a_bad_line_is_a_sentence(listing: str, kind: str, listed: Callable[[str], Ran]) -> None:
    sentence(listed(listing), LINES[listing, kind])


# What is bad in other ways.


def test_files_that_vanish_under_way_lose_only_themselves(
    speech: dict[str, Samples],
    expected: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = next(iter(speech))
    more = {**speech, f"{speaker_of(first)}-late": speech[first]}
    o, p = (write_tree(tmp_path / side, more, RATE if side == "o" else FASTER) for side in "op")

    def read_and_lose(place: Path, **how: Any) -> Corpus:
        corpus = read_corpus(place, **how)
        (place / speaker_of(first) / f"{speaker_of(first)}-late.wav").unlink()
        return corpus

    monkeypatch.setattr("pseudovoice.library.given.read_corpus", read_and_lose)
    ran = assess(o, p, "--json")
    check(ran, expected)
    assert len(ran.json["problems"]) == 2
    assert all("-late.wav: does not exist; correct the path" in s for s in ran.json["problems"])


def test_what_is_wrong_with_the_attackers_speech_is_told_as_well(
    clean: dict[str, Path], speech: dict[str, Samples], tmp_path: Path
) -> None:
    q = write_tree(tmp_path / "q", speech, FASTER)
    first, second = list(speech)[:2]
    (q / speaker_of(first) / f"{first}.wav").write_bytes(b"")
    (q / "stray.wav").write_bytes(b"")
    cohort = write_tree(tmp_path / "t", speech, FASTER)
    (cohort / speaker_of(second) / "x.ape").write_bytes(b"")
    more = ("--attacker-protected", q, "--as-norm", "--backend-training", cohort)
    ran = assess(clean["o"], clean["p"], *more, "--json")
    assert ran.code == 1, ran.err
    assert len(ran.json["problems"]) == 3
    sentence(ran, rf"/q/\d+/{first}\.wav: the file is empty \(0 bytes\); record it again")
    sentence(ran, r"/q: 1 audio file lies outside any speaker's folder \('stray\.wav'\); make")
    sentence(ran, r"/t/\d+/x\.ape: is \.ape audio, which cannot be read here; convert it")


def test_a_folder_of_any_name_is_a_corpus(
    clean: dict[str, Path], speech: dict[str, Samples], expected: dict[str, Any], tmp_path: Path
) -> None:
    o = write_tree(tmp_path / os.fsdecode(b"o\xff\x1b[2J"), speech, RATE)
    ran = assess(o, clean["p"], "--json", "-o", tmp_path / "report", "--no-figures")
    assert ran.code == 0, ran.err
    assert numbers(ran) == expected
    assert ran.json["provenance"]["corpora"]["original"]["name"] == r"'o\udcff\x1b[2J'"
    assert json.loads((tmp_path / "report" / "assessment.json").read_text()) == ran.json
    assert "\x1b[2J" not in ran.err


@pytest.mark.parametrize("channel", ["left", "-1", "1.5", "²"])
def test_a_channel_that_is_none_is_wrong_use(clean: dict[str, Path], channel: str) -> None:
    ran = assess(clean["o"], clean["p"], f"--channel={channel}")
    assert ran.code == 2
    assert "write mean, first, or the number of a channel from 0" in ran.err


def test_nothing_usable_is_one_sentence(speech: dict[str, Samples], tmp_path: Path) -> None:
    silence = {name: 0 * samples for name, samples in speech.items()}
    o, p = (write_tree(tmp_path / side, silence, RATE) for side in "op")
    ran = assess(o, p)
    assert ran.code == 2
    assert re.search(
        r"none of the 12 utterances could be embedded; .* is silent throughout", ran.err
    )
    assert "Traceback" not in ran.err
