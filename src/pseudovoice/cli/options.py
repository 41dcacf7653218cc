"""Options that all assessing verbs share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pseudovoice.choices import REPLICATES, SIMILARITIES
from pseudovoice.cli.common import permutations_option, replicates_option, seed_option
from pseudovoice.cli.talk import remark
from pseudovoice.errors import Problem

if TYPE_CHECKING:
    pass

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
        help="Folder for the report, tables and figures.",
    ),
    click.option("--no-figures", is_flag=True, help="With -o: tables only."),
    click.option(
        "--empirical-prior",
        is_flag=True,
        help="With -o: the calibration plot at the prior of the trials, as in noe2022 Fig. 4.",
    ),
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
    remark(f"read {said}")
