"""`pseudovoice assess`: from scores, embeddings or audio to the verdict."""

from __future__ import annotations

import click

from pseudovoice.cli.verbs import Verbs


@click.group(
    name="assess",
    cls=Verbs.of(
        {
            "audio": ("pseudovoice.cli.assess_audio", "From two corpora of speech."),
            "scores": ("pseudovoice.cli.assess_scores", "From speaker-verification scores."),
            "embeddings": ("pseudovoice.cli.assess_embeddings", "From speaker embeddings."),
            "utility": ("pseudovoice.cli.utility", "What protected speech is still good for."),
        }
    ),
)
def command() -> None:
    """Assess how well a safeguard protects its speakers."""
