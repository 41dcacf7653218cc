"""`pseudovoice key`: make a secret key."""

from __future__ import annotations

from pathlib import Path

import click

from pseudovoice.safeguards.key import new_key, write_key


@click.group(name="key")
def command() -> None:
    """Secret keys, on which every random draw depends."""


@command.command(name="new")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def new(file: Path) -> None:
    """Write a new key into FILE, readable by its owner only; never over an existing file."""
    key = new_key()
    write_key(key, file)
    click.echo(f"key {key.identifier} is in {file}")
