"""`pseudovoice attack`: try to undo a protection as an adversary would."""

from __future__ import annotations

import click

from pseudovoice.cli.verbs import Verbs


@click.group(
    name="attack",
    cls=Verbs.of(
        {
            "slices": ("pseudovoice.cli.attack_slices", "Find out which slice follows which."),
            "identity": ("pseudovoice.cli.attack_identity", "Find out whose slice it is."),
        }
    ),
)
def command() -> None:
    """Try to undo a protection as an adversary would."""
