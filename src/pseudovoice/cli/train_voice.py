"""`pseudovoice train voice`: a neural voice of one's own, from corpora of speech."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pseudovoice.cli.common import resume_option, seed_option
from pseudovoice.cli.reading import reading_options
from pseudovoice.cli.talk import remark
from pseudovoice.cli.training import folder_option, json_option, tell, threads_option
from pseudovoice.training.voice_recipe import VoiceRecipe

if TYPE_CHECKING:
    from pseudovoice.training.voice_outcome import VoiceOutcome


@click.command(name="voice")
@click.argument("corpora", type=click.Path(path_type=Path), nargs=-1, required=True)
@folder_option("the voice, its pool and its checkpoint")
@click.option(
    "--epochs",
    type=click.IntRange(1),
    default=VoiceRecipe.epochs,
    show_default=True,
    help="Of --steps each.",
)
@click.option(
    "--steps", type=click.IntRange(1), default=VoiceRecipe.steps, show_default=True, help="Batches."
)
@click.option(
    "--batch",
    type=click.IntRange(1),
    default=VoiceRecipe.batch,
    show_default=True,
    help="Stretches of speech in a batch.",
)
@click.option(
    "--width",
    type=click.IntRange(8),
    default=VoiceRecipe.width,
    show_default=True,
    help="Channels.",
)
@click.option(
    "--narrow",
    type=click.IntRange(4),
    default=VoiceRecipe.narrow,
    show_default=True,
    help="Numbers that content is squeezed into: fewer tell less of who speaks.",
)
@click.option(
    "--levels",
    type=click.IntRange(3),
    default=VoiceRecipe.levels,
    show_default=True,
    help="Levels of each of these numbers, odd.",
)
@click.option(
    "--unlearn",
    type=click.FloatRange(0.0),
    default=VoiceRecipe.unlearn,
    show_default=True,
    help="Price of a nat that a critic tells of the speaker from content; it costs words.",
)
@click.option(
    "--start",
    metavar="FOLDER",
    help="Go on from a voice that was trained before, or from `shipped`, the one that comes along.",
)
@click.option(
    "--hear",
    type=click.FloatRange(0.0),
    default=VoiceRecipe.hear,
    show_default=True,
    help="Price of what a listener, who learns beside the voice, hears otherwise than it was said.",
)
@click.option(
    "--recall",
    type=click.FloatRange(0.0),
    default=VoiceRecipe.recall,
    show_default=True,
    help="Price of content that cannot be told any more from what passes.",
)
@click.option(
    "--rate", type=float, default=VoiceRecipe.rate, show_default=True, help="Highest learning rate."
)
@seed_option("The same seed gives the same network.", VoiceRecipe.seed)
@resume_option
@threads_option
@reading_options()
@json_option
def command(
    corpora: tuple[Path, ...],
    output: Path,
    epochs: int,
    steps: int,
    batch: int,
    width: int,
    narrow: int,
    levels: int,
    unlearn: float,
    start: str | None,
    hear: float,
    recall: float,
    rate: float,
    seed: int,
    resume: bool,
    threads: int | None,
    speaker_from: str | None,
    layout: str,
    allow_commands: bool,
    as_json: bool,
) -> None:
    """Train a neural voice on all CORPORA (needs the extra `train`).

    No transcripts are needed; the more people, the more voices it can speak with. A killed run
    resumes with the same command. Use it as a safeguard: xvector:voice=OUT,pool=OUT/pool.npz
    """
    from pseudovoice.cli.progress import Reporter, progress_bar
    from pseudovoice.corpus import read_corpus
    from pseudovoice.training.voice_train import train_voice

    recipe = VoiceRecipe(
        width=width,
        narrow=narrow,
        levels=levels,
        unlearn=unlearn,
        hear=hear,
        recall=recall,
        epochs=epochs,
        steps=steps,
        seed=seed,
        batch=batch,
        rate=rate,
    )
    speech = [
        read_corpus(p, layout=layout, allow_commands=allow_commands, speaker_from=speaker_from)
        for p in corpora
    ]
    for corpus in speech:
        said = (
            f"read {corpus.name} ({corpus.layout}): {len(corpus):,} utterances of "
            f"{len(corpus.speakers):,} speakers"
        )
        remark(said)
    with progress_bar() as bar:
        outcome = train_voice(
            speech,
            output,
            recipe,
            start=start,
            threads=threads,
            resume=resume,
            progress=Reporter(bar),
        )
    tell(outcome.to_dict(), _summary(outcome), outcome.problems, as_json=as_json)


def _summary(outcome: VoiceOutcome) -> str:
    return (
        f"voice, {outcome.parameters / 1e6:.2f} million parameters ({outcome.size / 1e6:.1f} MB), "
        f"trained on {outcome.utterances:,} utterances ({outcome.hours:.2f} h) of "
        f"{outcome.speakers:,} speakers in {outcome.seconds:.0f} s "
        f"({outcome.epochs} epochs).\n"
        f"Distance from {outcome.held_out_utterances:,} held-out utterances: "
        f"{outcome.after.distance:.3f} of its deviations, before {outcome.before.distance:.3f}. "
        "How well it protects is for `pseudovoice compare` to say.\n"
        f"Use it with --safeguard xvector:voice={outcome.folder},pool={outcome.folder}/pool.npz"
    )
