"""Several assessments side by side: one folder each, and the tables and figures of them all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pseudovoice.atomic import write_atomic
from pseudovoice.report.filename import harmless_name
from pseudovoice.report.folder import write_folder
from pseudovoice.report.latex import Entry, table2, table3, table4


def write_study(entries: Sequence[Entry], folder: Path) -> None:
    """Write every assessment into its own folder, and the comparison above them."""
    folder.mkdir(parents=True, exist_ok=True)
    for k, entry in enumerate(entries, 1):
        # Names come from users: the number keeps folders apart, the name is only for reading.
        write_folder(
            entry.assessment,
            folder / f"{k:02d}-{harmless_name(entry.system)}",
            set_name=entry.set,
            system=entry.system,
        )
    for name, table in (("table2.tex", table2), ("table3.tex", table3), ("table4.tex", table4)):
        write_atomic(folder / name, table(entries))
    from pseudovoice.figures.draw import draw_comparison  # plotting is slow to import

    draw_comparison([(f"{e.system}", e.assessment) for e in entries], folder / "figures")
