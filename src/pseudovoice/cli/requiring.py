"""Requirements at the command line: a line for each, and an exit code of their own."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import click

from pseudovoice.cli.common import Option
from pseudovoice.cli.printable import printable
from pseudovoice.errors import Problem

if TYPE_CHECKING:
    from pseudovoice.library.require import Judgement

UNMET = 3
"""Exit code where everything was done and a requirement is not met."""

require_option: Option[Any] = click.option(
    "--require",
    "required",
    multiple=True,
    metavar="METRIC<NUMBER",
    help="A requirement such as d_ece<0.1 or wer<8 (fractions in %); repeat it for several. The "
    "worst of all attackers and the worse end of its interval count; exit code 3 if it is not met.",
)


def show_judgements(judged: Sequence[Judgement], *, as_json: bool) -> None:
    """A line for each requirement; beside JSON, which holds them too, on stderr."""
    for one in judged:
        click.echo(printable(str(one)), err=as_json)


def leave(problems: Sequence[Problem], judged: Sequence[Judgement]) -> NoReturn:
    """End with the code that says how it went: what is not met weighs more than what is missing."""
    sys.exit(UNMET if any(not one.met for one in judged) else 1 if problems else 0)
