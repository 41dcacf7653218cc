"""Everything of assessments, into one folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pseudovoice.assessment.assess import Assessment
from pseudovoice.atomic import check_there, write_atomic
from pseudovoice.report.filename import harmless_name
from pseudovoice.report.latex import Entry, table2, table3, table4
from pseudovoice.report.tables import rows_csv, rows_parquet, speakers_csv, to_json

LATEX = {"table2.tex": table2, "table3.tex": table3, "table4.tex": table4}


def write_folder(
    assessments: Mapping[str, Assessment],
    folder: Path,
    *,
    set_name: str,
    figures: bool = True,
    prior: float | None = 0.5,
) -> None:
    """Write tables (JSON, CSV, Parquet, LaTeX) and figures of systems, by their name.

    ``prior`` is that of the calibration plot, None for that of the trials.

    The LaTeX tables have a line for each. What else is written of one system lies in a folder of
    its own where there are several.
    """
    folder.mkdir(parents=True, exist_ok=True)
    entries = [Entry(set_name, system, one) for system, one in assessments.items()]
    written = []
    for name, table in LATEX.items():
        write_atomic(folder / name, table(entries))
        written.append(folder / name)
    for k, (system, one) in enumerate(assessments.items(), 1):
        own = folder / f"{k:02d}-{harmless_name(system)}" if len(assessments) > 1 else folder
        written += _write_one(one, own, system, figures=figures, prior=prior)
    check_there(written)


def _write_one(
    assessment: Assessment, folder: Path, system: str, *, figures: bool, prior: float | None
) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    contents: dict[str, bytes | str] = {
        "assessment.json": to_json(assessment),
        "table.csv": rows_csv(assessment),
        "table.parquet": rows_parquet(assessment),
        "speakers.csv": speakers_csv(assessment),
    }
    written = []
    for name, content in contents.items():
        write_atomic(folder / name, content)
        written.append(folder / name)
    if figures:
        from pseudovoice.figures.draw import draw_all  # plotting is slow to import

        place = folder / "figures"
        written += draw_all(assessment, place, f0=assessment.f0, system=system, prior=prior)
    return written
