"""No spreadsheet runs what we write, and what we read is what was written."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from pseudovoice.cells import FORMULA, as_cell, as_path_cell, from_cell
from pseudovoice.corpus import read_corpus, write_audiofolder, write_table
from pseudovoice.release.listing import write_listing
from pseudovoice.slicing.table import Origin, read_table
from pseudovoice.slicing.table import write_table as write_undo_table

EVIL = ("=1+1", "+cmd", "-foo", "@SUM(A1)", "'=quoted", "''-twice", "＝1")
PLAIN = ("-5", "+3.25", "-1e-3", "'tis", "a=b", "O'Neil", "")

cells = st.text(st.sampled_from("=+-@'a1.e\t\r\n＝ "), max_size=6) | st.text(max_size=6)


@given(cells)
def test_every_text_comes_back(text: str) -> None:
    assert from_cell(as_cell(text)) == text


@given(cells)
def test_no_cell_begins_like_a_formula_unless_it_is_a_number(text: str) -> None:
    cell = as_cell(text)
    if cell.startswith(FORMULA):
        float(cell)
    assert not as_path_cell(text).startswith(FORMULA)


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_harmless_stays_as_it_is(text: str) -> None:
    assert as_cell(text) == text


@pytest.mark.parametrize("text", EVIL)
def test_what_would_be_run_is_marked(text: str) -> None:
    assert as_cell(text) == f"'{text}"


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """A tree whose speakers, sessions and files have such names, and transcripts beside it."""
    root = tmp_path / "corpus"
    lines = ["utt\tspeaker\tgender\ttranscript"]
    for k, name in enumerate(EVIL):
        folder = root / name
        folder.mkdir(parents=True)
        soundfile.write(folder / f"-u{k}.wav", [0.1, -0.1] * 800, 16000)
        lines.append(f"{as_cell(f'-u{k}')}\t{as_cell(name)}\tf\t{as_cell(f'=said {name}')}")
    (root / "metadata.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return root


def harmless(path: Path, delimiter: str = ",") -> None:
    text = path.read_text(encoding="utf-8")
    for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter):
        for cell in row:
            assert not cell.startswith(FORMULA) or re.fullmatch(r"[+-][\d.]+", cell), row


def test_listings_come_back_and_run_nothing(evil: Path) -> None:
    corpus = read_corpus(evil)
    assert sorted(corpus.speakers) == sorted(EVIL)
    assert {u.transcript for u in corpus} == {f"=said {name}" for name in EVIL}
    told = {(u.id, u.speaker, u.transcript, u.path) for u in corpus}
    write_audiofolder(corpus, evil)
    write_table(corpus, evil / "corpus.csv")
    harmless(evil / "metadata.csv")
    harmless(evil / "corpus.csv")
    for place, layout in ((evil, "audiofolder"), (evil / "corpus.csv", "table")):
        again = read_corpus(place, layout=layout)
        assert not again.problems
        assert {(u.id, u.speaker, u.transcript, u.path) for u in again} == told
    # Names of files are paths, for whoever reads the listing.
    with (evil / "metadata.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            assert (evil / row["file_name"]).is_file()


def test_the_listing_of_protected_speech(evil: Path) -> None:
    corpus = read_corpus(evil)
    (evil / "metadata.tsv").unlink()
    write_listing(replace(corpus, root=evil), "folder", evil, rename=False)
    harmless(evil / "metadata.tsv", "\t")
    again = read_corpus(evil)
    assert not again.problems
    assert [(u.id, u.speaker, u.transcript) for u in again] == [
        (u.id, u.speaker, u.transcript) for u in corpus
    ]


def test_the_table_that_undoes_slices(tmp_path: Path) -> None:
    origins = [
        Origin(f"slice-{k}", f"-u{k}", k, 0.5, 1.5, name, name, f"={name}")
        for k, name in enumerate(EVIL)
    ]
    write_undo_table(origins, tmp_path / "undo.csv")
    harmless(tmp_path / "undo.csv")
    assert sorted(read_table(tmp_path / "undo.csv"), key=lambda o: o.position) == origins
