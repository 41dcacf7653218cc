"""Which channel of a recording is heard, as --channel says it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pseudovoice.cli.common import Option
from pseudovoice.errors import UsageError

if TYPE_CHECKING:
    from pseudovoice.corpus import Channel

channel_option: Option[Any] = click.option(
    "--channel",
    default="mean",
    show_default=True,
    help="What to do with several channels: mean, first, or a number from 0.",
)


def channel_policy(text: str) -> Channel:
    """What --channel says."""
    if text in ("mean", "first"):
        return text  # type: ignore[return-value]
    if text.isascii() and text.isdigit():
        return int(text)
    raise UsageError(f"--channel {text}: write mean, first, or the number of a channel from 0.")
