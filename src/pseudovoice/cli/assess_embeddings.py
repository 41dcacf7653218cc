"""`pseudovoice assess embeddings`: from speaker embeddings to every metric."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pseudovoice.choices import PAIRINGS
from pseudovoice.cli.options import left_out, say_what_was_read, shared_options
from pseudovoice.cli.requiring import require_option

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command(name="embeddings")
@click.argument("original", type=FILE)
@click.argument("protected", type=FILE, required=False)
@click.option(
    "--utt2spk", type=FILE, help="The speaker of each utterance, if the files do not say."
)
@click.option(
    "--pairing",
    type=click.Choice(PAIRINGS),
    default=PAIRINGS[0],
    show_default=True,
    help="All pairs of segments, or the upper triangle as older tables did.",
)
@require_option
@shared_options
def command(
    original: Path,
    protected: Path | None,
    utt2spk: Path | None,
    pairing: str,
    similarity: str,
    replicates: int,
    permutations: int,
    seed: int,
    system: str,
    required: tuple[str, ...],
    **result: Any,
) -> None:
    """Assess a safeguard from embeddings of original and protected segments.

    ORIGINAL and PROTECTED are npz files with `utt`, `vectors` and optionally `spk`; or ORIGINAL
    alone holds `utt`, `original` and `protected`. Segments are compared by cosine, each with each.
    """
    from pseudovoice.assessment.assess import assess_scores
    from pseudovoice.cli.scores_result import check_output, finish
    from pseudovoice.library.require import known_metrics, read_requirements
    from pseudovoice.scores.embeddings import score_embeddings
    from pseudovoice.scores.npz import read_embeddings

    requirements = read_requirements(required, known_metrics(use=False))
    check_output(result["output"])
    pair = read_embeddings(original, protected, utt2spk)
    say_what_was_read(pair.files)
    o, p = pair.original, pair.protected
    sets = {
        name: score_embeddings(a.vectors, b.vectors, a.speakers, pairing=pairing)
        for name, a, b in (("oo", o, o), ("op", o, p), ("pp", p, p))
    }
    assessment = assess_scores(
        sets,
        similarity=similarity,
        replicates=replicates,
        permutations=permutations,
        seed=seed,
        notes=pair.notes,
        provenance={
            "inputs": pair.files,
            "comparison": "cosine",
            **left_out(pair.problems),
        },
    )
    finish({system: assessment}, pair.problems, required=requirements, **result)
