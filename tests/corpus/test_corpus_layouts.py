"""Each layout is read for what it is, and two layouts at once are a question to the user."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from pseudovoice.choices import LAYOUTS
from pseudovoice.corpus import detect, load, read_corpus
from pseudovoice.corpus.naming import ids_from_paths
from pseudovoice.errors import InputError


def facts(path: Path, **options: object) -> dict[str, tuple[object, ...]]:
    """Speaker, session, gender and transcript of each utterance of a corpus without problems."""
    corpus = read_corpus(path, **options)
    assert corpus.problems == ()
    assert all(u.path.is_absolute() for u in corpus)
    return {u.id: (u.speaker, u.session, u.gender, u.transcript) for u in corpus}


def test_folder(tree: Path, record: Callable) -> None:
    record(tree / "anna" / "monday" / "deeper" / "a2.ogg")
    (tree / "notes.txt").write_text("not audio")
    (tree / ".git" / "x").mkdir(parents=True)
    assert detect(tree) == "folder"
    assert facts(tree) == {
        "a1": ("anna", None, None, None),
        "a2": ("anna", "monday", None, None),
        "b1": ("ben", None, None, None),
    }


def test_folder_with_clashing_names_uses_the_path(tmp_path: Path, record: Callable) -> None:
    for name in ("anna/001", "ben/001", "ben/s2/001", "ben/002", "ben/ben-7", "ben/benno"):
        record(tmp_path / f"{name}.wav")
    assert list(facts(tmp_path)) == [
        "anna-001",
        "ben-001",
        "ben-002",
        "ben-7",
        "ben-benno",
        "ben-s2-001",
    ]


def test_ids_of_a_copy_that_lacks_a_file_stay_the_same() -> None:
    paths = [Path("anna/001.wav"), Path("ben/001.wav"), Path("anna/002.wav"), Path("ben/002.wav")]
    speakers = ["anna", "ben", "anna", "ben"]
    whole = ids_from_paths(paths, speakers)
    assert ids_from_paths(paths[1:], speakers[1:]) == whole[1:]


def test_folder_metadata_by_id_by_path_and_by_speaker(tree: Path) -> None:
    (tree / "metadata.tsv").write_text(
        'path\tsex\ttext\nanna/a1.wav\tFemale\t"Well," she said\nben/b1.flac\t?\t"quoted ""x"""\n'
    )
    found = facts(tree)
    assert found["a1"] == ("anna", None, "f", '"Well," she said')
    assert found["b1"] == ("ben", None, None, 'quoted "x"')
    (tree / "metadata.tsv").write_text("speaker\tgender\nanna\tF\nben\tnonbinary\n")
    assert [row[2] for row in facts(tree).values()] == ["f", "nonbinary"]


def test_librispeech(tmp_path: Path, record: Callable) -> None:
    root = tmp_path / "LibriSpeech"
    record(root / "dev-clean" / "84" / "121" / "84-121-0000.flac")
    record(root / "dev-clean" / "174" / "50" / "174-50-0000.flac")
    (root / "dev-clean" / "84" / "121" / "84-121.trans.txt").write_text("84-121-0000 GO ON\n")
    (root / "SPEAKERS.TXT").write_text(";ID |SEX| …\n84   | F | dev-clean | 8 | A\n174|M|x|y|z\n")
    expected = {
        "174-50-0000": ("174", "50", "m", None),
        "84-121-0000": ("84", "121", "f", "GO ON"),
    }
    assert detect(root) == detect(root / "dev-clean") == "librispeech"
    assert facts(root) == facts(root / "dev-clean") == expected


def test_librispeech_problems(tmp_path: Path, record: Callable) -> None:
    record(tmp_path / "84" / "121" / "84-121-0000.flac")
    record(tmp_path / "84" / "stray.flac")
    (tmp_path / "84" / "121" / "84-121.trans.txt").write_text("84-121-0000\n")
    (tmp_path / "SPEAKERS.TXT").write_text("84 F\n")
    corpus = read_corpus(tmp_path)
    assert list(corpus.by_id) == ["84-121-0000"]
    first, second, third = map(str, corpus.problems)
    assert "SPEAKERS.TXT:1: the line does not name a speaker and a gender; write:" in first
    assert "84-121.trans.txt:1: the line has no transcript; write: id, space, text" in second
    assert "1 audio file is not in speaker/chapter/ ('84/stray.flac'); move them, or" in third


def kaldi(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("scp", "wav.scp")).write_bytes(content.encode())
    return folder


def test_kaldi(tree: Path) -> None:
    data = kaldi(
        tree.parent / "data",
        scp=f"a1\t{tree}/anna/a1.wav\nb1  {tree}/ben/b1.flac\n",
        utt2spk="a1 anna\nb1 ben\n",
        spk2utt="anna a1\nben b1\n",
        spk2gender="anna f\nben m\n",
        text="a1 HELLO  THERE\nb1\n",
    )
    assert detect(data) == "kaldi"
    assert facts(data) == {
        "a1": ("anna", None, "f", "HELLO  THERE"),
        "b1": ("ben", None, "m", None),
    }


def test_kaldi_segments_and_spk2utt_alone(tree: Path) -> None:
    data = kaldi(
        tree.parent / "data",
        scp=f"r {tree}/anna/a1.wav\n",
        segments="u1 r 0 0.25\nu2 r 0.25 -1\nu3 r 0 -1\n",
        spk2utt="anna u1 u2\nben u3\n",
    )
    assert facts(data)["u2"] == ("anna", "r", None, None)
    corpus = read_corpus(data)
    assert [(u.start, u.end) for u in corpus] == [(0, 0.25), (0.25, None), (None, None)]
    assert [load(u, sample_rate=16000).size for u in corpus] == [4000, 4000, 8000]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_byte_order_mark_and_windows_line_ends(tree: Path, mark: str, ending: str) -> None:
    data = kaldi(
        tree.parent / "data",
        scp=f"{mark}a1 {tree}/anna/a1.wav\n\n".replace("\n", ending),
        utt2spk=f"{mark}a1 anna\n".replace("\n", ending),
    )
    assert facts(data) == {"a1": ("anna", None, None, None)}
    text = f"{mark}utt,path,speaker\na1,anna/a1.wav,anna\n".replace("\n", ending)
    (tree / "list.csv").write_bytes(text.encode())
    assert facts(tree / "list.csv") == {"a1": ("anna", None, None, None)}


def test_kaldi_paths_from_here_then_from_the_data_folder(
    tree: Path, record: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = kaldi(tree.parent / "data", scp="a1 anna/a1.wav\nx x.wav\n", utt2spk="a1 a\nx x\n")
    record(data / "x.wav")
    monkeypatch.chdir(tree)
    found = {u.id: u.path for u in read_corpus(data)}
    assert found == {"a1": tree / "anna" / "a1.wav", "x": data / "x.wav"}


def test_kaldi_without_what_it_needs(tree: Path) -> None:
    with pytest.raises(InputError, match=r"has no wav\.scp; give the Kaldi data folder itself"):
        read_corpus(tree, layout="kaldi")
    data = kaldi(tree.parent / "data", scp="a1 x.wav\n")
    with pytest.raises(InputError, match="has neither utt2spk nor spk2utt, so no speaker is known"):
        read_corpus(data)


def test_audiofolder_csv_and_splits(tree: Path, record: Callable) -> None:
    (tree / "metadata.csv").write_text(
        'file_name,speaker_id,gender,transcription\nanna/a1.wav,anna,F,"Hi, all"\n'
    )
    split = record(tree / "ben" / "b2.wav").parent
    rows = [{"file_name": "b2.wav", "speaker": 7, "id": "two"}, {"file_name": "b1.flac"}]
    (split / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert detect(tree) == "audiofolder"
    corpus = read_corpus(tree)
    assert {u.id: (u.speaker, u.gender, u.transcript) for u in corpus} == {
        "a1": ("anna", "f", "Hi, all"),
        "two": ("7", None, None),
    }
    assert "metadata.jsonl:2: the speaker is empty" in str(corpus.problems[0])


def test_audiofolder_without_metadata(tree: Path) -> None:
    with pytest.raises(InputError, match=r"has no metadata\.csv or metadata\.jsonl with a column"):
        read_corpus(tree, layout="audiofolder")


TABLE = {
    "utt": ["a1", "b1"],
    "audio": ["anna/a1.wav", "ben/b1.flac"],
    "SPK": ["anna", "ben"],
    "session": ["one", None],
    "gender": ["f", "m"],
    "text": ["Hi, «you»", None],
    "start": [0.1, None],
    "end": [0.4, None],
}


@pytest.mark.parametrize(
    ("name", "separator"), [("t.csv", ","), ("t.tsv", "\t"), ("t.csv", ";"), ("t.parquet", "")]
)
def test_table(tree: Path, name: str, separator: str) -> None:
    path = tree / name
    if separator:
        rows = [list(TABLE), *zip(*TABLE.values(), strict=True)]
        cells = [["" if cell is None else f'"{cell}"' for cell in row] for row in rows]
        path.write_text("".join(separator.join(row) + "\n" for row in cells))
    else:
        pyarrow.parquet.write_table(pyarrow.table(TABLE), path)
    assert detect(path) == "table"
    assert facts(path) == {
        "a1": ("anna", "one", "f", "Hi, «you»"),
        "b1": ("ben", None, "m", None),
    }
    corpus = read_corpus(path)
    assert corpus.name == "t"
    assert load(corpus.by_id["a1"], sample_rate=16000).size == 4800


def test_table_with_absolute_paths_and_without_ids(tree: Path) -> None:
    table = tree.parent / "elsewhere" / "t.csv"
    table.parent.mkdir()
    table.write_text(f"path,speaker\n{tree}/anna/a1.wav,anna\n{tree}/ben/b1.flac,ben\n")
    assert list(facts(table)) == ["a1", "b1"]


def test_transcript_over_several_lines(tree: Path) -> None:
    (tree / "t.csv").write_text('path,speaker,text\nanna/a1.wav,anna,"one\n\ntwo"\n')
    assert facts(tree / "t.csv")["a1"][3] == "one\n\ntwo"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", r"t\.csv: is empty; give a table with a header line"),
        ("a1,anna/a1.wav,anna\n", r"the first line has none of the columns utt, path and speaker"),
        ("utt,path,path,speaker\n", r"the first line has the column 'path' twice; rename one"),
        ("utt,path\na1,anna/a1.wav\n", r"no usable utterance; .* the speaker is empty"),
        ("utt,path,speaker\n", r"no usable utterance; it should have the columns utt, path and"),
    ],
)
def test_table_with_nothing_usable(tree: Path, content: str, sentence: str) -> None:
    (tree / "t.csv").write_text(content)
    with pytest.raises(InputError, match=sentence):
        read_corpus(tree / "t.csv")


def test_folder_that_a_table_describes(tree: Path) -> None:
    (tree / "corpus.tsv").write_text("id\tpath\tspeaker\nx\tanna/a1.wav\tsomebody\n")
    assert detect(tree) == "table"
    read = read_corpus(tree)
    assert [(u.id, u.speaker) for u in read] == [("x", "somebody")]


def test_table_that_is_no_table(tree: Path) -> None:
    (tree / "t.parquet").write_bytes(b"PAR1 but not really")
    with pytest.raises(InputError, match=r"t\.parquet: cannot be read as Parquet \(.*\); write"):
        read_corpus(tree / "t.parquet")
    with pytest.raises(InputError, match="is a folder, not a table; give the CSV, TSV or Parquet"):
        read_corpus(tree, layout="table")
    (tree / "t.xlsx").write_bytes(b"PK")
    with pytest.raises(InputError, match=r"t\.xlsx: is not a table that can be read; use \.csv, "):
        read_corpus(tree / "t.xlsx", layout="table")


def lhotse_recording(path: Path) -> dict[str, object]:
    source = {"type": "file", "channels": [0], "source": str(path)}
    return {"id": "r", "sources": [source], "sampling_rate": 16000, "duration": 0.5}


def test_lhotse_recordings_and_supervisions(tree: Path) -> None:
    folder = tree.parent / "manifests"
    folder.mkdir()
    recording = json.dumps(lhotse_recording(tree / "anna" / "a1.wav")) + "\n"
    (folder / "x_recordings_dev.jsonl.gz").write_bytes(gzip.compress(recording.encode()))
    times = {"u1": (0.0, 0.5), "u2": (0.25, 0.25)}
    lines = [
        {"id": name, "recording_id": "r", "start": start, "duration": duration, "channel": 0}
        | {"speaker": "anna", "gender": "female", "text": "HI"}
        for name, (start, duration) in times.items()
    ]
    (folder / "x_supervisions_dev.jsonl").write_text("".join(json.dumps(x) + "\n" for x in lines))
    assert detect(folder) == "lhotse"
    assert facts(folder)["u2"] == ("anna", "r", "f", "HI")
    corpus = read_corpus(folder)
    assert [(u.start, u.end) for u in corpus] == [(None, None), (0.25, 0.5)]


def test_lhotse_cuts(tree: Path) -> None:
    path = tree.parent / "cuts.jsonl"
    supervision = {"id": "u1", "start": 0.1, "duration": 0.2, "speaker": "anna"}
    cut = {"id": "c", "start": 0.1, "duration": 0.4, "supervisions": [supervision]}
    lines = [{**cut, "recording": lhotse_recording(tree / "anna" / "a1.wav")}, {"type": "MixedCut"}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert detect(path) == "lhotse"
    corpus = read_corpus(path)
    (found,) = corpus.utterances
    assert (found.start, found.end) == (pytest.approx(0.2), pytest.approx(0.4))
    assert "cuts.jsonl:2: the cut has no recording of its own" in str(corpus.problems[0])


def test_lhotse_commands_follow_the_same_rule(tree: Path) -> None:
    path = tree.parent / "cuts.jsonl"
    source = {"type": "command", "channels": [0], "source": f"cat {tree}/anna/a1.wav"}
    recording = {"id": "r", "sources": [source], "duration": 0.5}
    supervision = {"id": "u1", "start": 0, "duration": 0.5, "speaker": "anna"}
    cut = {"id": "c", "start": 0, "recording": recording, "supervisions": [supervision]}
    path.write_text(json.dumps(cut) + "\n")
    with pytest.raises(InputError, match="`allow_commands=True`"):
        read_corpus(path)
    (found,) = read_corpus(path, allow_commands=True).utterances
    assert load(found, sample_rate=16000).size == 8000


def test_lhotse_without_manifests(tree: Path) -> None:
    with pytest.raises(InputError, match="has neither recordings with supervisions nor cuts"):
        read_corpus(tree, layout="lhotse")


def test_two_layouts_at_once_are_a_question(tree: Path) -> None:
    (tree / "wav.scp").write_text("a1 anna/a1.wav\n")
    (tree / "metadata.csv").write_text("file_name,speaker\nanna/a1.wav,anna\n")
    with pytest.raises(InputError) as caught:
        read_corpus(tree)
    assert "could be read as kaldi (wav.scp) and audiofolder (metadata.csv)" in str(caught.value)
    assert 'with `layout="kaldi"` or `layout="audiofolder"`.' in str(caught.value)
    assert read_corpus(tree, layout="audiofolder").layout == "audiofolder"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_has_a_reader(layout: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        read_corpus(tmp_path, layout=layout)


def test_what_is_no_corpus(tree: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"gone: does not exist; give the folder or table"):
        read_corpus(tmp_path / "gone")
    with pytest.raises(InputError, match=r"a1\.wav: is a single audio file; give the folder"):
        read_corpus(tree / "anna" / "a1.wav")
    (tmp_path / "notes.md").write_text("x")
    with pytest.raises(InputError, match="is neither a folder nor a table"):
        read_corpus(tmp_path / "notes.md")
    (tmp_path / "Liste.xlsx").write_bytes(b"PK")
    with pytest.raises(InputError, match=r"Liste\.xlsx: is a workbook; save the sheet as CSV"):
        read_corpus(tmp_path / "Liste.xlsx")
    with pytest.raises(InputError, match="is a file, but the layout folder is a folder"):
        read_corpus(tmp_path / "notes.md", layout="folder")
    with pytest.raises(InputError, match=f"There is no layout 'tar'; use one of {LAYOUTS[0]}, "):
        read_corpus(tree, layout="tar")
    (tmp_path / "empty").mkdir()
    with pytest.raises(
        InputError, match="no usable utterance; put audio files into one folder per"
    ):
        read_corpus(tmp_path / "empty")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_folder_is_a_problem(tree: Path) -> None:
    (tree / "ben").chmod(0)
    try:
        corpus = read_corpus(tree)
    finally:
        (tree / "ben").chmod(0o700)
    assert "ben: cannot be listed (Permission denied)" in str(corpus.problems[0])
