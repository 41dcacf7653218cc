"""An assessment as a person reads it in a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pseudovoice.assessment.assess import Assessment
from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.metrics import CONDITIONS
from pseudovoice.errors import Problem

WORST_SHOWN = 5


def console(*, err: bool = False) -> Console:
    """A console that wraps to a terminal but never cuts what goes into a pipe or a file."""
    stream = sys.stderr if err else sys.stdout
    return Console(
        file=stream,
        width=None if stream.isatty() else 140,
        highlight=False,
        soft_wrap=not stream.isatty(),
    )


def show_assessment(assessment: Assessment) -> None:
    """Print the table of each condition, the speakers worst off, and what to keep in mind."""
    out = console()
    for condition, meaning in CONDITIONS.items():
        rows = [row for row in assessment.rows if row.condition == condition]
        if rows:
            first = rows[0]
            out.print(Text(f"\n{condition.upper()}: {meaning}", style="bold"))
            out.print(
                f"attacker: {first.attacker}; {first.n_mated:,} mated and "
                f"{first.n_nonmated:,} non-mated trials"
            )
            out.print(_table(rows))
            _show_worst(assessment, condition, out)
    if assessment.warnings:
        out.print(Text("\nTo keep in mind", style="bold"))
        for warning in assessment.warnings:
            out.print(Text(f"- {warning}"))


def _table(rows: Sequence[Row]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title, justify in (
        ("metric", "left"),
        ("value", "right"),
        ("95 % interval", "left"),
        ("chance gives (95 %)", "left"),
        ("good", "left"),
        ("", "left"),
    ):
        table.add_column(title, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for row in rows:
        table.add_row(
            Text(row.metric),
            shown(row.value, row.unit),
            ""
            if row.low is None
            else f"[{shown(row.low, row.unit)}, {shown(row.high, row.unit)}]".replace(
                "[", "\\[", 1
            ),
            ""
            if row.null is None
            else f"{shown(row.null, row.unit)} ({shown(row.null_95, row.unit)})",
            "" if row.direction == "reference" else row.direction,
            "not distinguishable from chance" if row.chance else "",
        )
    return table


def shown(value: float | str | None, unit: str) -> str:
    """A number with its unit, four significant digits, fractions as per cent."""
    if value is None or isinstance(value, str):
        return value or ""
    if unit == "fraction":
        return f"{100 * value:.2f} %"
    text = f"{value:.4g}" if abs(value) < 1e4 else f"{value:.4e}"
    return text if unit in ("1", "decade", "tag") else f"{text} {unit}"


def _show_worst(assessment: Assessment, condition: str, out: Console) -> None:
    """Name the people the safeguard protects least; in OO and PP evidence is no harm."""
    if condition not in ("op", "pq"):
        return
    worst = [row for row in assessment.speakers if row.condition == condition][:WORST_SHOWN]
    if worst:
        out.print(
            "worst-protected speakers: "
            + ", ".join(f"{row.speaker} ({row.d_ece:.3g} bit, tag {row.tag})" for row in worst),
            markup=False,
        )


def show_problems(problems: Sequence[Problem]) -> None:
    """List bad items on stderr, after everything else."""
    if not problems:
        return
    err = console(err=True)
    err.print(f"\n{len(problems)} problem(s); what they concern was left out:", style="bold")
    for problem in problems:
        err.print(Text(f"- {problem}"))
