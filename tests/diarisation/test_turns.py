"""Turns and strips, and the files they are kept in."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pseudovoice.diarisation import Turn, Turns
from pseudovoice.diarisation.formats import FORMATS, read_turns, write_each, write_turns
from pseudovoice.errors import InputError, UsageError

TOLD = Turns.of(
    "Gespräch_1", [Turn(0.5, 4.25, "Müller"), Turn(4.0, 7.125, "B"), Turn(9.0, 9.5, "Müller")]
)


def test_strips_cover_all_and_say_who() -> None:
    strips = TOLD.strips(12.0)
    assert [(s.start, s.end, s.people) for s in strips] == [
        (0.0, 0.5, ()),
        (0.5, 4.0, ("Müller",)),
        (4.0, 4.25, ("B", "Müller")),
        (4.25, 7.125, ("B",)),
        (7.125, 9.0, ()),
        (9.0, 9.5, ("Müller",)),
        (9.5, 12.0, ()),
    ]


def test_turns_beyond_the_recording_are_cut_off() -> None:
    assert [(s.end, s.people) for s in TOLD.strips(6.0)][-1] == (6.0, ("B",))
    assert Turns("r", ()).strips(3.0)[0].people == ()


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 20), st.sampled_from("abc"))))
def test_strips_say_what_turns_say(told: list[tuple[int, int, str]]) -> None:
    turns = Turns.of("r", [Turn(a, a + n, who) for a, n, who in told])
    strips = turns.strips(60)
    assert strips[0].start == 0
    assert strips[-1].end == 60
    for before, after in itertools.pairwise(strips):
        assert before.end == after.start
        assert before.people != after.people
    for strip in strips:
        middle = (strip.start + strip.end) / 2
        assert set(strip.people) == {who for a, n, who in told if a <= middle < a + n}


@pytest.mark.parametrize("kind", FORMATS)
def test_what_is_written_is_read_again(kind: str, tmp_path: Path) -> None:
    nobody = Turns("Regen", ())
    (path, silent) = write_each([TOLD, nobody], tmp_path, kind)
    assert read_turns(path) == {"Gespräch_1": TOLD}
    assert read_turns(silent) == {"Regen": nobody}
    assert read_turns(tmp_path) == {"Gespräch_1": TOLD, "Regen": nobody}


def test_nobody_speaks_stands_among_turns_too(tmp_path: Path) -> None:
    nobody = Turns("Regen", ())
    write_turns([nobody, TOLD], tmp_path / "x.rttm")
    assert read_turns(tmp_path / "x.rttm") == {"Regen": nobody, "Gespräch_1": TOLD}


@pytest.mark.parametrize("suffix", [".rttm", ".txt", ".jsonl"])
def test_an_empty_file_is_of_the_recording_it_is_named_after(suffix: str, tmp_path: Path) -> None:
    (tmp_path / f"Regen im Mai{suffix}").write_text("\n")
    assert read_turns(tmp_path) == {"Regen_im_Mai": Turns("Regen_im_Mai", ())}


def test_a_file_of_something_else_tells_of_no_recording(tmp_path: Path) -> None:
    (tmp_path / "x.rttm").write_text("Dear Anna,\nthe turns are in the other file.\n")
    assert read_turns(tmp_path / "x.rttm") == {}


def test_rttm_is_that_of_nist(tmp_path: Path) -> None:
    write_turns([TOLD], tmp_path / "x.rttm")
    first = (tmp_path / "x.rttm").read_text().splitlines()[0]
    assert first == "SPEAKER Gespräch_1 1 0.500 3.750 <NA> <NA> Müller <NA> <NA>"


def test_rttm_of_others(tmp_path: Path) -> None:
    text = (
        ";; a comment\nSPKR-INFO f 1 <NA> <NA> <NA> unknown a <NA>\n"
        "SPEAKER f 1 1.5 2 <NA> <NA> a <NA>\n\nSPEAKER g 1 0 1 <NA> <NA> b <NA> <NA>\n"
    )
    (tmp_path / "x.rttm").write_text(text)
    found = read_turns(tmp_path / "x.rttm")
    assert found["f"].turns == (Turn(1.5, 3.5, "a"),)
    assert found["g"].people == ("b",)


def test_audacity_of_others(tmp_path: Path) -> None:
    (tmp_path / "i.txt").write_text("0,5\t1,5\tA\n\\\t100\t200\n2.0\t3.0\tB b\n")
    assert read_turns(tmp_path / "i.txt")["i"].turns == (Turn(0.5, 1.5, "A"), Turn(2, 3, "B_b"))


def test_elan_has_a_tier_for_each_person(tmp_path: Path) -> None:
    write_turns([TOLD], tmp_path / "x.eaf")
    root = ElementTree.parse(tmp_path / "x.eaf").getroot()
    assert [tier.get("TIER_ID") for tier in root.iter("TIER")] == ["Müller", "B"]
    assert len(list(root.iter("TIME_SLOT"))) == 6


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.rttm", "SPEAKER a 1 0 1\n", r"a\.rttm:1: has 5 fields instead of at least 8; correct"),
        ("a.rttm", "SPEAKER a 1 x 1 - - b -\n", r"rttm:1: has 'x' where a time in seconds should"),
        ("a.rttm", "SPEAKER a 1 -1 1 - - b -\n", r"has the time -1, which lies in no recording"),
        ("a.rttm", "SPEAKER a 1 0 nan - - b -\n", r"has the time nan, which lies in no recording"),
        ("a.txt", "1\t2\tA\n0 1 A\n", r"a\.txt:2: is no label \(start, end and person"),
        ("a.txt", "2\t1\tA\n", r"a\.txt:1: ends at 1 s, before it begins at 2 s; correct it"),
        ("a.txt", "1\t2\t\n", r"a\.txt:1: does not say who speaks"),
        ("a.jsonl", "{\n", r"a\.jsonl:1: is no JSON"),
        ("a.jsonl", "[]\n", r"a\.jsonl:1: is no supervision; correct it"),
        ("a.jsonl", "{}\n", r"a\.jsonl:1: does not say which recording it is of"),
        ("a.eaf", "<x", r"a\.eaf: is no XML"),
        ("a.eaf", "<x/>", r"a\.eaf: is no document of annotations"),
        ("a.eaf", "<!DOCTYPE x><x/>", r"declares a document type, which no file of ELAN does"),
        ("a.srt", "", r"a\.srt: turns are kept in files that end in \.rttm \(rttm\), \.txt"),
    ],
)
def test_every_sentence(name: str, text: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises((InputError, UsageError), match=sentence):
        read_turns(tmp_path / name)


def test_sentences_of_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.rttm: cannot be read \(No such file"):
        read_turns(tmp_path / "none.rttm")
    with pytest.raises(InputError, match="the folder holds no file of turns"):
        read_turns(tmp_path)
    (tmp_path / "latin.txt").write_bytes("0\t1\tMüller\n".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin\.txt: is not text in UTF-8; save it so"):
        read_turns(tmp_path / "latin.txt")
    (tmp_path / "latin.txt").unlink()
    write_turns([TOLD], tmp_path / "a.rttm")
    write_turns([TOLD], tmp_path / "b.rttm")
    with pytest.raises(InputError, match=r"b\.rttm: the turns of Gespräch_1 are in another file"):
        read_turns(tmp_path)
    with pytest.raises(UsageError, match="holds one recording, and there are 2; name a folder"):
        write_turns([TOLD, TOLD], tmp_path / "a.eaf")
    row = {"recording_id": "r", "start": 0, "duration": 1}
    (tmp_path / "x.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(InputError, match=r"x\.jsonl:1: does not say who speaks"):
        read_turns(tmp_path / "x.jsonl")


def test_names_with_blanks_can_be_read_again(tmp_path: Path) -> None:
    file = tmp_path / "turns.rttm"
    write_turns([Turns.of("Gespräch mit Jürgen", [Turn(0.0, 1.0, "Frau  Ö")])], file)
    (found,) = read_turns(file).values()
    assert found == Turns.of("Gespräch_mit_Jürgen", [Turn(0.0, 1.0, "Frau_Ö")])
