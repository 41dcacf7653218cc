"""How a corpus is to be read, as the verbs that read one ask."""

from __future__ import annotations

from typing import Any

import click

from pseudovoice.choices import LAYOUTS
from pseudovoice.cli.common import Option

allow_commands_option: Option[Any] = click.option(
    "--allow-commands", is_flag=True, help="Run command pipes of wav.scp (without a shell)."
)

speaker_from_option: Option[Any] = click.option(
    "--speaker-from",
    metavar="name|file|NAME",
    help="Who speaks in files without a listing: whoever their name begins with (up to a blank, - "
    "or _), a person for each file, or NAME in all of them.",
)


def reading_options(what: str = "the corpus is") -> Option[Any]:
    """How a corpus is read: --speaker-from, --layout and --allow-commands."""
    layout = layout_option(what)
    return lambda function: speaker_from_option(layout(allow_commands_option(function)))


def layout_option(what: str = "the corpus is") -> Option[Any]:
    """How a corpus lies on disk."""
    option: Option[Any] = click.option(
        "--layout",
        type=click.Choice(LAYOUTS),
        default=LAYOUTS[0],
        show_default=True,
        help=f"How {what} laid out on disk.",
    )
    return option
