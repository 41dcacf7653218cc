"""The key of a verb that writes speech: the one the user names, or a new one beside the output."""

from __future__ import annotations

from pathlib import Path

import click

from pseudovoice.errors import UsageError
from pseudovoice.keys import Key, key_at, read_key


def key_for(out: Path, key_file: Path | None) -> tuple[Path, Key]:
    """The key and its file; a new one is made outside ``out``, and its place is said once."""
    if key_file is None:
        key_file = out.resolve().with_name(out.resolve().name + ".key")
        key, new = key_at(key_file)
        if new:
            click.echo(
                f"A new secret key is in {key_file}: keep it apart from the speech.", err=True
            )
        return key_file, key
    if key_file.resolve().is_relative_to(out.resolve()):
        raise UsageError(f"{key_file}: a key must not lie in the folder of the speech it protects.")
    return key_file, read_key(key_file)
