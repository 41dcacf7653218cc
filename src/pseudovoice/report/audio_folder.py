"""Everything of an assessment of speech, into one folder."""

from __future__ import annotations

import json
from pathlib import Path

from pseudovoice.assessment.assess import Assessment
from pseudovoice.atomic import check_there, write_atomic
from pseudovoice.attacks.assess import AudioAssessment
from pseudovoice.attacks.registry import BASE
from pseudovoice.report.filename import harmless_name
from pseudovoice.report.latex import Entry, table2, table3, table4
from pseudovoice.report.tables import rows_csv, rows_parquet, speakers_csv


def write_audio_folder(
    assessed: AudioAssessment,
    folder: Path,
    *,
    set_name: str,
    system: str,
    figures: bool = True,
    prior: float | None = 0.5,
) -> None:
    """Write the table of all attackers, the LaTeX tables per group, and figures of each attack.

    ``prior`` is that of the calibration plots, None for that of the trials.
    """
    folder.mkdir(parents=True, exist_ok=True)
    entries = [
        Entry(
            f"{set_name} ({one.group})",
            f"{system}, {one.encoder}",
            Assessment(one.rows, (), (), {}),
        )
        for one in sorted(assessed.results, key=lambda one: one.group)
        if one.who == BASE
    ]
    report = json.dumps(assessed.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)
    contents: dict[str, bytes | str] = {
        "assessment.json": report + "\n",
        "table.csv": rows_csv(assessed.whole),
        "table.parquet": rows_parquet(assessed.whole),
        "speakers.csv": speakers_csv(assessed.whole),
        "table2.tex": table2(entries),
        "table3.tex": table3(entries),
        "table4.tex": table4(entries),
    }
    for name, content in contents.items():
        write_atomic(folder / name, content)
    if figures:
        # Plotting is slow to import.
        from pseudovoice.figures import figure_specs, gain_figure, write_figures

        for k, one in enumerate(assessed.results, 1):
            name = harmless_name(f"{one.attacker}, {one.encoder}")
            place = folder / "figures" / f"{k:02d}-{harmless_name(one.group)}-{name}"
            assert one.assessment is not None
            specs = figure_specs(one.assessment, f0=one.assessment.f0, system=system, prior=prior)
            gain = gain_figure(f"{one.who.title}, {one.encoder}", one.curves)
            write_figures([*specs, *([] if gain is None else [gain])], place)
    check_there(folder / name for name in contents)
