"""How recordings become utterances, as the verbs that assess them ask: --cut and --turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pseudovoice.choices import CUTS
from pseudovoice.cli.common import Option
from pseudovoice.cli.printable import printable

_TURNS = click.Path(path_type=Path)

cut_option: Option[Any] = click.option(
    "--cut",
    type=click.Choice(CUTS),
    default=CUTS[0],
    show_default=True,
    help="Whether recordings are cut at pauses into utterances; auto does where people have one "
    "recording each.",
)

turns_option: Option[Any] = click.option(
    "--turns",
    type=_TURNS,
    metavar="FILE|FOLDER",
    help="Who speaks when, for recordings of several people: RTTM, Audacity labels (.txt), lhotse "
    "supervisions (.jsonl) or ELAN (.eaf). By default an RTTM file of the same name beside it.",
)

true_turns_option: Option[Any] = click.option(
    "--true-turns",
    type=_TURNS,
    metavar="FILE|FOLDER",
    help="What --turns should say: its diarisation error rate is reported too.",
)


def cutting_options(function: Any) -> Any:
    """All three."""
    return cut_option(turns_option(true_turns_option(function)))


def turns_for(given: Path | None, *places: Path) -> Path | None:
    """The file of turns: the one that was named, or the one that lies beside the recordings."""
    from pseudovoice.library.cut import turns_beside

    if given is not None:
        return given
    found = turns_beside(*places)
    if found is not None:
        click.echo(printable(f"Who speaks when is taken from {found}."), err=True)
    return found
