"""`pseudovoice assess`: from scores, embeddings or audio to the verdict."""

from __future__ import annotations

import click

from pseudovoice.cli.assess_embeddings import command as embeddings
from pseudovoice.cli.assess_scores import command as scores


@click.group(name="assess")
def command() -> None:
    """Assess how well a safeguard protects its speakers."""


command.add_command(scores)
command.add_command(embeddings)
