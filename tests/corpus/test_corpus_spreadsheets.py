"""Tables as spreadsheets write them, and names with accents, however they are spelt."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest

from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.errors import InputError

NFC, NFD = (unicodedata.normalize(form, "Müller") for form in ("NFC", "NFD"))


def table(folder: Path, text: str, encoding: str, name: str = "list.csv") -> Corpus:
    (folder / name).write_bytes(text.encode(encoding))
    return read_corpus(folder / name)


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "utf-8-sig", "utf-16", "utf-16-le-bom"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_table_as_excel_writes_it(
    encoding: str, delimiter: str, end: str, tmp_path: Path, record: Callable
) -> None:
    record(tmp_path / "Größe.wav")
    rows = (("path", "speaker", "text"), ("Größe.wav", "Jürgen Weiß", "für 5 €"))
    text = "".join(delimiter.join(row) + end for row in rows)
    if encoding == "utf-16-le-bom":
        text, encoding = "\ufeff" + text, "utf-16-le"
    corpus = table(tmp_path, text, encoding)
    assert corpus.problems == ()
    (utterance,) = corpus
    assert (utterance.id, utterance.speaker) == ("Größe", "Jürgen Weiß")
    assert utterance.transcript == "für 5 €"


def test_unicode_text_and_the_line_for_excel(tmp_path: Path, record: Callable) -> None:
    record(tmp_path / "a.wav")
    text = "path\tspeaker\r\na.wav\tZoë\r\n"
    assert list(table(tmp_path, text, "utf-16", "list.txt").speakers) == ["Zoë"]
    text = "sep=;\r\npath;speaker\r\na.wav;Zoë\r\n"
    assert list(table(tmp_path, text, "cp1252").speakers) == ["Zoë"]


def test_one_bad_line_does_not_make_utf8_something_else(tmp_path: Path, record: Callable) -> None:
    record(tmp_path / "a.wav")
    good, bad = "path,speaker\na.wav,Zoë\n".encode(), b"a.wav,Zo\xeb\n"
    (tmp_path / "list.csv").write_bytes(good + bad)
    corpus = read_corpus(tmp_path / "list.csv")
    assert list(corpus.speakers) == ["Zoë"]
    (problem,) = corpus.problems
    assert "list.csv:3: the line is not UTF-8 text" in str(problem)


def test_a_decimal_comma_is_one_where_cells_are_not_parted_by_it(
    tmp_path: Path, record: Callable
) -> None:
    record(tmp_path / "a.wav")
    (one,) = table(tmp_path, "path;speaker;start;end\na.wav;anna;0,1;0,35\n", "cp1252")
    assert (one.start, one.end) == (0.1, 0.35)
    with pytest.raises(InputError, match=r"the start '0,1' is not a number"):
        table(tmp_path, 'path,speaker,start,end\na.wav,anna,"0,1",0.3\n', "utf-8")


def test_two_parts_of_a_file_are_two_ids(tmp_path: Path, record: Callable) -> None:
    record(tmp_path / "talk.wav")
    record(tmp_path / "other.wav")
    rows = "talk.wav,anna,0,0.2\ntalk.wav,ben,0.2,0.4\nother.wav,ben,0.1,0.3\n"
    corpus = table(tmp_path, "path,speaker,start,end\n" + rows, "utf-8")
    assert list(corpus.by_id) == ["talk-0000000", "talk-0000200", "other-0000100"]
    assert corpus.problems == ()
    # Where every file is named once its name is enough.
    rows = "talk.wav,anna,0,0.2\nother.wav,ben,0.1,0.3\n"
    corpus = table(tmp_path, "path,speaker,start,end\n" + rows, "utf-8")
    assert list(corpus.by_id) == ["talk", "other"]


def test_the_same_part_twice_is_a_duplicate(tmp_path: Path, record: Callable) -> None:
    record(tmp_path / "talk.wav")
    rows = "talk.wav,anna,0.1,0.2\ntalk.wav,anna,0.1,0.2\n"
    corpus = table(tmp_path, "path,speaker,start,end\n" + rows, "utf-8")
    assert list(corpus.by_id) == ["talk-0000100"]
    assert "is a duplicate of" in str(corpus.problems[0])


@pytest.mark.parametrize(("listed", "there"), [(NFC, NFD), (NFD, NFC)])
def test_a_table_finds_files_in_the_other_spelling(
    listed: str, there: str, tmp_path: Path, record: Callable
) -> None:
    record(tmp_path / there / f"{there}.wav")
    record(tmp_path / "plain.wav")
    text = f"path,speaker\n{listed}/{listed}.wav,{listed}\nplain.wav,{there}\n"
    corpus = table(tmp_path, text, "utf-8")
    assert corpus.problems == ()
    assert list(corpus.speakers) == [NFC]
    assert list(corpus.by_id) == [NFC, "plain"]
    absolute = f"path,speaker\n{tmp_path}/{listed}/{listed}.wav,x\n"
    assert len(table(tmp_path, absolute, "utf-8")) == 1
    (tmp_path / "kaldi").mkdir()
    (tmp_path / "kaldi" / "wav.scp").write_text(f"u {tmp_path}/{listed}/{listed}.wav\n")
    (tmp_path / "kaldi" / "utt2spk").write_text(f"u {listed}\n")
    assert list(read_corpus(tmp_path / "kaldi").speakers) == [NFC]


def test_another_spelling_does_not_lead_out_of_the_corpus(tmp_path: Path, record: Callable) -> None:
    corpus = tmp_path / "corpus"
    record(corpus / "a.wav")
    (corpus / f"{NFD}.wav").symlink_to(record(tmp_path / "outside.wav"))
    read = table(corpus, f"path,speaker\na.wav,x\n{NFC}.wav,x\n", "utf-8")
    assert list(read.by_id) == ["a"]
    assert "is a link that leaves the corpus" in str(read.problems[0])


def test_nobody_counts_twice_in_a_tree(tmp_path: Path, record: Callable) -> None:
    record(tmp_path / "t" / NFC / "a.wav")
    record(tmp_path / "t" / NFD / "b.wav")
    (tmp_path / "t" / "metadata.csv").write_text(f"speaker,gender\n{NFD},w\n", encoding="utf-8")
    corpus = read_corpus(tmp_path / "t")
    assert corpus.genders == {NFC: "f"}
    assert len(corpus) == 2
