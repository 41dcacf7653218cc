"""`pseudovoice demo`: three artificial safeguards, assessed and drawn."""

from __future__ import annotations

from pathlib import Path

import click

from pseudovoice.assessment.assess import assess_scores
from pseudovoice.cli.show import console, shown
from pseudovoice.demo.artificial import SYSTEMS, simulate
from pseudovoice.report.latex import Entry
from pseudovoice.report.study import write_study


@click.command(name="demo")
@click.option(
    "-o",
    "--output",
    default="demo-report",
    show_default=True,
    help="Folder to write.",
    type=click.Path(file_okay=False, path_type=Path),
)
def command(output: Path) -> None:
    """Assess three artificial safeguards (noe2020 Fig. 1) and draw everything.

    The scores of 20 speakers are simulated; nothing is downloaded and no speech is needed.
    """
    out = console()
    entries = []
    for system, meaning in SYSTEMS.items():
        sets, other_run = simulate(system), simulate(system, run=0)
        assessment = assess_scores(
            sets,
            f0={"op": other_run["op"], "pp": other_run["pp"]},
            provenance={"simulated": f"20 artificial speakers; this safeguard {meaning}"},
        )
        entries.append(Entry("simulated", system, assessment))
        deid, g_vd = assessment.row("op", "deid"), assessment.row("pp", "g_vd")
        out.print(
            f"{system:>10}: {meaning}: hides {shown(deid.value, 'fraction')} of who speaks "
            f"(DeID), keeps voices apart at {shown(g_vd.value, 'dB')} (G_VD), "
            f"tag {assessment.value('op', 'tag')}",
            markup=False,
        )
    write_study(entries, output)
    out.print(f"The report is in {output.resolve()}", markup=False)
