"""What the verbs that train share: where to, how many cores, and how the outcome is told."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from pseudovoice.cli.common import Option
from pseudovoice.cli.option_names import with_options
from pseudovoice.cli.printable import printable
from pseudovoice.errors import Problem

threads_option: Option[Any] = click.option(
    "--threads", type=click.IntRange(1), help="Cores to use; all by default."
)

json_option: Option[Any] = click.option(
    "--json", "as_json", is_flag=True, help="Print the whole result as JSON."
)


def folder_option(holds: str) -> Option[Any]:
    """``holds``: what the folder is for."""
    return click.option(
        "-o",
        "--output",
        required=True,
        type=click.Path(file_okay=False, path_type=Path),
        help=f"Folder for {holds}.",
    )


def tell(
    outcome: dict[str, Any], summary: str, problems: Sequence[Problem], *, as_json: bool
) -> NoReturn:
    """Print the outcome, list what was left out, and end with the code that says so."""
    from rich.text import Text

    from pseudovoice.cli.show import console, show_problems

    if as_json:
        whole = with_options(outcome)
        click.echo(json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False))
    else:
        console().print(Text(printable(summary)))
    show_problems(problems)
    sys.exit(1 if problems else 0)
