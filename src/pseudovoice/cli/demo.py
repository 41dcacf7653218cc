"""`pseudovoice demo`: three artificial safeguards, assessed and drawn."""

from __future__ import annotations

import json
from pathlib import Path

import click

from pseudovoice.assessment.assess import Assessment, assess_scores
from pseudovoice.cli.show import shown
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
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def command(output: Path, as_json: bool) -> None:
    """Assess three artificial safeguards (noe2020 Fig. 1) and draw everything.

    The scores of 20 speakers are simulated; nothing is downloaded and no speech is needed.
    """
    entries = []
    for system, meaning in SYSTEMS.items():
        sets, other_run = simulate(system), simulate(system, run=0)
        assessment = assess_scores(
            sets,
            f0={"op": other_run["op"], "pp": other_run["pp"]},
            provenance={"simulated": f"20 artificial speakers; this safeguard {meaning}"},
        )
        entries.append(Entry("simulated", system, assessment))
        click.echo(_line(system, meaning, assessment), err=as_json)
    write_study(entries, output)
    if as_json:
        found = {entry.system: entry.assessment.to_dict() for entry in entries}
        click.echo(json.dumps({"report": str(output.resolve()), "systems": found}, indent=1))
    else:
        click.echo(f"The report is in {output.resolve()}")


def _line(system: str, meaning: str, assessment: Assessment) -> str:
    deid, g_vd = assessment.row("op", "deid"), assessment.row("pp", "g_vd")
    return (
        f"{system:>10}: {meaning}: hides {shown(deid.value, 'fraction')} of who speaks (DeID), "
        f"keeps voices apart at {shown(g_vd.value, 'dB')} (G_VD), "
        f"tag {assessment.value('op', 'tag')}"
    )
