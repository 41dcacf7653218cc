"""A folder of files without a listing, and what is said of who speaks in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pseudovoice.corpus import read_corpus
from pseudovoice.errors import InputError, UsageError


@pytest.fixture
def flat(tmp_path: Path, record: Callable) -> Path:
    for name in ("anna_1.wav", "anna-2.flac", "Jörg Groß 3.wav", "solo.wav", "later/anna 4.wav"):
        record(tmp_path / "flat" / name)
    return tmp_path / "flat"


def speakers(flat: Path, speaker_from: str) -> dict[str, list[str]]:
    corpus = read_corpus(flat, speaker_from=speaker_from)
    assert corpus.layout == "flat"
    assert corpus.problems == ()
    return {name: [u.id for u in group] for name, group in corpus.speakers.items()}


def test_by_name(flat: Path) -> None:
    assert speakers(flat, "name") == {
        "Jörg": ["Jörg Groß 3"],
        "anna": ["anna-2", "anna_1", "anna 4"],
        "solo": ["solo"],
    }


def test_by_file(flat: Path) -> None:
    found = speakers(flat, "file")
    assert len(found) == 5
    assert all(ids == [name] for name, ids in found.items())


def test_all_are_one_person(flat: Path) -> None:
    assert list(speakers(flat, "Frau Özil")) == ["Frau Özil"]
    with pytest.raises(InputError, match=r"the speaker 'a/b' contains a path separator; rename it"):
        read_corpus(flat, speaker_from="a/b")


def test_one_file(flat: Path) -> None:
    (only,) = read_corpus(flat / "anna_1.wav", speaker_from="name")
    assert (only.id, only.speaker) == ("anna_1", "anna")


def test_a_listing_says_it_itself(flat: Path) -> None:
    (flat / "metadata.csv").write_text("file_name,speaker\nsolo.wav,ben\n")
    with pytest.raises(UsageError, match=r"its listing says who speaks; leave out `speaker_from`"):
        read_corpus(flat, speaker_from="file")


@pytest.mark.parametrize(
    ("name", "text", "advice"),
    [
        ("Übersicht.csv", "file;speaker;text\r\nsolo.wav;Jörg;Grüße\r\n", "give the table 'Über"),
        ("metadata.csv", "file;speaker\r\nsolo.wav;Jörg\r\n", "give the table 'metadata.csv'"),
        ("Liste.xlsx", "PK", "save 'Liste.xlsx' as CSV, if it says who speaks, and give that"),
        ("notes.csv", "day;weather\r\n1;rain\r\n", "make a folder for each speaker"),
    ],
)
def test_a_table_beside_the_files_is_named(flat: Path, name: str, text: str, advice: str) -> None:
    (flat / name).write_bytes(text.encode("cp1252"))
    (problem,) = read_corpus(flat).problems
    assert "4 audio files lie outside any speaker's folder" in str(problem)
    assert f"'solo.wav'); {advice}" in str(problem)
    assert "or say who speaks with `speaker_from`" in str(problem)
