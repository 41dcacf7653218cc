"""The LaTeX tables: layout of noe2022 Tables 2 to 4, and text that stays text."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pseudovoice.assessment.assess import Assessment
from pseudovoice.assessment.estimate import Row
from pseudovoice.report.latex import ESCAPES, Entry, escape, table2, table3, table4

TABLES = {2: (table2, 7), 3: (table3, 5), 4: (table4, 5)}
SPECIAL = r"_ % & # $ { } ~ ^ \ [ ] < > | " + '"'


def row(
    condition: str, metric: str, value: float | str, *interval: float | str, chance: bool = False
) -> Row:
    low, high = interval or (None, None)
    return Row(
        *(condition, "x", metric, value, low, high, None, None, chance),
        *(10, 90, "1", "lower", "m"),
    )


ROWS = (
    row("oo", "d_ece", 0.58391, 0.4, 0.7),
    row("oo", "l_w", 3.97867),
    row("oo", "tag", "C"),
    row("op", "d_ece", 0.00464, 0.0, 0.0074, chance=True),
    row("op", "l_w", 0.29717, 0.1, 0.9),
    row("op", "tag", "A", "0", "B"),
    row("op", "deid", 0.99991, 0.98, 1.0),
    row("op", "deid_d_ece", 0.992),
    row("op", "deid_cllr_min", -0.012),
    row("pp", "g_vd", -9.02007, -10.0, -8.5),
    row("pp", "g_d_ece", -6.994),
    row("pp", "g_cllr_min", 0.5),
)


def entry(set_name: str = "libri", system: str = "B1", rows: tuple[Row, ...] = ROWS) -> Entry:
    return Entry(set_name, system, Assessment(rows, (), (), {}))


def without(*places: tuple[str, str]) -> tuple[Row, ...]:
    return tuple(r for r in ROWS if (r.condition, r.metric) not in places)


def body(text: str) -> list[list[str]]:
    """The cells of every row between the rules."""
    lines = [line for line in text.splitlines() if line.endswith(r" \\")]
    return [re.split(r"(?<!\\) ?& ?", line.removesuffix(r" \\")) for line in lines]


@pytest.mark.parametrize("number", TABLES)
def test_every_row_has_as_many_cells_as_the_header(number: int) -> None:
    table, columns = TABLES[number]
    text = table([entry(), entry(system=SPECIAL), entry(SPECIAL), entry("b", rows=())])
    assert {len(cells) for cells in body(text)} == {columns}
    assert rf"\begin{{tabular}}{{ll{'r' * (columns - 2)}}}" in text


@pytest.mark.parametrize("number", TABLES)
def test_booktabs(number: int) -> None:
    text = TABLES[number][0]([entry("a"), entry("a", "B2"), entry("b")])
    lines = text.splitlines()
    assert lines[0].startswith(r"% needs \usepackage{booktabs}")
    assert lines[2] == r"\toprule"
    assert lines[-2:] == [r"\bottomrule", r"\end{tabular}"]
    assert lines.count(r"\midrule") == 2  # one before each set
    assert r"\hline" not in text
    assert text.endswith("\n")


def test_table_2() -> None:
    values, intervals = body(table2([entry()]))[1:]
    assert values == ["libri", "B1", "99.99", "$-9.02$", r"0.005\,$^\circ$", "0.297", "A"]
    assert intervals == [
        "(0.584, 3.979, C)",
        "",
        r"{\scriptsize [98.00, 100.00]}",
        r"{\scriptsize [$-10.00$, $-8.50$]}",
        r"{\scriptsize [0.000, 0.007]}",
        r"{\scriptsize [0.100, 0.900]}",
        r"{\scriptsize 0--B}",
    ]


def test_table_2_with_c_ece() -> None:
    rows = (*ROWS, row("op", "c_ece_linear", -0.0031, -0.01, 0.001))
    values, intervals = body(table2([entry(rows=rows)]))[1:]
    assert values[4] == r"0.005\,$^\circ$ / $-0.003$"
    assert intervals[4] == r"{\scriptsize [0.000, 0.007] / [$-0.010$, 0.001]}"


def test_tables_3_and_4() -> None:
    assert body(table3([entry()]))[1] == ["libri", "B1", "99.99", "99.20", "$-1.20$"]
    assert body(table4([entry()]))[1] == ["libri", "B1", "$-9.02$", "$-6.99$", "$0.50$"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0.000"),
        (0.0005, "0.001"),
        (0.00049, r"$5\cdot10^{-4}$"),
        (8.4e-5, r"$8\cdot10^{-5}$"),
        (1.2e-12, r"$1\cdot10^{-12}$"),
        (-2.3e-4, r"$-2\cdot10^{-4}$"),
        (-0.25, "$-0.250$"),
    ],
)
def test_small_disclosures_are_not_rounded_to_nothing(value: float, shown: str) -> None:
    rows = (row("op", "d_ece", value),)
    assert body(table2([entry(rows=rows)]))[1][4] == shown


def test_what_is_absent_is_a_dash() -> None:
    assert body(table2([entry(rows=())]))[1] == ["libri", "B1", "--", "--", "--", "--", "--"]
    assert len(body(table2([entry(rows=())]))) == 2  # no interval, no second line


class TestGroups:
    def test_each_set_stands_once_with_its_systems_below(self) -> None:
        entries = [entry(s, b) for s, b in (("a", "B1"), ("b", "B1"), ("a", "B2"), ("b", "B2"))]
        cells = [c[:2] for c in body(table2(entries))[1:]]
        triple = "(0.584, 3.979, C)"
        assert cells == [
            *(["a", "B1"], [triple, ""], ["", "B2"], ["", ""]),
            *(["b", "B1"], [triple, ""], ["", "B2"], ["", ""]),
        ]

    def test_unprotected_figures_stand_under_the_set_whoever_has_them(self) -> None:
        bare = without(("oo", "d_ece"), ("oo", "l_w"), ("oo", "tag"))
        cells = [c[0] for c in body(table2([entry("a", "B1", bare), entry("a", "B2")]))[1:]]
        assert cells == ["a", "(0.584, 3.979, C)", "", ""]

    def test_only_table_2_has_them(self) -> None:
        for number in (3, 4):
            assert "(0.584" not in TABLES[number][0]([entry()])


def test_escapes() -> None:
    assert escape("a_b%c&d#e$f{g}h~i^j\\k") == (
        r"a\_b\%c\&d\#e\$f\{g\}h\textasciitilde{}i\textasciicircum{}j\textbackslash{}k"
    )
    assert escape("[x]*<>|") == r"{[}x]{*}\textless{}\textgreater{}\textbar{}"
    assert escape('say "x"') == "say {''}x{''}"
    assert escape("two\nlines\rand\ttabs\x00\x1b\udcff") == "two lines and tabs   "
    assert escape("é ß 語") == "é ß 語"
    assert escape("^^M") == r"\textasciicircum{}\textasciicircum{}M"


@given(st.text(max_size=30))
def test_escaped_text_has_no_command_of_its_own(text: str) -> None:
    """What is left without the escapes we know holds no character that TeX acts on."""
    safe = escape(text)
    for known in sorted(set(ESCAPES.values()), key=len, reverse=True):
        safe = safe.replace(known, "")
    assert not set(safe) & set("\\{}$&#_%~^")
    assert safe.isprintable()
    safe.encode("utf-8")


@pytest.mark.parametrize(
    "name", [r"\input{/etc/passwd}", r"\end{tabular}", "100%", "a & b", "[2cm]"]
)
def test_names_do_not_act(name: str) -> None:
    text = table2([entry(name, name)])
    assert text.count(r"\end{tabular}") == 1
    assert r"\input" not in text.replace(r"\textbackslash{}input", "")
    assert body(text)[1][0] == body(text)[1][1] == escape(name)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
def test_pdflatex_sets_the_tables(tmp_path: Path) -> None:
    entries = [entry(SPECIAL, SPECIAL), entry("[1cm]", "*"), entry("b", rows=())]
    tables = "\n\n".join(table(entries) for table, _ in TABLES.values())
    (tmp_path / "t.tex").write_text(
        "\\documentclass{article}\\usepackage{booktabs}\\begin{document}\n"
        f"{tables}\\end{{document}}\n"
    )
    ran = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stdout[-2000:]
    assert (tmp_path / "t.pdf").is_file()
