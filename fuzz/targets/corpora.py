"""Corpora: Kaldi data directories, lhotse manifests, AudioFolders, tables, LibriSpeech trees.

What was read is written as a Kaldi directory or a table and read again: it must be the same.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fuzz.target import DEEP, Target, choosing, chosen, joined, parted
from pseudovoice.corpus import Corpus, Utterance, read_corpus, write_audio
from pseudovoice.corpus.export import write_audiofolder, write_kaldi, write_table
from pseudovoice.corpus.faults import ItemFault
from pseudovoice.corpus.pipeline import stages
from pseudovoice.errors import InputError

KALDI = (
    *("wav.scp", "utt2spk", "segments", "text", "spk2gender", "spk2utt"),
    *("reco2file_and_channel", "utt2dur"),
)
LHOTSE = ("recordings.jsonl", "supervisions.jsonl")
TABLES = (".csv", ".tsv", ".jsonl", ".parquet")
METADATA = ("metadata.csv", "metadata.jsonl")
_SAMPLES = np.sin(np.arange(800) / 7)


def _recording(folder: Path, name: str = "a.wav", channels: int = 1) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    write_audio(path, np.tile(_SAMPLES[:, None] / 2, (1, channels)), 8000)
    return path


_AUDIO: dict[int, bytes] = {}


def _audio(folder: Path, name: str = "a.wav", channels: int = 1) -> Path:
    """The same recording again, as fast as can be."""
    if channels not in _AUDIO:
        _AUDIO[channels] = _recording(folder, name, channels).read_bytes()
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_AUDIO[channels])
    return path


def _corpus(folder: Path) -> Corpus:
    """Three utterances of two people with all that a listing can say."""
    path = _audio(folder)
    return Corpus(
        "seed",
        folder,
        (
            Utterance("anna-1", "anna", path, 0.0, 0.04, "call", "f", "hello there"),
            Utterance("anna-2", "anna", path, 0.05, 0.09, "call", "f", 'she said "no", twice'),
            Utterance("ben-1", "ben", path, 0.02, None, "call", "m", "grüße"),
        ),
    )


def _said(corpus: Corpus, *, sessions: bool) -> list[tuple[object, ...]]:
    """What must outlast writing and reading; white space within a text may change."""
    return sorted(
        (
            *(u.id, u.speaker, u.path, u.start or 0.0, u.end, u.gender, u.command, u.channel),
            " ".join((u.transcript or "").split()),
            " ".join((u.session or "").split()) if sessions else "",
        )
        for u in corpus
    )


def _again(corpus: Corpus, folder: Path, layout: str) -> None:
    """Write and read; a layout that cannot hold a corpus says so."""
    try:
        if layout == "kaldi":
            place = folder / "again"
            place.mkdir()
            write_kaldi(corpus, place)
        elif layout == "audiofolder":
            place = folder
            write_audiofolder(corpus, place)
        else:
            place = folder / f"again{layout}"
            write_table(corpus, place)
    except InputError:
        return
    kind = layout if layout in ("kaldi", "audiofolder") else "table"
    found = read_corpus(place, layout=kind)
    whole = layout != "kaldi"
    before, after = _said(corpus, sessions=whole), _said(found, sessions=whole)
    assert before == after, f"{before} was written and {after} read ({found.problems})"


def _kaldi(folder: Path, data: bytes) -> None:
    _audio(folder)
    _audio(folder, "b.wav", 2)
    for name, content in zip(KALDI, parted(data, len(KALDI)), strict=True):
        if content:
            (folder / name).write_bytes(content.replace(b"FOLDER", bytes(folder)))
    _again(read_corpus(folder, layout="kaldi"), folder, "kaldi")


def _kaldi_seeds(folder: Path) -> Sequence[bytes]:
    corpus = _corpus(folder)
    write_kaldi(corpus, folder / "data")
    files = []
    for name in KALDI:
        path = folder / "data" / name
        content = path.read_bytes() if path.is_file() else b""
        files.append(content.replace(bytes(folder), b"FOLDER"))
    sides = b"anna-1 call A\nben-1 call B\n"
    return [
        joined(*files[:6], b"", b"anna-1 0.04\n"),
        joined(b"anna-1 FOLDER/b.wav\nben-1 FOLDER/b.wav\n", *files[1:2], *[b""] * 4, sides, b""),
        joined(b"anna-1 sox a.wav -t wav - |\nben-1 FOLDER/a.wav\n", b"anna-1 a\nben-1 b\n"),
    ]


def _lhotse(folder: Path, data: bytes) -> None:
    _audio(folder)
    kind, rest = chosen(data, ("both", "cuts"))
    names = LHOTSE if kind == "both" else ("cuts.jsonl",)
    for name, content in zip(names, parted(rest, len(names)), strict=True):
        (folder / name).write_bytes(content)
    _again(read_corpus(folder, layout="lhotse"), folder, ".csv")


def _lhotse_seeds(folder: Path) -> Sequence[bytes]:
    del folder
    source = {"type": "file", "channels": [0], "source": "a.wav"}
    recording = {"id": "call", "sources": [source], "sampling_rate": 8000, "duration": 0.1}
    supervisions = [
        {"id": "anna-1", "recording_id": "call", "start": 0.0, "duration": 0.1, "channel": 0},
        {"id": "ben-1", "recording_id": "call", "start": 0.02, "duration": 0.05, "channel": 0},
    ]
    for one in supervisions:
        one |= {"speaker": one["id"][:-2], "gender": "f", "text": "so it is"}  # type: ignore[index]
    cut = {"id": "c", "start": 0.01, "recording": recording, "supervisions": supervisions}
    both = joined(
        json.dumps(recording).encode() + b"\n",
        b"".join(json.dumps(one).encode() + b"\n" for one in supervisions),
    )
    kinds = ("both", "cuts")
    return [
        choosing("both", kinds, both),
        choosing("cuts", kinds, json.dumps(cut).encode()),
        b"\1" + DEEP,
    ]


def _audiofolder(folder: Path, data: bytes) -> None:
    _audio(folder)
    _audio(folder, "train/a.wav")
    name, rest = chosen(data, METADATA)
    root, split = parted(rest, 2)
    (folder / name).write_bytes(root)
    if split:
        (folder / "train" / name).write_bytes(split)
    corpus = read_corpus(folder, layout="audiofolder")
    for leftover in (folder / name, folder / "train" / name):
        leftover.unlink(missing_ok=True)
    _again(corpus, folder, "audiofolder")


def _audiofolder_seeds(folder: Path) -> Sequence[bytes]:
    write_audiofolder(_corpus(folder), folder)
    table = (folder / "metadata.csv").read_bytes()
    rows = [{"file_name": "a.wav", "speaker": s, "id": s, "start": 0.01, "end": 0.05} for s in "ab"]
    lines = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    return [
        choosing("metadata.csv", METADATA, joined(table, b"")),
        choosing("metadata.csv", METADATA, joined(table, b"file_name,speaker\na.wav,cleo\n")),
        choosing("metadata.jsonl", METADATA, joined(lines, b"")),
        choosing("metadata.jsonl", METADATA, DEEP),
    ]


def _table(folder: Path, data: bytes) -> None:
    _audio(folder)
    suffix, rest = chosen(data, TABLES)
    path = folder / f"corpus{suffix}"
    path.write_bytes(rest)
    corpus = read_corpus(path, layout="table")
    _again(corpus, folder, ".csv")
    _again(corpus, folder, ".parquet")


def _table_seeds(folder: Path) -> Sequence[bytes]:
    corpus = _corpus(folder)
    seeds = []
    for suffix in (".csv", ".parquet"):
        write_table(corpus, folder / f"t{suffix}")
        seeds.append(choosing(suffix, TABLES, (folder / f"t{suffix}").read_bytes()))
    tabs = b'utt\tpath\tspeaker\tsex\ttext\tstart\tend\na1\ta.wav\tanna\tF\t"a ""b"" c"\t0\t0.05\n'
    lines = b'{"audio": "a.wav", "spk": "anna", "text": "so", "start": 0.01, "end": null}\n'
    odd = b'path;speaker;transcript\r\na.wav;anna;"two\nlines"\r\n'
    seeds += [choosing(".tsv", TABLES, tabs), choosing(".jsonl", TABLES, lines)]
    return [*seeds, choosing(".csv", TABLES, odd), choosing(".jsonl", TABLES, DEEP)]


def _librispeech(folder: Path, data: bytes) -> None:
    root = folder / "dev"
    _audio(root, "84/121/84-121-0000.wav")
    _audio(root, "85/122/85-122-0000.wav")
    transcripts, speakers, metadata = parted(data, 3)
    (root / "84/121/84-121.trans.txt").write_bytes(transcripts)
    (root / "SPEAKERS.TXT").write_bytes(speakers)
    if metadata:
        (root / "metadata.tsv").write_bytes(metadata)
    _again(read_corpus(root, layout="librispeech"), root, ".csv")


def _librispeech_seeds(folder: Path) -> Sequence[bytes]:
    del folder
    return [
        joined(
            b"84-121-0000 GO DO YOU HEAR\n84-121-0001 BUT IN LESS THAN FIVE MINUTES\n",
            b"; READERS\n84 | F | dev-clean | 8.02 | Anna\n85 | M | dev-clean | 8.1 | Ben\n",
            b"utt\tspeaker\tgender\ttranscript\n85-122-0000\t85\tm\tso\n",
        )
    ]


def _commands(folder: Path, data: bytes) -> None:
    del folder
    programs = stages(data.decode("utf-8", "surrogateescape"))
    import shlex

    again = " | ".join(shlex.join(words) for words in programs)
    assert stages(again) == programs, again


def _command_seeds(folder: Path) -> Sequence[bytes]:
    del folder
    return [
        b'sph2pipe -f wav -p -c 1 \'a b.sph\' | sox -t wav - -r 16000 "x\\"y.wav" vol 0.5',
        b"flac -c -d -s a\\ b.flac",
    ]


_JSON = (b'"', b"\\u0000", b"\\ud800", b"null", b"true", b"1e400", b"-1", b"[", b"{", b"NaN")

TARGETS = (
    Target(
        "kaldi",
        _kaldi,
        _kaldi_seeds,
        (b"FOLDER/a.wav", b"FOLDER/b.wav", b" |", b"anna-1", b"-1", b".ark:12", b"\x1c", b"1e400"),
        smoke=120,
    ),
    Target("lhotse", _lhotse, _lhotse_seeds, (*_JSON, b'"transforms"', b'"command"', b'"a.wav"')),
    Target("audiofolder", _audiofolder, _audiofolder_seeds, (*_JSON, b"file_name", b"../", b'""')),
    Target("table", _table, _table_seeds, (*_JSON, b"path", b"speaker", b"gender", b"PAR1", b";")),
    Target(
        "librispeech",
        _librispeech,
        _librispeech_seeds,
        (b" | ", b"84-121-0000", b"\x1c"),
        smoke=100,
    ),
    Target(
        "commands",
        _commands,
        _command_seeds,
        (b" | ", b"$(", b"`", b"\\", b"'", b'"', b"#", b"&&", b"\n"),
        refusals=(ItemFault,),
        smoke=1000,
    ),
)
