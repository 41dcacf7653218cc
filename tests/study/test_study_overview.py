"""The page above several sets: no script, and names are names."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from studies import AWKWARD

from pseudovoice.page import Study
from pseudovoice.report.papers import PaperCell, PaperLine, PaperTable
from pseudovoice.study.overview import overview_html

TABLE = PaperTable(
    2,
    "Title",
    ("DeID [%]",),
    (
        PaperLine(AWKWARD, "B2 & co", "(0.584, 3.979, C)", (PaperCell("53.51", "[1, 2]", True),)),
        PaperLine(AWKWARD, "B2r", "(0.584, 3.979, C)", (PaperCell("–"),)),
    ),
)


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text += data


def page() -> str:
    study = SimpleNamespace(
        corpus=SimpleNamespace(name=AWKWARD, speakers=3, utterances=1200),
        safeguards=[SimpleNamespace(name=AWKWARD, headline="a \u202eheadline")],
        slices=[],
    )
    return overview_html(AWKWARD, [cast(Study, study)], [Path("report-01-x.html")], [TABLE])


def test_names_make_no_element_and_nothing_runs() -> None:
    parsed = Tags(page())
    assert "img" not in parsed.tags
    assert "script" not in parsed.tags
    assert parsed.text.count(AWKWARD) == 5
    assert "default-src 'none'" in page()
    assert "\u202e" not in page()


def test_a_set_is_named_once_with_its_unprotected_figures() -> None:
    parsed = Tags(page())
    assert parsed.text.count("(0.584, 3.979, C)") == 1
    assert "53.51°" in parsed.text
    assert 'href="report-01-x.html"' in page()
