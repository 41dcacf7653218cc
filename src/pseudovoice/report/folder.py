"""Everything of one assessment, into one folder."""

from __future__ import annotations

from pathlib import Path

from pseudovoice.assessment.assess import Assessment
from pseudovoice.atomic import check_there, write_atomic
from pseudovoice.report.latex import Entry, table2, table3, table4
from pseudovoice.report.tables import rows_csv, rows_parquet, speakers_csv, to_json


def write_folder(
    assessment: Assessment,
    folder: Path,
    *,
    set_name: str,
    system: str,
    figures: bool = True,
) -> list[Path]:
    """Write tables (JSON, CSV, Parquet, LaTeX) and figures; return what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    entries = [Entry(set_name, system, assessment)]
    contents: dict[str, bytes | str] = {
        "assessment.json": to_json(assessment),
        "table.csv": rows_csv(assessment),
        "table.parquet": rows_parquet(assessment),
        "speakers.csv": speakers_csv(assessment),
        "table2.tex": table2(entries),
        "table3.tex": table3(entries),
        "table4.tex": table4(entries),
    }
    written = []
    for name, content in contents.items():
        write_atomic(folder / name, content)
        written.append(folder / name)
    if figures:
        from pseudovoice.figures.draw import draw_all  # plotting is slow to import

        written += draw_all(assessment, folder / "figures", f0=assessment.f0, system=system)
    check_there(written)
    return written
