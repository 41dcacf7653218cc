"""The page as text: one file, a strict policy, and no name that is ever markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import fields, is_dataclass, replace
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import page_study
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pseudovoice.page import Study, page_html, write_page
from pseudovoice.page.encode import quantise, study_json
from pseudovoice.page.html import SCRIPTS, STYLES
from pseudovoice.page.study import Fact, Matrices, Person


class Parsed(HTMLParser):
    """Elements with their attributes, and the text inside scripts, styles and the title."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inside: list[tuple[str, dict[str, str | None], str]] = []
        self._open: str | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag in ("script", "style", "title"):
            self._open = tag
            self.inside.append((tag, dict(attrs), ""))

    def handle_data(self, data: str) -> None:
        if self._open:
            tag, attributes, text = self.inside[-1]
            self.inside[-1] = (tag, attributes, text + data)

    def handle_endtag(self, tag: str) -> None:
        if tag == self._open:
            self._open = None


@pytest.fixture(scope="module")
def parsed(html: str) -> Parsed:
    return Parsed(html)


def directives(parsed: Parsed) -> dict[str, str]:
    content = next(
        a["content"]
        for tag, a in parsed.elements
        if tag == "meta" and a.get("http-equiv") == "Content-Security-Policy"
    )
    assert content is not None
    return dict(part.strip().partition(" ")[::2] for part in content.split(";"))


def digest(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def test_the_policy_allows_this_script_and_style_and_nothing_else(parsed: Parsed) -> None:
    policy = directives(parsed)
    scripts = [text for tag, a, text in parsed.inside if tag == "script" and not a]
    styles = [text for tag, a, text in parsed.inside if tag == "style"]
    assert len(scripts) == len(styles) == 1
    assert policy == {
        "default-src": "'none'",
        "script-src": digest(scripts[0]),
        "style-src": digest(styles[0]),
        "img-src": "data:",
        "media-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }


def test_the_policy_stands_before_anything_it_governs(parsed: Parsed) -> None:
    tags = [tag for tag, _ in parsed.elements]
    assert tags[:4] == ["html", "head", "meta", "meta"]
    assert parsed.elements[3][1]["http-equiv"] == "Content-Security-Policy"


def test_names_of_the_data_make_no_element(parsed: Parsed) -> None:
    assert [tag for tag, _ in parsed.elements if tag == "img"] == []
    kinds = [a.get("type") for tag, a, _ in parsed.inside if tag == "script"]
    assert kinds == ["application/json", None]
    for tag, attributes in parsed.elements:
        assert not any(name.startswith("on") or name == "style" for name in attributes), tag
        for name in ("src", "href"):
            assert (attributes.get(name) or "#").startswith("#")


def test_title_and_data_come_back_as_they_were(parsed: Parsed, study: Study) -> None:
    assert [text for tag, _, text in parsed.inside if tag == "title"] == [study.title]
    data = next(text for tag, a, text in parsed.inside if a.get("type") == "application/json")
    tree = page_study.restored(json.loads(data)["study"])
    assert tree["title"] == study.title == f"Awkward {page_study.MARKUP} {{{{data}}}}"
    assert {p["id"] for p in tree["people"]} == set(page_study.SPEAKERS)
    assert [s["name"] for s in tree["safeguards"]] == [page_study.SAFEGUARD, page_study.PLAIN]


@settings(max_examples=20)
@given(st.text(st.characters(codec=None), max_size=40))
def test_no_text_leaves_the_data_block(text: str) -> None:
    nothing = _nothing(text)
    written = study_json(nothing)
    assert written.isascii()
    assert not set("<>&") & set(written)
    assert page_study.restored(json.loads(written)["study"])["people"][0]["id"] == text
    page = page_html(nothing)
    page.encode("utf-8")
    assert page.count("<script") == page.count("</script>") == 2


def test_nobody_is_called_anonymous(html: str) -> None:
    assert "anonymous" not in html.lower()


def test_no_place_on_the_machine_and_no_bad_file_is_named(html: str) -> None:
    assert "secret/folder" not in html
    assert "1 recording could not be used" in html


def test_the_same_study_gives_the_same_bytes(study: Study, html: str, tmp_path: Path) -> None:
    write_page(tmp_path / "report.html", study)
    assert (tmp_path / "report.html").read_bytes() == html.encode()
    assert page_html(study) == html


def test_the_page_asks_for_nothing_and_makes_no_markup_of_strings() -> None:
    assets = files("pseudovoice.page") / "assets"
    listed = {f"{n}.js" for n in SCRIPTS} | {f"{n}.css" for n in STYLES} | {"skeleton.html"}
    assert {entry.name for entry in assets.iterdir()} == listed
    banned = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|fetch\(|"
        r"XMLHttpRequest|sendBeacon|WebSocket|EventSource|import\(|localStorage|createContextual|"
        r"https?:(?!//www\.w3\.org/2000/svg)|@import|@font-face"
    )
    for name in sorted(listed):
        text = (assets / name).read_text(encoding="utf-8")
        assert not (found := banned.search(text)), f"{name}: {found and found.group()}"
        assert "</script" not in text or name == "skeleton.html"


@given(
    st.lists(st.floats(0, 1), min_size=4, max_size=4),
    st.sampled_from([8, 16]),
)
def test_a_similarity_survives_to_half_a_step(values: list[float], bits: int) -> None:
    matrix = np.array(values).reshape(2, 2)
    matrix[1, 1] = np.nan
    steps = np.frombuffer(quantise(matrix, bits), "<u2" if bits == 16 else "u1")
    top = 2**bits - 2
    assert np.abs(steps[:3] / top - matrix.ravel()[:3]).max() <= 0.5 / top + 1e-12
    assert steps[3] == top + 1  # no value


def test_original_similarities_are_stored_once_for_all_safeguards(study: Study) -> None:
    stored = json.loads(study_json(study))
    tree, arrays = page_study.restored(stored["study"]), stored["arrays"]
    first, second = (s["matrices"] for s in tree["safeguards"])
    assert [m["oo"] for m in first] == [m["oo"] for m in second]
    assert all(a["op"] != b["op"] for a, b in zip(first, second, strict=True))
    setups = len(first)
    assert len(arrays) == 5 * setups  # OO shared, OP and PP of either safeguard


def test_columns_hold_every_record(study: Study) -> None:
    """What the page restores is the tree, field by field, with numbers to five digits."""

    def alike(record: Any, plain: Any) -> None:
        if is_dataclass(record):
            assert set(plain) == {f.name for f in fields(record)}
            for f in fields(record):
                alike(getattr(record, f.name), plain[f.name])
        elif isinstance(record, tuple):
            assert len(record) == len(plain)
            for one, other in zip(record, plain, strict=True):
                alike(one, other)
        elif isinstance(record, dict):
            assert record.keys() == plain.keys()
            for name in record:
                alike(record[name], plain[name])
        elif isinstance(record, float):
            assert plain == pytest.approx(record, rel=1e-4)
        elif isinstance(record, bytes):
            assert base64.b64decode(plain) == record
        elif isinstance(record, np.ndarray):
            assert isinstance(plain["array"], int)
        else:
            assert plain == record

    alike(study, page_study.restored(json.loads(study_json(study))["study"]))


def test_two_hundred_speakers_stay_under_ten_megabytes(study: Study) -> None:
    """Three safeguards, two recognisers, every group, every speaker's row, clips to the limit."""
    from pseudovoice.page.clips import MOST_BYTES

    rng = np.random.default_rng(0)
    names = tuple(f"speaker-{k:03d}" for k in range(200))
    one = study.safeguards[1]

    def matrices(group: str, encoder: str, oo: np.ndarray) -> Matrices:
        n = oo.shape[0]
        op, pp = rng.uniform(size=(2, n, n))
        order = tuple(range(n))
        return Matrices(group, encoder, names[:n], oo, op, pp, order, "geometric", "x" * 600)

    sizes = {"all": 200, "f": 100, "m": 100}
    shared = {(g, e): rng.uniform(size=(n, n)) for e in ("clear", "deaf") for g, n in sizes.items()}
    row, zoo = one.speakers[0], one.zoos[0]
    large = [
        replace(
            one,
            name=f"safeguard {k}",
            matrices=tuple(matrices(g, e, oo) for (g, e), oo in shared.items()),
            zoos=tuple(
                replace(
                    zoo,
                    group=g,
                    encoder=e,
                    condition=c,
                    speakers=names[:n],
                    mated=tuple(rng.normal(size=n).tolist()),
                    nonmated=tuple(rng.normal(size=n).tolist()),
                    animal=("chameleon",) * n,
                )
                for e in ("clear", "deaf")
                for g, n in sizes.items()
                for c in ("oo", "op", "pp", "pq")
            ),
            speakers=tuple(
                replace(row, speaker=name, group=g, encoder=e, attacker=a)
                for e in ("clear", "deaf")
                for a in ("ignorant", "lazy", "semi")
                for g, n in sizes.items()
                for name in names[:n]
            ),
        )
        for k in range(3)
    ]
    clip = study.clips[0]
    size = len(clip.audio) + len(clip.spectrogram)
    heard = [
        replace(clip, speaker=names[k % 200], safeguard="s") for k in range(4 * MOST_BYTES // size)
    ]
    people = tuple(Person(name, "f", 5) for name in names)
    page = page_html(replace(study, people=people, safeguards=tuple(large), clips=tuple(heard)))
    assert len(page) < 10_000_000


def _nothing(text: str) -> Study:
    from pseudovoice.page.study import CorpusFacts

    return Study(
        title=text,
        corpus=CorpusFacts(text, 1, 1),
        comparisons="",
        people=(Person(text, None, 1),),
        safeguards=(),
        clips=(),
        published=(),
        annex=(),
        limits=(),
        not_tested=(),
        references=(),
        warnings=(text,),
        provenance=(Fact(text, text),),
        glossary=(),
    )
