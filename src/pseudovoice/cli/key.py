"""`pseudovoice key`: make a secret key, and ask it who is who."""

from __future__ import annotations

import click

from pseudovoice.cli.verbs import Verbs

VERBS = {
    "new": ("pseudovoice.cli.key_new", "Write a new key into a file."),
    "pseudonym": ("pseudovoice.cli.key_pseudonym", "Say what people are called in a release."),
    "person": ("pseudovoice.cli.key_person", "Say whom a pseudonym stands for."),
}


@click.group("key", cls=Verbs.of(VERBS))
def command() -> None:
    """Secret keys, on which every random draw and every pseudonym depends."""
