"""`pseudovoice pool`: people from whose voices targets are made."""

from __future__ import annotations

import click

from pseudovoice.cli.verbs import Verbs


@click.group(
    name="pool",
    cls=Verbs.of({"build": ("pseudovoice.cli.pool_build", "Make a pool of corpora of speech.")}),
)
def command() -> None:
    """Pools of voices for the safeguard xvector."""
