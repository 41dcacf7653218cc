"""`pseudovoice key new`: make a secret key."""

from __future__ import annotations

import json
from pathlib import Path

import click

from pseudovoice.keys import new_key


@click.command("new")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def command(file: Path, as_json: bool) -> None:
    """Write a new key into FILE, readable by its owner only; never over an existing file."""
    key = new_key(file)
    if as_json:
        click.echo(json.dumps({"key": key.identifier, "file": str(file)}))
    else:
        click.echo(f"key {key.identifier} is in {file}")
