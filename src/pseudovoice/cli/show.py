"""An assessment as a person reads it in a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pseudovoice.assessment.conditions import CONDITIONS
from pseudovoice.cli.option_names import as_options
from pseudovoice.cli.printable import printable
from pseudovoice.cli.talk import LOG
from pseudovoice.errors import Problem

if TYPE_CHECKING:
    from pseudovoice.assessment.assess import Assessment
    from pseudovoice.assessment.estimate import Row

WORST_SHOWN = 5
METHOD_SHOWN = ("eer", "eer_kaldi", "l_w")
CHANCE = "not distinguishable from chance"
WIDE, NARROW = 125, 84
"""Columns of a table with that remark, and with a mark in its place."""


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Leave the exit code to `main`: the reader has gone, as with `| head`, nothing failed."""
        raise BrokenPipeError


def console(*, err: bool = False) -> Console:
    """A console that wraps to a terminal but never cuts what goes into a pipe or a file."""
    stream = sys.stderr if err else sys.stdout
    return _Console(
        file=stream,
        width=None if stream.isatty() else 140,
        highlight=False,
        soft_wrap=not stream.isatty(),
    )


def show_verdicts(assessment: Assessment) -> None:
    """What each attack comes to, before any number."""
    from pseudovoice.attacks.verdict import verdicts

    out = console()
    for condition, said in verdicts(assessment).items():
        who = next(row.attacker for row in assessment.rows if row.condition == condition)
        out.print(Text(printable(f"\nThe {who} attacker ({condition.upper()}): {said}."), "bold"))


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
            _show_table(rows, out)
            _show_worst(assessment, condition, out)
    if assessment.warnings:
        out.print(Text("\nTo keep in mind", style="bold"))
        for warning in assessment.warnings:
            out.print(Text(printable(f"- {as_options(warning)}")))


def _show_table(rows: Sequence[Row], out: Console) -> None:
    """Print the rows so that no number is cut: a narrow terminal gets a mark for the remark."""
    wide = out.width >= WIDE
    table = Table(box=None, pad_edge=False, padding=(0, 2 if wide else 1, 0, 0), header_style="dim")
    for title, justify in (
        ("metric", "left"),
        ("value", "right"),
        ("unit", "left"),
        ("95 % interval", "left"),
        ("chance gives (95 %)", "left"),
        ("good", "left"),
        ("", "left"),
    ):
        table.add_column(title, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for row in rows:
        value, low, high, null, bound = (
            _number(x, row.unit) for x in (row.value, row.low, row.high, row.null, row.null_95)
        )
        cells = (
            row.metric,
            value,
            {"fraction": "%", "1": "", "tag": ""}.get(row.unit, row.unit),
            f"[{low}, {high}]" if low else "",
            f"{null} ({bound})" if null else "",
            "" if row.direction == "reference" else row.direction,
            (CHANCE if wide else "*") if row.chance else "",
        )
        table.add_row(*map(Text, cells))
    # Its own console: where the terminal is narrower than the numbers, it wraps the lines itself.
    full = console()
    full.width = max(out.width, NARROW)
    full.print(table, soft_wrap=True)
    if not wide and any(row.chance for row in rows):
        out.print(f"* {CHANCE}")
    # METRICS: no EER without its method, no l_w without the ceiling that few trials put on it.
    how = [f"{row.metric}: {row.method}" for row in rows if row.metric in METHOD_SHOWN]
    out.print(". ".join(how) + ".", markup=False)


def _number(value: float | str | None, unit: str) -> str:
    """A number without its unit; "" where there is none."""
    if value is None or isinstance(value, str):
        return value or ""
    if unit == "fraction":
        return f"{100 * value:.2f}"
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.4e}"


def shown(value: float | str | None, unit: str) -> str:
    """A number with its unit, four significant digits, fractions as per cent."""
    text = _number(value, unit)
    if value is None or isinstance(value, str) or unit in ("1", "decade", "tag"):
        return text
    return f"{text} {'%' if unit == 'fraction' else unit}"


def _show_worst(assessment: Assessment, condition: str, out: Console) -> None:
    """Name the people the safeguard protects least; in OO and PP evidence is no harm."""
    if condition not in ("op", "pq"):
        return
    worst = [row for row in assessment.speakers if row.condition == condition][:WORST_SHOWN]
    if worst:
        names = ", ".join(f"{row.speaker} ({row.d_ece:.3g} bit, tag {row.tag})" for row in worst)
        out.print(Text(printable(f"worst-protected speakers: {names}")))


def show_problems(problems: Sequence[Problem]) -> None:
    """List bad items on stderr, after everything else."""
    if not problems:
        return
    err = console(err=True)
    err.print(f"\n{len(problems)} problem(s); what they concern was left out:", style="bold")
    for problem in problems:
        LOG.warning("%s", printable(as_options(problem)))
        err.print(Text(printable(f"- {as_options(problem)}")))
