"""The papers' tables as data: laid out as printed, and harmless whatever names they hold."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from pseudovoice.assessment.assess import Assessment
from pseudovoice.assessment.estimate import Row
from pseudovoice.attacks.result import AttackResult
from pseudovoice.report.latex import Entry
from pseudovoice.report.papers import paper_csv, paper_entries, paper_tables

AWKWARD = ("<img src=x onerror=alert(1)>", "../../etc", '=HYPERLINK("http://example.org")')


def row(
    condition: str, metric: str, value: float | str, low: float | str, high: float | str
) -> Row:
    return Row(
        condition, "x", metric, value, low, high, None, None, metric == "deid", 10, 90, "1", "", ""
    )


def rows(*, random: bool) -> tuple[Row, ...]:
    """B2r and B2 of libri_test_trials_f in Table 2 of noe2022, with made-up intervals."""
    found = [
        row("oo", "d_ece", 0.584, 0.5, 0.6),
        row("oo", "l_w", 3.979, 3.0, 4.0),
        row("oo", "tag", "C", "C", "C"),
        row("op", "deid", 0.5351, 0.4, 0.6),
        row("op", "d_ece", 0.236, 0.2, 0.3),
        row("op", "l_w", 2.541, 2.0, 3.0),
        row("op", "tag", "C", "B", "C"),
        row("op", "deid_d_ece", 0.5959, 0.5, 0.7),
        row("op", "deid_cllr_min", 0.5887, 0.5, 0.7),
        row("pp", "g_vd", -1.94, -2.5, -1.0),
        row("pp", "g_d_ece", -2.0, -3.0, -1.0),
    ]
    if random:
        found.append(row("op", "c_ece_linear", 0.0001, -0.01, 0.02))
    return tuple(found)


def entry(set_name: str, system: str, *, random: bool = True) -> Entry:
    return Entry(set_name, system, Assessment(rows(random=random), (), (), {}))


def test_table_2_is_laid_out_as_printed() -> None:
    entries = [
        entry("libri_test_trials_f", "B2", random=False),
        entry("vctk", "B2"),
        entry("libri_test_trials_f", "B2r"),
    ]
    two, three, four = paper_tables(entries)
    assert [table.number for table in (two, three, four)] == [2, 3, 4]
    assert two.columns == ("DeID [%]", "G_VD [dB]", "D_ECE / C_ECE [bit]", "l_w", "Tag")
    assert [(line.set, line.system) for line in two.lines] == [
        ("libri_test_trials_f", "B2"),
        ("libri_test_trials_f", "B2r"),
        ("vctk", "B2"),
    ]
    plain, random, _ = two.lines
    assert random.initial == "(0.584, 3.979, C)"
    assert [cell.text for cell in random.cells] == ["53.51", "−1.94", "0.236 / 1e−04", "2.541", "C"]
    assert [cell.text for cell in plain.cells] == ["53.51", "−1.94", "0.236", "2.541", "C"]
    assert random.cells[0].interval == "[40.00, 60.00]"
    assert random.cells[2].interval == "[0.200, 0.300] / [−0.010, 0.020]"
    assert random.cells[4].interval == "B–C"
    assert [cell.chance for cell in random.cells] == [True, False, False, False, False]
    by_chance = Entry(
        "x",
        "B2r",
        Assessment(tuple(replace(r, chance=True) for r in rows(random=True)), (), (), {}),
    )
    joined = paper_tables([by_chance])[0].lines[0].cells[2]
    assert (joined.text, joined.chance) == ("0.236° / 1e−04°", False)
    assert [cell.text for cell in three.lines[0].cells] == ["53.51", "59.59", "58.87"]
    assert [cell.text for cell in four.lines[0].cells] == ["−1.94", "−2.00", "–"]


def test_csv_has_every_number_in_full() -> None:
    table = list(csv.DictReader(io.StringIO(paper_csv(2, [entry("a", "B2r"), entry("b", "B2")]))))
    assert [line["set"] for line in table] == ["a", "b"]
    assert float(table[0]["deid"]) == 0.5351
    assert (table[0]["c_ece_linear_low"], table[0]["c_ece_linear_high"]) == ("-0.01", "0.02")
    assert (table[0]["unprotected_d_ece"], table[0]["unprotected_tag"]) == ("0.584", "C")
    assert (table[0]["tag"], table[0]["tag_low"]) == ("C", "B")


def test_sets_are_named_after_genders_and_systems_after_recognisers() -> None:
    parts = [
        AttackResult(attacker, encoder, group, rows(random=False), (), {})
        for attacker in ("ignorant", "lazy")
        for encoder in ("ge2e", "ecapa")
        for group in ("all", "f")
    ]
    found = [(e.set, e.system) for e in paper_entries("dev", "B2", parts)]
    assert found == [
        ("dev", "B2, ge2e"),
        ("dev_f", "B2, ge2e"),
        ("dev", "B2, ecapa"),
        ("dev_f", "B2, ecapa"),
    ]
    one = paper_entries("dev", "B2", [part for part in parts if part.encoder == "ge2e"])
    assert {e.system for e in one} == {"B2"}


@pytest.mark.parametrize("name", AWKWARD)
def test_names_stay_names(name: str) -> None:
    found = list(csv.reader(io.StringIO(paper_csv(3, [entry(name, name)]))))
    assert len(found) == 2
    for cell in found[1][:2]:
        assert not cell.startswith(("=", "+", "-", "@"))
    assert paper_tables([entry(name, name)])[0].lines[0].set == name
