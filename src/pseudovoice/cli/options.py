"""Options that all assessing verbs share, and what they do with a result."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pseudovoice.choices import REPLICATES, SIMILARITIES
from pseudovoice.cli.common import permutations_option, replicates_option, seed_option
from pseudovoice.cli.printable import printable
from pseudovoice.errors import Problem

if TYPE_CHECKING:
    from pseudovoice.assessment.assess import Assessment

F = TypeVar("F", bound=Callable[..., Any])

_SHARED = (
    click.option(
        "--similarity",
        type=click.Choice(SIMILARITIES),
        default=SIMILARITIES[0],
        show_default=True,
        help="Voice similarity: noe2022 Eq. 6 or noe2020 Eq. 2.",
    ),
    replicates_option(REPLICATES),
    permutations_option(REPLICATES),
    seed_option("The same seed gives the same table."),
    click.option(
        "--name",
        "set_name",
        default="set",
        show_default=True,
        help="What the LaTeX tables call the data set.",
    ),
    click.option(
        "--system",
        default="safeguard",
        show_default=True,
        help="What the LaTeX tables call the safeguard.",
    ),
    click.option(
        "-o",
        "--output",
        type=click.Path(file_okay=False, path_type=Path),
        help="Folder for tables and figures.",
    ),
    click.option("--no-figures", is_flag=True, help="With -o: tables only."),
    click.option("--json", "as_json", is_flag=True, help="Print the whole result as JSON."),
)


def shared_options(function: F) -> F:
    """Add the options every assessing verb has."""
    for option in reversed(_SHARED):
        function = option(function)
    return function


def left_out(problems: Sequence[Problem]) -> dict[str, list[str]]:
    """What provenance says of items that were left out: a result must not hide them."""
    return {"left_out": [str(problem) for problem in problems]} if problems else {}


def say_what_was_read(files: Mapping[str, Mapping[str, Any]]) -> None:
    """Echo the formats that were detected, so that a wrong guess is seen."""
    said = ", ".join(f"{f['file']} ({f['format']}, {f['items']:,})" for f in files.values())
    click.echo(printable(f"read {said}"), err=True)


def finish(
    assessment: Assessment,
    problems: Sequence[Problem],
    *,
    set_name: str,
    system: str,
    output: Path | None,
    no_figures: bool,
    as_json: bool,
) -> None:
    """Write and print a result; exit with 1 where items had to be left out."""
    from pseudovoice.cli.show import show_assessment, show_problems, show_verdicts
    from pseudovoice.report.folder import write_folder
    from pseudovoice.report.tables import to_json

    if output is not None:
        write_folder(assessment, output, set_name=set_name, system=system, figures=not no_figures)
        what = "Tables are" if no_figures else "Tables and figures are"
        click.echo(printable(f"{what} in {output}."), err=True)
    if as_json:
        # JSON is UTF-8 whatever the terminal speaks (RFC 8259).
        sys.stdout.flush()
        sys.stdout.buffer.write(to_json(assessment).encode("utf-8"))
        sys.stdout.buffer.flush()
    else:
        show_verdicts(assessment)
        show_assessment(assessment)
    show_problems(problems)
    sys.exit(1 if problems else 0)
