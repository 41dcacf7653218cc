"""The tables of a study: those of the three papers, and everything in long form.

They hold numbers and names, no time, path or version: the same plan with the same key gives the
same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.speakers import SpeakerRow
from pseudovoice.atomic import write_atomic
from pseudovoice.cells import to_csv
from pseudovoice.report.latex import systems_beside, table2, table3, table4
from pseudovoice.report.maouche import slice_files
from pseudovoice.report.papers import beside_csv, paper_csv
from pseudovoice.study.findings import SafeguardFindings, SliceFindings, entries, worth_entries
from pseudovoice.study.slice_report import slice_entries
from pseudovoice.utility.rows import UtilityRow

LATEX = {2: table2, 3: table3, 4: table4}


def write_tables(
    found: list[SafeguardFindings], folder: Path, sliced: Sequence[SliceFindings] = ()
) -> list[Path]:
    """Write every table; gives back the files."""
    contents = _contents(found) if found else {}
    contents |= slice_files(slice_entries(sliced), worth_entries(found))
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in contents.items():
        write_atomic(folder / name, content)
    return [folder / name for name in contents]


def _contents(found: list[SafeguardFindings]) -> dict[str, str]:
    """Tables of whole speech by the name of their file."""
    lines = entries(found)
    contents = {f"table{number}.tex": set_it(lines) for number, set_it in LATEX.items()}
    contents |= {f"table{number}.csv": paper_csv(number, lines) for number in LATEX}
    contents["noe2020_table2.tex"] = systems_beside(lines)
    contents["noe2020_table2.csv"] = beside_csv(lines)
    contents["results.csv"] = _long(found, [f.name for f in fields(Row)], "rows")
    contents["speakers.csv"] = _long(found, [f.name for f in fields(SpeakerRow)], "speakers")
    if any(one.utility is not None for one in found):
        contents["utility.csv"] = _long(found, [f.name for f in fields(UtilityRow)], "utility")
    return contents


def _long(found: Sequence[SafeguardFindings], columns: list[str], which: str) -> str:
    return to_csv(long_rows(found, which), ["set", "safeguard", *columns])


def long_rows(found: Sequence[SafeguardFindings], which: str) -> list[dict[str, Any]]:
    """Rows of all safeguards on all sets: ``rows``, ``speakers``, ``attacks`` or ``utility``."""
    return [
        {"set": one.set, "safeguard": one.name, **row.to_dict()}
        for one in found
        for row in _rows(one, which)
    ]


def _rows(one: SafeguardFindings, which: str) -> Sequence[Any]:
    if which == "utility":
        return () if one.utility is None else one.utility.rows
    if which == "attacks":
        return one.assessed.attacks
    rows: Sequence[Any] = getattr(one.assessed.whole, which)
    return rows
