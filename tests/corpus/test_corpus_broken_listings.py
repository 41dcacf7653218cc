"""Every kind of broken manifest and table: one sentence each, and the rest survives."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from pseudovoice.corpus import examine, load, read_corpus, write_table
from pseudovoice.errors import InputError


def kaldi(root: Path, **files: str | bytes) -> Path:
    """A data directory with the two good utterances, and more lines for some files."""
    data = root.parent / "data"
    data.mkdir()
    lines: dict[str, bytes] = {
        "wav.scp": f"a1 {root}/anna/a1.wav\nb1 {root}/ben/b1.flac\n".encode(),
        "utt2spk": b"a1 anna\nb1 ben\n",
    }
    for name, more in files.items():
        key = {"scp": "wav.scp"}.get(name, name)
        more = more.encode() if isinstance(more, str) else more
        lines[key] = lines.get(key, b"") + more.replace(b"ROOT", os.fsencode(root))
    for name, content in lines.items():
        (data / name).write_bytes(content)
    return data


def segmented(line: str, **files: str) -> Callable[[Path], Path]:
    """A data directory with segments: two good ones and one more line."""
    whole = "a1 a1 0 -1\nb1 b1 0.1 0.4\n"
    utt2spk = files.pop("utt2spk", "x anna\n")
    return lambda root: kaldi(root, segments=whole + line, utt2spk=utt2spk, **files)


def table(more: str | bytes, name: str = "list.csv", sep: str = ",") -> Callable[[Path], Path]:
    """A table with the two good utterances and more lines."""

    def make(root: Path) -> Path:
        columns = ["utt", "path", "speaker", "start", "end", "gender"]
        rows = [columns, ["a1", "anna/a1.wav", "anna", "", "", "f"]]
        rows.append(["b1", "ben/b1.flac", "ben", "", "", "m"])
        text = "".join(sep.join(row) + "\n" for row in rows).encode()
        (root / name).write_bytes(text + (more.encode() if isinstance(more, str) else more))
        return root / name

    return make


def audiofolder(row: str) -> Callable[[Path], Path]:
    """An AudioFolder with the two good utterances and one more row."""

    def make(root: Path) -> Path:
        text = "file_name,speaker\nanna/a1.wav,anna\nben/b1.flac,ben\n"
        (root / "metadata.csv").write_text(text + row)
        return root

    return make


def lhotse(
    recording: object = None, supervision: object = None, raw: bytes = b""
) -> Callable[[Path], Path]:
    """Manifests with the two good utterances, one more recording and one more supervision."""

    def make(root: Path) -> Path:
        folder = root.parent / "manifests"
        folder.mkdir()
        recordings, supervisions = [], []
        for name, speaker, suffix in (("a1", "anna", "wav"), ("b1", "ben", "flac")):
            source = {
                "type": "file",
                "channels": [0],
                "source": f"{root}/{speaker}/{name}.{suffix}",
            }
            recordings.append({"id": name, "sources": [source], "duration": 0.5})
            supervisions.append(said(name, recording_id=name, speaker=speaker))
        recordings += [recording] if recording else []
        supervisions += [supervision] if supervision else []
        text = "".join(json.dumps(record) + "\n" for record in recordings)
        (folder / "x_recordings.jsonl").write_text(text.replace("ROOT", str(root)))
        text = "".join(json.dumps(record) + "\n" for record in supervisions)
        (folder / "x_supervisions.jsonl").write_bytes(text.encode() + raw)
        return folder

    return make


def said(name: str, **fields: object) -> dict[str, object]:
    """A supervision."""
    return {"id": name, "start": 0.0, "duration": 0.5, "speaker": "anna", **fields}


def held(name: str, **fields: object) -> dict[str, object]:
    """A recording of a good file."""
    source = {"type": "file", "channels": [0], "source": "ROOT/anna/a1.wav"}
    return {"id": name, "sources": [source], "duration": 0.5, **fields}


def parquet_with_bytes(root: Path) -> Path:
    """A Hugging Face table whose second half carries the audio itself."""
    audio = pyarrow.array([{"bytes": b"RIFF"}])
    split = root / "raw"
    split.mkdir()
    columns = {"file_name": ["x"], "audio": audio, "speaker": ["anna"]}
    pyarrow.parquet.write_table(pyarrow.table(columns), split / "metadata.parquet")
    (root / "metadata.csv").write_text("file_name,speaker\nanna/a1.wav,anna\nben/b1.flac,ben\n")
    return root


def damaged_split(root: Path) -> Path:
    """A metadata file that is cut off inside its compressed columns."""
    parquet_with_bytes(root)
    columns = {"file_name": [f"x{i}" for i in range(9999)], "speaker": ["anna"] * 9999}
    path = root / "raw" / "metadata.parquet"
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    content = path.read_bytes()
    path.write_bytes(content[:10] + b"\xff" * 3000 + content[3010:])
    return root


def broken_gzip(root: Path) -> Path:
    """Supervisions whose compressed file lost its last bytes."""
    folder = lhotse()(root)
    path = folder / "x_supervisions.jsonl"
    path.with_suffix(".jsonl.gz").write_bytes(gzip.compress(path.read_bytes())[:-6])
    path.unlink()
    return folder


def endless_line(root: Path) -> Path:
    """A compressed manifest of a few kilobytes, the first line of which is larger than any is."""
    folder = lhotse()(root)
    path = folder / "x_supervisions.jsonl"
    endless = b'{"id": "' + b"x" * (17 << 20) + b'"}\n'
    path.with_suffix(".jsonl.gz").write_bytes(gzip.compress(endless + path.read_bytes()))
    path.unlink()
    return folder


IN_A_LISTING: dict[str, tuple[Callable[[Path], Path], str]] = {
    "one field in utt2spk": (
        lambda root: kaldi(root, utt2spk="lonely\n"),
        r"utt2spk:3: the line has only one field, 'lonely'; write two fields",
    ),
    "invalid UTF-8": (
        lambda root: kaldi(root, utt2spk=b"x\xff anna\n"),
        r"utt2spk:3: the line is not UTF-8 text; save the file as UTF-8",
    ),
    "NUL in an id": (
        lambda root: kaldi(root, scp="x\0y ROOT/anna/a1.wav\n", utt2spk="x\0y anna\n"),
        r"wav\.scp:3: the id 'x\\x00y' contains a control character; rename it",
    ),
    "unit separator in an id": (
        lambda root: kaldi(root, scp="x\x1fy ROOT/anna/a1.wav\n", utt2spk="x\x1fy anna\n"),
        r"wav\.scp:3: the id 'x\\x1fy' contains a control character",
    ),
    "path as an id": (
        lambda root: kaldi(root, scp="../x ROOT/anna/a1.wav\n", utt2spk="../x anna\n"),
        r"the id '\.\./x' contains a path separator",
    ),
    "path as a speaker": (
        lambda root: kaldi(root, scp="x ROOT/anna/a1.wav\n", utt2spk="x ..\n"),
        r"the speaker '\.\.' begins with a dot; rename it",
    ),
    "missing file": (
        lambda root: kaldi(root, scp="x gone.wav\n", utt2spk="x anna\n"),
        r"wav\.scp:3: \S+gone\.wav does not exist; correct the path",
    ),
    "folder instead of a file": (
        lambda root: kaldi(root, scp="x ROOT/anna\n", utt2spk="x anna\n"),
        r"wav\.scp:3: \S+anna is a folder, not an audio file",
    ),
    "path through a file": (
        lambda root: kaldi(root, scp="x ROOT/anna/a1.wav/x.wav\n", utt2spk="x anna\n"),
        r"wav\.scp:3: \S+ cannot be opened \(Not a directory\); correct the path",
    ),
    "NUL in a path": (
        lambda root: kaldi(root, scp="x ROOT/x\0.wav\n", utt2spk="x anna\n"),
        r"wav\.scp:3: .* cannot be opened \(embedded null byte\)",
    ),
    "duplicate id": (
        lambda root: kaldi(root, scp="a1 ROOT/ben/b1.flac\n"),
        r"wav\.scp:3: 'a1' is a duplicate of \S+wav\.scp:1; keep one",
    ),
    "duplicate speaker line": (
        lambda root: kaldi(root, utt2spk="a1 ben\n"),
        r"utt2spk:3: 'a1' is a duplicate of \S+utt2spk:1",
    ),
    "no speaker": (
        lambda root: kaldi(root, scp="x ROOT/anna/a1.wav\ny ROOT/anna/a1.wav\n"),
        r"utt2spk: 2 utterances have no speaker here \('x', 'y'\); add a line",
    ),
    "no audio": (
        lambda root: kaldi(root, utt2spk="x anna\n"),
        r"utt2spk: 1 utterance has no usable audio in wav\.scp and segments \('x'\)",
    ),
    "spk2utt disagrees": (
        lambda root: kaldi(root, spk2utt="anna b1\nben a1\n"),
        r"spk2utt: 2 utterances are listed differently than in utt2spk \('a1', 'b1'\); make it",
    ),
    "two speakers in spk2utt": (
        lambda root: kaldi(root, spk2utt="anna a1\nben b1 a1\n"),
        r"spk2utt:2: 'a1' belongs to 'anna' already; list every utterance under one speaker",
    ),
    "archive": (
        lambda root: kaldi(root, scp="x raw.ark:1234\n"),
        r"wav\.scp:3: 'raw\.ark:1234' is a Kaldi archive or standard input",
    ),
    "archive without an offset": (
        lambda root: kaldi(root, scp="x raw.ark\n"),
        r"wav\.scp:3: 'raw\.ark' is a Kaldi archive or standard input",
    ),
    "archive with a range": (
        lambda root: kaldi(root, scp="x raw.ark:12[0:9]\n"),
        r"wav\.scp:3: 'raw\.ark:12\[0:9\]' is a Kaldi archive or standard input",
    ),
    "name too long": (
        lambda root: kaldi(root, scp=f"x {'y' * 300}\n", utt2spk="x anna\n"),
        r"wav\.scp:3: \S+ cannot be opened \(File name too long\); correct the path",
    ),
    "command": (
        lambda root: kaldi(root, scp="x cat ROOT/anna/a1.wav |\n"),
        r"output of the command 'cat .*', which is not run; pass `allow_commands=True`",
    ),
    "segment ends before it starts": (
        segmented("x a1 0.4 0.2\n"),
        r"segments:3: the segment ends at 0\.2 s, not after its start at 0\.4 s",
    ),
    "negative start": (
        segmented("x a1 -3 0.2\n"),
        r"segments:3: the start -3 s is not a time in the file; give seconds from the",
    ),
    "infinite end": (segmented("x a1 0 inf\n"), r"segments:3: the end inf s is not a time"),
    "segment beyond the end": (
        segmented("x a1 0.2 0.9\n"),
        r"a1\.wav \(x: 0\.2 s to 0\.9 s\): the segment lies outside the file, .* 0\.50 s; correct",
    ),
    "segment after the end": (segmented("x a1 7 -1\n"), r"7 s to the end\): the segment lies out"),
    "short segment": (segmented("x a1 0.2 0.21\n"), r"lasts 0\.0100 s \(160 samples\)"),
    "unknown recording": (
        segmented("x nobody 0 1\n"),
        r"segments:3: the recording 'nobody' is not in wav\.scp or could not be used",
    ),
    "segment of two fields": (
        segmented("x a1\n"),
        r"segments:3: a segment needs 4 fields, this line has 2; write: utterance recording",
    ),
    "segment with a channel": (
        segmented("x a1 0 0.5 B\n"),
        r"segments:3: 'B' is no channel of a recording; give its number, the first is 0",
    ),
    "segment on a channel too many": (
        segmented("x a1 0 0.5 1\n"),
        r"segments:3: the recording 'a1' has 1 channel\(s\), so there is no channel 1",
    ),
    "side of a recording": (
        lambda root: kaldi(
            root, scp="x ROOT/ben/b1.flac\n", utt2spk="x ben\n", reco2file_and_channel="x x -\n"
        ),
        r"reco2file_and_channel:1: '-' is no side of a recording; write A or B",
    ),
    "segment after the end of time": (
        segmented("x a1 1e308 -1\n"),
        r"1e\+308 s to the end\): the segment lies outside the file",
    ),
    "segment with words": (segmented("x a1 a b\n"), r"segments:3: 'a' and 'b' are not two times"),
    "path that leaves the corpus": (
        table("x,../outside.wav,anna,,,\n"),
        r"list\.csv:4: the path '\.\./outside\.wav' leaves the corpus folder",
    ),
    "NUL in a table's path": (
        table("x,a\0b.wav,anna,,,\n"),
        r"list\.csv:4: the path '.*' contains a NUL character; correct the path",
    ),
    "newline in an id": (
        table('"x\ny",anna/a1.wav,anna,,,\n'),
        r"list\.csv:4: the id 'x\\ny' contains a line break",
    ),
    "empty speaker": (table("x,anna/a1.wav,,,,\n"), r"list\.csv:4: the speaker is empty; give"),
    "empty path": (table("x,,anna,,,\n"), r"list\.csv:4: the path is empty; name the audio file"),
    "missing cells": (
        table("x,anna/a1.wav\n"),
        r"list\.csv:4: the row has 2 cells, the header has 6; quote cells",
    ),
    "forgotten quotation mark": (
        table('x,"anna/a1.wav,anna,,,\n'),
        r"list\.csv:4: the row is not well-formed \(.*\); correct the quotes",
    ),
    "start that is no number": (
        table("x,anna/a1.wav,anna,early,,\n"),
        r"list\.csv:4: the start 'early' is not a number; give seconds",
    ),
    "duplicate row": (
        table("a1,anna/a1.wav,anna,,,\n"),
        r"list\.csv:4: the id 'a1' is a duplicate of \S+list\.csv:2",
    ),
    "two genders": (
        table("x,anna/a1.wav,anna,,,m\n"),
        r"the speaker 'anna' has more than one gender \(f, m\); correct it",
    ),
    "bad bytes in a table": (
        table(b"x\x81,anna/a1.wav,anna,,,\n", "list.tsv", "\t"),
        r"list\.tsv:4: the line is not UTF-8",
    ),
    "AudioFolder that leaves": (
        audiofolder("../x.wav,anna\n"),
        r"metadata\.csv:4: the path .* leaves the corpus folder .*; move the file",
    ),
    "AudioFolder with an absolute path": (
        audiofolder("/etc/hostname,anna\n"),
        r"metadata\.csv:4: the path '/etc/hostname' leaves the corpus folder",
    ),
    "audio inside Parquet": (
        parquet_with_bytes,
        r"metadata\.parquet, row 1: the column 'audio' holds dict values, not text; save the audio",
    ),
    "damaged Parquet": (damaged_split, r"metadata\.parquet: cannot be read as Parquet \(.*\);"),
    "line that is no JSON": (
        lhotse(raw=b"{oops\n"),
        r"x_supervisions\.jsonl:3: the line is not a JSON object; correct it",
    ),
    "nested JSON": (lhotse(raw=b"[" * 100_000 + b"\n"), r"jsonl:3: the line is not a JSON object"),
    "endless line": (endless_line, r"jsonl\.gz:1: the line is longer than 16 MB; write one entry"),
    "cut-off gzip": (broken_gzip, r"jsonl\.gz: cannot be read to its end \(.*\); restore"),
    "supervision of nothing": (
        lhotse(supervision=said("x", recording_id="nobody")),
        r"jsonl:3: the recording 'nobody' is unknown or unusable",
    ),
    "one of two channels": (
        lhotse(
            held("r", sources=[{"type": "file", "channels": [0, 1], "source": "ROOT/anna/a1.wav"}]),
            said("x", recording_id="r", channel=1),
        ),
        r"jsonl:3: it is one of the 2 channels of its recording; save each channel",
    ),
    "supervision without times": (
        lhotse(supervision=said("x", recording_id="a1", duration="long")),
        r"jsonl:3: duration is not a number of seconds; correct the manifest",
    ),
    "supervision of 400 digits": (
        lhotse(supervision=said("x", recording_id="a1", duration=10**400)),
        r"jsonl:3: duration is not a number of seconds; correct the manifest",
    ),
    "supervision without a speaker": (
        lhotse(supervision=said("x", recording_id="a1", speaker=None)),
        r"jsonl:3: the speaker is empty; give the utterance a speaker",
    ),
    "supervision without an id": (
        lhotse(supervision=said("", recording_id="a1")),
        r"jsonl:3: the id is empty; give the utterance an id",
    ),
    "recording at an address": (
        lhotse(held("r", sources=[{"type": "url", "source": "https://example.org/x.wav"}])),
        r"jsonl:3: the source of type 'url' cannot be read; save the audio as a file",
    ),
    "recording without a source": (
        lhotse(held("r", sources=[])),
        r"jsonl:3: the recording has not exactly one source; join",
    ),
    "recording with transforms": (
        lhotse(held("r", transforms=[{"name": "Speed"}])),
        r"jsonl:3: the recording has transforms; save it as audio with lhotse first",
    ),
}


@pytest.mark.parametrize("case", IN_A_LISTING)
def test_broken_listing_is_a_sentence_and_the_rest_survives(case: str, tree: Path) -> None:
    make, sentence = IN_A_LISTING[case]
    corpus = read_corpus(make(tree))
    found = examine(corpus)
    told = [str(problem) for problem in found.problems if re.search(sentence, str(problem))]
    # A bad entry of wav.scp or segments also leaves its line of utt2spk without audio.
    others = [p for p in map(str, found.problems) if p not in told and "no usable audio" not in p]
    assert len(told) == 1, found.problems
    assert not others
    assert told[0].endswith(".")
    assert "\n" not in told[0]
    for name in ("a1", "b1"):
        assert load(corpus.by_id[name], sample_rate=16000).size >= 4800


def test_ten_thousand_speakers_lose_one_bad_line(tmp_path: Path, record: Callable) -> None:
    wav = record(tmp_path / "x.wav")
    names = [f"u{i:05d}" for i in range(10_000)]
    (tmp_path / "wav.scp").write_text("".join(f"{name} {wav}\n" for name in names))
    lines = [f"{name} s{name}\n" for name in names]
    lines[4711] = "u04711\n"
    (tmp_path / "utt2spk").write_text("".join(lines))
    corpus = read_corpus(tmp_path)
    assert len(corpus) == len(corpus.speakers) == 9_999
    first, second = map(str, corpus.problems)
    assert "utt2spk:4712: the line has only one field, 'u04711'" in first
    assert "1 utterance has no speaker here ('u04711')" in second


@pytest.mark.parametrize("header", ["utt\rpath\tspeaker", "path\tspeaker\t" + "x" * 200_000])
def test_a_header_that_is_no_header_is_a_sentence(tmp_path: Path, header: str) -> None:
    (tmp_path / "list.tsv").write_text(f"{header}\na1\ta.wav\tanna\n", newline="")
    with pytest.raises(InputError, match="the first line is not well-formed"):
        read_corpus(tmp_path / "list.tsv")


@pytest.mark.parametrize("field", ["text", "session", "gender"])
def test_half_a_character_in_a_cell_loses_that_row_only(tree: Path, field: str) -> None:
    rows = [
        {"utt": "a1", "path": "anna/a1.wav", "speaker": "anna", field: "so \ud800"},
        {"utt": "b1", "path": "ben/b1.flac", "speaker": "ben", field: "grüße 😀"},
    ]
    (tree / "list.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    corpus = read_corpus(tree / "list.jsonl")
    assert list(corpus.by_id) == ["b1"]
    assert "contains half a character" in str(corpus.problems[0])
    write_table(corpus, tree / "again.csv")
    assert read_corpus(tree / "again.csv").utterances == corpus.utterances


def test_parquet_text_that_is_not_utf8_is_a_sentence(tree: Path) -> None:
    broken = pyarrow.StringArray.from_buffers(
        1, pyarrow.py_buffer(b"\0\0\0\0\2\0\0\0"), pyarrow.py_buffer(b"\xff\xfe")
    )
    columns = {"path": ["anna/a1.wav"], "speaker": ["anna"], "text": broken}
    pyarrow.parquet.write_table(pyarrow.table(columns), tree / "list.parquet")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        read_corpus(tree / "list.parquet")
