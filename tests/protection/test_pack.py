"""`pseudovoice release`: what may go out is packed, and whatever would undo it is refused."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import mmap
import shutil
import sqlite3
import struct
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner, Result

from pseudovoice.cli.main import app
from pseudovoice.corpus import Corpus, Utterance, read_corpus
from pseudovoice.keys import new_key, read_key
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.release.account import WRITABLE
from pseudovoice.release.undoing import look, windows
from pseudovoice.release.undoing.audio_tags import besides_sound
from pseudovoice.release.undoing.names import Names
from pseudovoice.safeguards import parse_chain

NAMES = ("Annelies", "Bartholome", "1272")


@dataclass(frozen=True)
class Ready:
    """Real speech of three people, protected under pseudonyms, and a report of it."""

    originals: Path
    key: Path
    out: Path
    study: Path

    def release(self, archive: Path, *words: str | Path) -> Result:
        given = [self.out, archive, "--study", self.study, "--originals", self.originals]
        return run(*given, "--key-file", self.key, *words)

    def recording(self) -> Path:
        return next(iter(sorted(self.out.glob("spk-*/*.flac"))))

    def original(self) -> Path:
        return next(iter(sorted((self.originals / NAMES[1]).glob("*.flac"))))


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["release", *map(str, words)])


@pytest.fixture(scope="module")
def made(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Ready:
    root = tmp_path_factory.mktemp("pack")
    people = sorted(p for p in (shared / "speech" / "dev").iterdir() if p.is_dir())
    for name, person in zip(NAMES, people, strict=False):
        (root / "c" / name).mkdir(parents=True)
        for k, take in enumerate(
            sorted(person.rglob("*.flac"), key=lambda p: p.stat().st_size)[:2]
        ):
            shutil.copy(take, root / "c" / name / f"visit-{name}-{k}.flac")
    new_key(root / "speech.key")
    corpus, key = read_corpus(root / "c"), read_key(root / "speech.key")
    protect_corpus(corpus, root / "out", parse_chain("mcadams-random"), key=key, rename=True)
    study = root / "study"
    (study / "tables").mkdir(parents=True)
    speaker = next(p.name for p in (root / "out").iterdir() if p.name.startswith("spk-"))
    (study / "tables" / "speakers.csv").write_text(f"speaker,trials\n{speaker},1272\n")
    (study / "report.html").write_text(page(root / "out", "mcadams-random"), encoding="utf-8")
    (study / "work").mkdir()
    (study / "work" / "voices.csv").write_text("Annelies\n")
    (study / "plan.yaml").write_text("corpus: /data/Annelies\n")
    return Ready(root / "c", root / "speech.key", root / "out", study)


@pytest.fixture
def ready(made: Ready, tmp_path: Path) -> Ready:
    """A copy in which anything may be hidden."""
    for folder in ("out", "study"):
        shutil.copytree(made.out.parent / folder, tmp_path / folder)
    return Ready(made.originals, made.key, tmp_path / "out", tmp_path / "study")


def page(speech: Path, safeguard: str | None) -> str:
    """A page with a clip of some speech, as ours embeds them."""
    samples, rate = soundfile.read(next(iter(sorted(speech.rglob("*.flac")))))
    clip = io.BytesIO()
    soundfile.write(clip, samples, rate, format="MP3")
    clips = [{"safeguard": safeguard, "audio": base64.b64encode(clip.getvalue()).decode()}]
    data = json.dumps({"study": {"clips": clips}})
    return f'<html><script type="application/json" id="data">{data}</script></html>'


def test_what_may_go_out_is_packed_alike_each_time(made: Ready, tmp_path: Path) -> None:
    first = made.release(tmp_path / "a.zip", "--json")
    assert first.exit_code == 0, first.output
    told = json.loads(first.stdout)
    assert told["unchecked"] == []
    assert told["recordings"] == 6
    shutil.copytree(made.out, tmp_path / "elsewhere")  # other times, another order on the disk
    again = Ready(made.originals, made.key, tmp_path / "elsewhere", made.study)
    assert again.release(tmp_path / "b.zip").exit_code == 0
    data = (tmp_path / "a.zip").read_bytes()
    assert data == (tmp_path / "b.zip").read_bytes()
    assert hashlib.sha256(data).hexdigest() == told["sha256"]
    with zipfile.ZipFile(tmp_path / "a.zip") as pack:
        names = pack.namelist()
        assert names == sorted(names)
        assert {info.date_time for info in pack.infolist()} == {(2000, 1, 1, 0, 0, 0)}
        lines = pack.read("SHA256SUMS").decode().splitlines()
        sums = dict(reversed(line.split("  ", 1)) for line in lines)
        assert set(sums) == set(names) - {"SHA256SUMS"}
        for name, digest in sums.items():
            assert hashlib.sha256(pack.read(name)).hexdigest() == digest
    assert {"speech/protection.json", "speech/metadata.csv", "report/report.html"} <= set(names)
    assert not [n for n in names if "work" in n or "plan" in n or "key" in n or "journal" in n]
    assert b"annelies" not in data.lower()


def tag_wav(path: Path) -> None:
    """A LIST chunk with an artist, as recorders write them."""
    text = b"INFOIART" + struct.pack("<I", 10) + b"A. Muster\0"
    data = path.read_bytes() + b"LIST" + struct.pack("<I", len(text)) + text
    path.write_bytes(data[:4] + struct.pack("<I", len(data) - 8) + data[8:])


def flac_with(path: Path, block: bytes, kind: int) -> None:
    data = path.read_bytes()
    header = bytes([kind]) + len(block).to_bytes(3, "big")
    path.write_bytes(data[:42] + header + block + data[42:])


def journal(path: Path) -> None:
    rows = sqlite3.connect(path)
    rows.execute("CREATE TABLE made (place TEXT)")
    rows.commit()
    rows.close()


def a_second_of(original: Path, into: Path) -> None:
    """A stretch of original speech, quieter, within protected speech."""
    samples, rate = soundfile.read(into)
    clear, _ = soundfile.read(original)
    clear = clear[len(clear) // 3 :][:rate]
    at = len(samples) // 2
    mixed = np.concatenate([samples[:at], 0.3 * clear, samples[at:]])
    soundfile.write(into, mixed, rate)


def at_another_rate(original: Path, into: Path) -> None:
    import soxr

    samples, rate = soundfile.read(original)
    soundfile.write(into, -0.5 * soxr.resample(samples, rate, 22_050), 22_050)


def in_noise(original: Path, into: Path, colour: float) -> None:
    """An original with noise 10 dB below it, white or pink, cut a little."""
    samples, rate = soundfile.read(original)
    samples = samples[41:]
    spectrum = np.fft.rfft(np.random.default_rng(0).normal(size=len(samples)))
    noise = np.fft.irfft(
        spectrum / np.maximum(1, np.arange(spectrum.size)) ** (colour / 2), len(samples)
    )
    noise *= np.sqrt(np.mean(samples**2) / np.mean(noise**2) / 10)
    soundfile.write(into, samples + noise, rate)


def rename_to(ready: Ready, name: str) -> None:
    path = ready.recording()
    path.rename(path.with_name(name))


def write(path: Path, text: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


VOICE = '{"speaker": "' + "0" * 24 + '", "voice": {"f0": 1}}\n'
UNDO = "slice,utterance,position,start,end,speaker,session,text\n"
COMMENT = struct.pack("<I", 0) + struct.pack("<I", 1) + struct.pack("<I", 8) + b"ARTIST=X"

SMUGGLED: dict[str, tuple[Callable[[Ready], object], str]] = {
    "a key": (lambda r: shutil.copy(r.key, r.out / "notes.txt"), "holds a secret key"),
    "a key called a listing": (
        lambda r: shutil.copy(r.key, r.out / "utt2spk"),
        "holds a secret key",
    ),
    "a key at the end of a recording": (
        lambda r: write(r.recording(), r.recording().read_bytes() + r.key.read_bytes()),
        "holds a secret key",
    ),
    "the secret in hexadecimal": (
        lambda r: write(r.study / "tables" / "x.csv", read_key(r.key).secret.hex().upper()),
        "holds the secret of the key",
    ),
    "voices of persona": (lambda r: write(r.out / "text", VOICE), "voices that were given"),
    "a journal": (lambda r: journal(r.out / "text"), "a journal or another database"),
    "a journal of a study": (
        lambda r: journal(r.study / "tables" / "j.csv"),
        "a journal or another database",
    ),
    "the owner's folder": (
        lambda r: write(r.out / "out.pseudovoice" / "lock", "x"),
        "is no protected speech, and no listing",
    ),
    "a table that undoes slices": (
        lambda r: write(r.study / "tables" / "u.csv", UNDO),
        "the table that undoes slices",
    ),
    "an original as it is": (
        lambda r: shutil.copy(r.original(), r.recording()),
        "is original speech from second",
    ),
    "a second of an original": (
        lambda r: a_second_of(r.original(), r.recording()),
        "is original speech from second",
    ),
    "an original at another rate, turned over": (
        lambda r: at_another_rate(r.original(), r.recording()),
        "is original speech from second",
    ),
    "an original in white noise": (
        lambda r: in_noise(r.original(), r.recording(), 0.0),
        "is original speech from second",
    ),
    "an original in pink noise": (
        lambda r: in_noise(r.original(), r.recording(), 1.0),
        "is original speech from second",
    ),
    "an original voice on the page": (
        lambda r: write(r.study / "report.html", page(r.originals, "mcadams-random")),
        "has a clip that is original speech",
    ),
    "a page that says so itself": (
        lambda r: write(r.study / "report.html", page(r.out, None)),
        "has original voices to listen to",
    ),
    "a name in a file's name": (
        lambda r: rename_to(r, "take-of-ANNELIES.flac"),
        "is called after an original (Annelies)",
    ),
    "a number that is a name": (
        lambda r: rename_to(r, "1272.flac"),
        "is called after an original (1272)",
    ),
    "a name in a table": (
        lambda r: write(r.study / "tables" / "speakers.csv", "speaker,n\nannelies,3\n"),
        "names an original (Annelies)",
    ),
    "a number as a name in a table": (
        lambda r: write(r.study / "tables" / "speakers.csv", "speaker,n\n1272,3\n"),
        "names an original (1272)",
    ),
    "an utterance in a listing": (
        lambda r: write(r.out / "text", "visit-Bartholome-0 hello\n"),
        "names an original (",
    ),
    "a name on the page, in escapes": (
        lambda r: write(r.study / "report.html", '"\\u0041nnelies" said'),
        "names an original (Annelies)",
    ),
    "a name in an annex": (
        lambda r: write(r.study.parent / "annex.txt", "Signed for Bartholome"),
        "names an original (Bartholome)",
    ),
    "a tag in FLAC": (lambda r: flac_with(r.recording(), COMMENT, 4), "has a tag 'artist'"),
    "a picture in FLAC": (lambda r: flac_with(r.recording(), b"x" * 40, 6), "has a picture"),
    "a recording within a recording": (
        lambda r: write(r.recording(), r.recording().read_bytes() + r.original().read_bytes()),
        "has another file in it",
    ),
    "a link": (
        lambda r: (r.out / "text").symlink_to(r.key),
        "is a link or no plain file",
    ),
    "what is no sound": (lambda r: write(r.recording(), b"x" * 99), "cannot be heard"),
    "a file of somebody's": (
        lambda r: write(r.out / "who.xlsx", "x"),
        "is no protected speech, and no listing",
    ),
}


@pytest.mark.parametrize("what", SMUGGLED)
def test_what_would_undo_it_is_refused(what: str, ready: Ready, tmp_path: Path) -> None:
    hide, sentence = SMUGGLED[what]
    hide(ready)
    annex = ready.study.parent / "annex.txt"
    more = ("--annex", annex) if annex.exists() else ()
    told = ready.release(tmp_path / "a.zip", *more)
    assert told.exit_code == 3, told.output
    assert sentence in told.stderr, told.stderr
    assert "`" not in told.stderr, "options of the commands that made it, no parameters"
    assert "Traceback" not in told.output
    assert read_key(ready.key).secret.hex() not in told.output.lower()
    assert not (tmp_path / "a.zip").exists()


def test_speech_under_its_names_is_refused_unless_they_are_codes(
    made: Ready, tmp_path: Path
) -> None:
    out = tmp_path / "named"
    protect_corpus(read_corpus(made.originals), out, parse_chain("mcadams"), key=None)
    told = run(out, tmp_path / "a.zip")
    assert told.exit_code == 3
    assert "the speech bears the names of the originals; protect it with" in told.stderr
    assert "say so with --names-are-codes" in told.stderr
    done = run(out, tmp_path / "a.zip", "--names-are-codes")
    assert done.exit_code == 0
    assert "Nobody looked for names of the originals or for original speech" in done.stderr


def test_mcadams_at_its_weakest_is_no_original(made: Ready, tmp_path: Path) -> None:
    corpus, key = read_corpus(made.originals), read_key(made.key)
    out = tmp_path / "weak"
    protect_corpus(corpus, out, parse_chain("mcadams:alpha=0.9"), key=key, rename=True)
    done = run(out, tmp_path / "a.zip", "--originals", made.originals, "--key-file", made.key)
    assert done.exit_code == 0, done.output


def test_wrong_use_is_a_sentence(made: Ready, tmp_path: Path) -> None:
    assert "there is no protection.json" in run(made.originals, tmp_path / "a.zip").stderr
    assert "is no folder of protected" in run(tmp_path / "none", tmp_path / "a.zip").stderr
    assert "cannot lie within" in run(made.out, made.out / "a.zip").stderr
    told = run(made.out, tmp_path / "a.zip", "--study", made.out)
    assert "there is no report.html" in told.stderr
    assert told.exit_code == 2


@pytest.mark.parametrize("suffix", WRITABLE)
@pytest.mark.parametrize("subtype", ["usual", "FLOAT"])
def test_our_writers_add_nothing_to_sound(suffix: str, subtype: str, tmp_path: Path) -> None:
    kind = {".oga": "OGG", ".opus": "OGG", ".aif": "AIFF"}.get(suffix, suffix[1:].upper())
    codec = "OPUS" if suffix == ".opus" else None
    if subtype == "FLOAT":
        if not soundfile.check_format(kind, "FLOAT"):
            pytest.skip(f"{kind} holds no floating-point samples")
        codec = "FLOAT"
    path = tmp_path / f"x{suffix}"
    sound = 0.1 * np.random.default_rng(0).normal(size=16_001)
    soundfile.write(path, sound, 16_000, subtype=codec, format=kind)
    assert besides_sound(path.read_bytes()) == []
    if suffix == ".au":  # libsndfile writes no tags there, others do
        data = path.read_bytes()
        noted = b".snd" + struct.pack(">I", 32) + data[8:24] + b"Annelies" + data[24:]
        assert besides_sound(noted) == ["a note in its header"]
        return
    with soundfile.SoundFile(
        path, "w", 16_000, 1, subtype=codec or soundfile.default_subtype(kind), format=kind
    ) as file:
        file.title = "Annelies"
        file.write(sound)
    assert (b"Annelies" in path.read_bytes()) == bool(besides_sound(path.read_bytes()))


def test_tags_of_other_programs_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "x.wav"
    soundfile.write(path, np.zeros(800), 16_000)
    tag_wav(path)
    assert besides_sound(path.read_bytes()) == ["a chunk 'LIST'"]
    assert besides_sound(b"ID3\x04\0" + bytes(200)) == ["an ID3 tag"]
    assert besides_sound(b"\xff\xfb" + bytes(200) + b"TAG" + bytes(125)) == ["an ID3 tag"]


def test_names_are_found_however_they_are_spelt() -> None:
    names = Names(frozenset({"Jürgen Groß", "ab", "12"}), frozenset())
    for text in ("von Ju\u0308rgen Gross", "J&uuml;rgen GROẞ", "x,J\\u00fcrgen Groß,y"):
        assert names.in_text(text) == "Jürgen Groß", text
    # As files of turns, folders of ours and keyboards abroad spell them.
    for text in ("Jürgen_Groß-1", "take_Jürgen_Groß_2", "Jurgen-Gross-mcadams", "Juergen Gross"):
        assert names.in_text(text) == "Jürgen Groß", text
        assert names.in_place(f"speech/{text}.txt") == "Jürgen Groß", text
    assert names.in_text('{"who": "ab"}') == "ab"
    assert names.in_text("grabs 12 cabs, ab ovo, Jürgens Größe") is None
    assert names.in_text("n,speaker\n12,34\n") is None
    assert names.in_text("n,speaker\n34,12\n") == "12"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_names_are_found_in_any_encoding(encoding: str, tmp_path: Path) -> None:
    """Accents tell: what is no UTF-8 is read as Western Europe's office programs write it."""
    original = Utterance("Größe", "Käthe Müller", tmp_path / "k.wav")
    looking = look.Look(Corpus("c", tmp_path, (original,)), None, names_are_codes=False)
    for text, names in (("Grüße an Käthe Müller", True), ("Grüße", False), ("a;b\nGröße;1", True)):
        (tmp_path / "a.txt").write_bytes(text.encode(encoding))
        problems, _ = looking.at("annex/a.txt", tmp_path / "a.txt")
        assert bool(problems) is names, (text, problems)


@pytest.mark.parametrize("at", [0, 90, 1000])
def test_large_files_are_looked_through_in_windows(
    at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mark on the border of two windows is seen, and all bytes go by once."""
    monkeypatch.setattr(windows, "SIZE", mmap.PAGESIZE)
    monkeypatch.setattr(windows, "OVERLAP", 100)
    monkeypatch.setattr(look, "SIZE", mmap.PAGESIZE)
    data = bytearray(3 * mmap.PAGESIZE + 17)
    first = 2 * mmap.PAGESIZE - at
    data[first : first + 16] = b"SQLite format 3\0"
    file = tmp_path / "a.bin"
    file.write_bytes(data)
    found, digest = look.Look(None, None, names_are_codes=True).at("report/a.bin", file)
    assert [problem.what for problem in found] == ["holds a journal or another database"]
    assert digest == hashlib.sha256(data).hexdigest()


def test_either_channel_may_be_the_original(ready: Ready, tmp_path: Path) -> None:
    wave, rate = soundfile.read(ready.original())
    noise = 0.1 * np.random.default_rng(0).standard_normal(wave.size)
    for sides in ((noise, wave), (wave, wave), (noise, noise)):
        soundfile.write(ready.recording(), np.stack(sides, axis=1), rate)
        told = ready.release(tmp_path / "a.zip")
        assert ("is original speech from" in told.stderr) == (sides[1] is wave)


def test_originals_that_cannot_be_looked_for_are_told(ready: Ready, tmp_path: Path) -> None:
    originals = Path(shutil.copytree(ready.originals, tmp_path / "c"))
    (originals / NAMES[1] / "visit-Bartholome-9.flac").write_bytes(b"fLaC")
    done = replace(ready, originals=originals).release(tmp_path / "a.zip")
    assert done.exit_code == 0, done.stderr
    assert "Nobody looked for 1 original that cannot be heard, such as" in done.stderr
