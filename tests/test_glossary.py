"""The glossary, the page made of it, `explain`, and the documents around them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pseudovoice.asr.registry import RECOGNISER_NAMES
from pseudovoice.assessment.conditions import CONDITIONS
from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.metrics import METRICS, direction
from pseudovoice.assessment.speakers import SpeakerRow
from pseudovoice.assessment.zebra import D_ECE_MAX
from pseudovoice.attacks.registry import attackers
from pseudovoice.attacks.verdict import TOO_FEW
from pseudovoice.choices import BACKENDS, MEASURES, SIMILARITIES
from pseudovoice.cli.explain import command
from pseudovoice.encoders.registry import ENCODER_NAMES
from pseudovoice.errors import InputError
from pseudovoice.glossary import TERMS, find
from pseudovoice.glossary.lookup import bare
from pseudovoice.glossary.term import NONE
from pseudovoice.page.annex import ISO, annex_rows
from pseudovoice.safeguards import available

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
DOCUMENTS = [*(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")), *PAGES]


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_has_a_full_entry(metric: str) -> None:
    term = find(metric)
    assert term.name == metric
    for field in ("what", "unit", "range", "direction", "good", "equation", "reference"):
        assert getattr(term, field) != NONE, field
    assert "Caveat" in term.good


@pytest.mark.parametrize("metric", METRICS)
def test_unit_and_range_are_those_of_the_code(metric: str) -> None:
    term, info = find(metric), METRICS[metric]
    assert term.unit.split()[0] == info.unit
    if metric == "tag":
        return
    shown = {0.0: "0", 0.5: "0.5", 1.0: "1", float("inf"): "∞", float("-inf"): "−∞"}
    shown[D_ECE_MAX] = "1/(2 ln 2) = 0.721348" if metric == "d_ece" else "0.721348"
    high = "ceiling" if metric == "l_w" else shown[info.high]
    assert term.range.split(";")[0] == f"{shown[info.low]} … {high}"


@pytest.mark.parametrize("metric", METRICS)
def test_direction_is_that_of_the_table(metric: str) -> None:
    text = find(metric).direction
    lone = {"deid": "op", "deid_log": "op", "deid_d_ece": "op", "deid_cllr_min": "op"}
    lone |= {"g_vd": "pp", "g_vd_log": "pp", "g_d_ece": "pp", "g_cllr_min": "pp"}
    word = {"lower": "earlier", "higher": "later"} if metric == "tag" else {}
    if metric in lone:
        assert direction(metric, lone[metric]) == "higher"
        assert text.startswith("Higher ")
        assert lone[metric].upper() in text
        return
    for condition, label in (("op", "OP and PQ"), ("pq", "OP and PQ"), ("pp", "PP")):
        way = direction(metric, condition)
        assert f"{label}: {word.get(way, way)} " in text


@pytest.mark.parametrize("condition", CONDITIONS)
def test_every_condition_has_an_entry(condition: str) -> None:
    assert find(condition).name == condition
    assert find(condition.upper()).direction != NONE


DEFINITIONS = """
de-identification; voice distinctiveness; anonymisation; pseudonymisation; pseudo-voice; mated;
non-mated; LLR; oracle calibration; PAV; ECE profile; zoo plot; dove; worm; chameleon; phantom;
sheep; voice similarity matrix; safeguard; ignorant; lazy-informed; semi-informed; null level;
interval; exhaustive; enrolment trials; basic bootstrap; chance; ceiling; perfect privacy;
prior; log-odds; calibration; Laplace; key; attacker
"""


@pytest.mark.parametrize("word", [word.strip() for word in DEFINITIONS.split(";")])
def test_definitions_are_there(word: str) -> None:
    term = find(word)
    assert len(term.what) > 60
    assert term.reference != NONE


def test_names_lead_to_one_term_each() -> None:
    owner: dict[str, str] = {}
    for term in TERMS:
        for name in {bare(n) for n in (term.name, *term.aliases)}:
            assert owner.setdefault(name, term.name) == term.name
    assert "" not in owner


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("D_ECE", "d_ece"),
        ("d-ece", "d_ece"),
        ("D ece", "d_ece"),
        ("D_{ECE}", "d_ece"),
        ("DeID", "deid"),
        ("G_VD", "g_vd"),
        ("C_llr^min", "cllr_min"),
        ("ROCCH-EER", "eer"),
        ("minDCF", "min_dcf"),
        ("minDCF(0.001)", "min_dcf_001"),
        ("linkability", "d_sys"),
        ("C_ECE", "calibration distortion"),
        ("Pseudonymization", "pseudonymisation"),
        ("impostor", "non-mated"),
        ("Pseudo Voice", "pseudo-voice"),
    ],
)
def test_find_is_tolerant(written: str, name: str) -> None:
    assert find(written).name == name


def test_unknown_name_is_a_sentence_with_close_matches() -> None:
    with pytest.raises(InputError) as error:
        find("d_eec")
    text = str(error.value)
    assert text.startswith("There is no term 'd_eec' in the glossary; did you mean ")
    assert "d_ece" in text
    assert text.endswith(f"lists all {len(TERMS)}.")


@pytest.mark.parametrize("name", ["qqqqqq", "", "—"])
def test_unknown_name_without_match_points_to_the_list(name: str) -> None:
    with pytest.raises(InputError, match="'pseudovoice explain' without a name lists all") as error:
        find(name)
    assert "did you mean" not in str(error.value)


def test_equations_fit_a_terminal() -> None:
    for term in TERMS:
        assert max(map(len, term.equation.split("\n"))) <= 67, term.name


# --- explain


def explain(*args: str) -> str:
    result = CliRunner().invoke(command, args, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_explain_lists_all_terms_in_a_line_each() -> None:
    lines = explain().splitlines()
    assert [line.split("  ")[0] for line in lines] == [term.name for term in TERMS]
    assert max(map(len, lines)) <= 88


def test_explain_prints_every_field_without_colour() -> None:
    text = explain("D_ECE")
    for label in ("what", "unit", "range", "direction", "good", "equation", "reference"):
        assert re.search(rf"^  {label} ", text, re.MULTILINE)
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80
    words = " ".join(text.split())
    assert find("d_ece").what in words


def test_explain_takes_many_names_and_unquoted_ones() -> None:
    assert [t["name"] for t in terms("eer", "EER", "l_w")] == ["eer", "l_w"]
    assert [t["name"] for t in terms("zoo", "plot")] == ["zoo plot"]
    assert [t["name"] for t in terms("deid", "d_ece")] == ["deid", "d_ece"]


def terms(*names: str) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(explain(*names, "--json"))["terms"]
    return listed


def test_explain_json_holds_all_terms() -> None:
    assert [t["name"] for t in terms()] == [term.name for term in TERMS]
    assert terms("d_ece")[0] == json.loads(json.dumps(find("d_ece").to_dict()))


def test_explain_says_what_it_knows_and_what_it_does_not() -> None:
    told = CliRunner().invoke(command, ["d_ece", "nonsense", "wer"])
    assert told.exit_code == 1
    assert told.stdout.startswith("d_ece: ")
    assert "\n\nwer: " in told.stdout
    assert "There is no term 'nonsense' in the glossary" in told.stderr
    with pytest.raises(InputError, match="There is no term 'nonsense'"):
        explain("nonsense", "rubbish")


def printed() -> list[str]:
    """Every word of ours that pages, tables and terminal print, as the code has them."""
    js = (ROOT / "src/pseudovoice/page/assets/words.js").read_text(encoding="utf-8")
    found: list[str] = []
    for name in ("GROUPS", "CONDITIONS", "METRIC_NAMES", "UTILITY"):
        (table,) = re.findall(rf"const {name} = \{{(.*?)\}};", js, re.DOTALL)
        found += re.findall(r"(\w+): [\"\[]", table)
    assert {"oo", "d_ece", "wer", "f0_correlation", "all"} <= set(found)
    ours = [n for n, made in available().items() if made.__module__.startswith("pseudovoice.")]
    found += [*ours, *ENCODER_NAMES, *RECOGNISER_NAMES, *BACKENDS, *MEASURES, *SIMILARITIES]
    found += [name for one in attackers().values() for name in (one.name, one.title)]
    tables = {field.name for kind in (Row, SpeakerRow) for field in fields(kind)}
    found += sorted(tables - NUMBERS)
    found += re.findall(r"\w+", ASKED_FOR)
    # What the annex and the verdicts print, as a reader would type it.
    found += [row.property for row in annex_rows([])]
    found += [ISO, "WP216", "annex", "too few", "too weak", TOO_FEW.partition(" to ")[0]]
    return sorted(set(found) - {"f", "m"})


ASKED_FOR = """
lazy semi control floor session persona plda xvector adaptive trained gathering verdict pseudonym
encoder safeguard attacker release turn
"""
NUMBERS = {
    *("value", "low", "high", "null", "null_95", "unit", "direction", "method", "metric"),
    *("n_mated", "n_nonmated"),
    *(f"{m}_{end}" for m in ("d_ece", "l_w") for end in ("low", "high", "null", "null_95")),
}
"""Columns that any reader of a table knows, or that `explain` has under their metric."""


@pytest.mark.parametrize("word", printed())
def test_every_word_of_our_own_is_explained(word: str) -> None:
    assert len(find(word).what) > 60


def test_explain_needs_no_numpy() -> None:
    code = "import sys, pseudovoice.cli.explain; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- documents


def snippets(page: Path) -> list[tuple[int, str]]:
    """The ```python blocks of a page with the line each starts at."""
    text = page.read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, found.start(1)), found[1])
        for found in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ]


NEED_RECORDINGS = ("use-python.md", "extend.md")
"""Pages whose snippets tests/library runs."""


@pytest.mark.parametrize(
    "page",
    [p for p in DOCUMENTS if snippets(p) and p.name not in NEED_RECORDINGS],
    ids=lambda p: p.stem,
)
def test_snippets_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for line, code in snippets(page):
        exec(compile("\n" * line + code, str(page), "exec"), namespace)


def test_snippets_are_found() -> None:
    counts = {page.name: len(snippets(page)) for page in PAGES}
    assert counts["python.md"] >= 8
    assert counts["assess-scores.md"] >= 2


def test_links_between_pages_lead_somewhere() -> None:
    for page in DOCUMENTS:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:]+\.(?:md|png|csv|cff))", text):
            assert (page.parent / target).exists(), f"{page.name} → {target}"


def test_mkdocs_loads_nothing_from_elsewhere() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert "font: false" in text
    assert "http" not in text
    named = re.findall(r": ([\w/-]+\.md)$", text, re.MULTILINE)
    assert sorted(named) == [page.relative_to(ROOT / "docs").as_posix() for page in PAGES]


def test_citation_names_the_software_and_the_three_papers() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    for key in ("cff-version: 1.2.0", "message:", "title:", "authors:", "version:", "license:"):
        assert re.search(rf"^{re.escape(key)}", text, re.MULTILINE), key
    assert 'name: "The pseudovoice developers"' in text
    for identifier in (
        "10.21437/Interspeech.2020-2720",
        "10.1016/j.csl.2021.101299",
        "hal-02925559",
        "hal-03555462",
        "hal-03369137",
    ):
        assert identifier in text
    assert len(re.findall(r"^  - type: ", text, re.MULTILINE)) == 3
    assert "\t" not in text


def test_citation_and_changelog_agree_with_the_version() -> None:
    from pseudovoice import __version__

    cff = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f'version: "{__version__}"' in cff
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## [Unreleased]" in changes
    assert "### Added" in changes
