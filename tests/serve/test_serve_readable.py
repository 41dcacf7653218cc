"""Which folders are read: those that were chosen, to the end of every link."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from loopback_client import Client

from pseudovoice.corpus import Corpus, Utterance
from pseudovoice.errors import InputError, UsageError
from pseudovoice.serve.job import run
from pseudovoice.serve.plan import RunRequest
from pseudovoice.serve.readable import ReadableFolders, check_links, confined

OUTSIDE = "lies outside"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A root with a corpus, and a neighbour that nobody chose, with links to it."""
    root, secret = tmp_path / "root", tmp_path / "rooted-elsewhere"
    for folder in (root / "speech" / "anna", secret / "diary"):
        folder.mkdir(parents=True)
    (root / "speech" / "anna" / "01.wav").write_bytes(b"RIFF")
    (root / "speech" / "notes.txt").write_text("x", encoding="utf-8")
    (root / ".hidden").mkdir()
    (root / "link").symlink_to(secret)
    (root / "speech" / "above").symlink_to("..")
    (root / "loop").symlink_to(root / "loop")
    return root


@pytest.mark.parametrize(
    "wish",
    [
        "..",
        "../rooted-elsewhere",
        "speech/../../rooted-elsewhere",
        "link",
        "link/diary",
        "speech/above/link/diary",
        "/",
        "/etc",
        "{root}/../rooted-elsewhere",
        "{root}-elsewhere",
        "~",
        "~root",
        "//etc",
    ],
)
def test_ways_out_are_closed(tree: Path, tmp_path: Path, serve: Any, wish: str) -> None:
    wish = wish.format(root=tree)
    readable = ReadableFolders.at(tmp_path / "out", [tree])
    with pytest.raises(InputError, match=OUTSIDE):
        readable.chosen(wish)
    client: Client = serve(tree)
    answer = client.get(f"folders?path={quote(wish, safe='')}")
    assert answer.status == 422
    assert OUTSIDE in answer.sentence
    start = client.post("run/start", {"original": wish, "protected": "speech"})
    assert start.status == 422
    assert OUTSIDE in start.sentence


def test_what_lies_outside_is_not_told_from_what_does_not_exist(tree: Path, tmp_path: Path) -> None:
    readable = ReadableFolders.at(tmp_path / "out", [tree])
    said = []
    for wish in ("../rooted-elsewhere", "../nothing-is-there"):
        with pytest.raises(InputError) as error:
            readable.chosen(wish)
        said.append(str(error.value).replace(wish, ""))
    assert said[0] == said[1]


@pytest.mark.parametrize(
    ("wish", "says"),
    [
        ("", "No folder is named"),
        ("  ", "No folder is named"),
        ("nothing", "does not exist"),
        ("speech/notes.txt", "is a file"),
        ("a\0b", "NUL"),
        ("x" * 5000, "cannot be used|does not exist"),
        ("loop", "does not exist|cannot be used"),
        ("\ud800", "cannot be used"),
    ],
)
def test_other_wrong_wishes_get_a_sentence(
    tree: Path, tmp_path: Path, wish: str, says: str
) -> None:
    with pytest.raises(InputError, match=says) as error:
        ReadableFolders.at(tmp_path / "out", [tree]).chosen(wish)
    assert str(error.value).endswith(".")


def test_ways_inside_are_open(tree: Path, tmp_path: Path) -> None:
    readable = ReadableFolders.at(tmp_path / "out", [tree])
    speech = Path(os.path.realpath(tree / "speech"))
    for wish in ("speech", "./speech/", str(tree / "speech"), "speech/above/speech"):
        assert readable.chosen(wish) == speech


def test_a_listing_shows_folders_and_counts_the_rest(tree: Path, tmp_path: Path) -> None:
    readable = ReadableFolders.at(tmp_path / "out", [tree])
    top = readable.listing(str(tree))
    assert top.folders == ("speech",)
    assert (top.up, top.outside, top.recordings) == (None, 1, 0)
    anna = readable.listing("speech/anna")
    assert (anna.up, anna.recordings) == (Path(os.path.realpath(tree / "speech")), 1)


def test_roots_and_results_are_checked_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="is not a folder"):
        ReadableFolders.at(tmp_path / "out", [tmp_path / "nowhere"])
    with pytest.raises(UsageError, match="is a file"):
        ReadableFolders.at(tmp_path / "file", [])


def test_a_listing_cannot_name_recordings_outside(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "b.wav").write_bytes(b"")
    (inside / "link.wav").symlink_to(outside / "b.wav")
    corpus = Corpus(
        "c",
        inside,
        tuple(
            Utterance(f"u{k}", "s", path)
            for k, path in enumerate((inside / "a.wav", outside / "b.wav", inside / "link.wav"))
        ),
    )
    kept = confined(corpus, [inside])
    assert [utterance.id for utterance in kept] == ["u0"]
    assert [OUTSIDE in str(problem) for problem in kept.problems] == [True, True]
    with pytest.raises(InputError, match="no recording is left"):
        confined(corpus.subset(ids=["u1"]), [inside])


def test_a_listing_that_is_a_link_to_elsewhere_is_not_opened(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "diary.txt"
    (inside / "anna").mkdir(parents=True)
    outside.write_text("dear diary", encoding="utf-8")
    (inside / "text").symlink_to(inside / "anna")  # within: nothing against it
    check_links(inside, [inside])
    (inside / "anna" / "metadata.csv").symlink_to(outside)
    with pytest.raises(InputError, match="is a link that leaves"):
        check_links(inside, [inside])
    plan = RunRequest(inside, inside / "anna", "title", "mcadams", ("ge2e",))
    with pytest.raises(InputError, match="is a link that leaves") as error:
        run(plan, tmp_path / "run", [inside], lambda _: None, 1)
    assert "dear" not in str(error.value)


@pytest.mark.parametrize(
    "path",
    [
        "report/../report.html",
        "report/..%2Freport.html",
        "report/%2e%2e/report.html",
        "report/link/report.html",
        "report/run/unfinished.json",
        "report/report.html%00",
        "report/linked/report.html",
        "report/a/b/report.html",
        "report/",
        "report",
        "..%2f..%2fetc%2fpasswd",
        "recording.js/..%2f..%2fpage.py",
        "%ff%fe",
    ],
)
def test_reports_come_from_the_folder_of_results_only(
    serve: Any, tmp_path: Path, path: str
) -> None:
    out = tmp_path / "out"
    (out / "run").mkdir(parents=True)
    (out / "linked").mkdir()
    (out / "run" / "unfinished.json").write_text("{}", encoding="utf-8")
    (out / "run" / "report.html").write_text("<title>fine</title>", encoding="utf-8")
    (tmp_path / "report.html").write_text("<title>secret</title>", encoding="utf-8")
    (out / "link").symlink_to(tmp_path)
    (out / "linked" / "report.html").symlink_to(tmp_path / "report.html")
    client: Client = serve()
    answer = client.get(path)
    assert answer.status in (400, 404)
    assert b"secret" not in answer.body
    assert client.get("report/run/report.html").body == b"<title>fine</title>"
    assert [report["title"] for report in client.get("report-list").tree["reports"]] == ["fine"]
