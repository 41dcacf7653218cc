"""What is said of a key that had to be made."""

from __future__ import annotations

from pathlib import Path

import click

from pseudovoice.cli.printable import printable


def say_new_key(place: Path) -> None:
    """Say where it is before the work begins: a run that is killed leaves it there."""
    click.echo(
        printable(f"A new secret key is in {place}: keep it apart from the speech."), err=True
    )
