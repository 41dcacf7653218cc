"""`pseudovoice train encoder`: a network of one's own, from a corpus: an encoder or a successor."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pseudovoice.cli.common import resume_option, seed_option
from pseudovoice.cli.reading import reading_options
from pseudovoice.cli.talk import remark
from pseudovoice.cli.training import folder_option, json_option, tell, threads_option
from pseudovoice.errors import UsageError
from pseudovoice.training import MODELS, Recipe

if TYPE_CHECKING:
    from pseudovoice.reassembly.decisions import Decisions
    from pseudovoice.training import SuccessorOutcome, TrainingOutcome
    from pseudovoice.training.outcome import ErrorRate
    from pseudovoice.training.successor_recipe import PairAccuracy

SUCCESSORS = {"successor": "cut", "successor-xvector": "xvector"}
"""Networks that tell successive slices, ours and that of the paper."""


@click.command(name="encoder")
@click.argument("corpus", type=click.Path(path_type=Path))
@folder_option("the model and its checkpoint")
@click.option(
    "--model",
    type=click.Choice((*MODELS, *SUCCESSORS)),
    help="The network: a speaker encoder, xvector by default, or what tells successive slices: "
    "ours, about the cut, or the x-vector network of Maouche et al. (2022).",
)
@click.option(
    "--table",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With a successor: the table that undoes the slicing of CORPUS.",
)
@click.option(
    "--width",
    type=click.IntRange(8),
    help="Channels: 512 for xvector and successor-xvector, 256 for ecapa, 64 for successor.",
)
@click.option(
    "--epochs", type=click.IntRange(1), default=Recipe.epochs, show_default=True, help="Passes."
)
@click.option("--init", help="Start from the folder of a former training, or from `ecapa`.")
@seed_option("The same seed gives the same model.", Recipe.seed)
@click.option(
    "--rate",
    type=float,
    help="Highest learning rate: 1e-3, 2e-4 with --init, 2e-3 for successors.",
)
@click.option(
    "--no-augment",
    is_flag=True,
    help="Neither speed, noise nor masks; for successors neither level nor microphone.",
)
@resume_option
@threads_option
@reading_options()
@json_option
def command(
    corpus: Path,
    output: Path,
    model: str | None,
    table: Path | None,
    width: int | None,
    epochs: int,
    init: str | None,
    seed: int,
    rate: float | None,
    no_augment: bool,
    resume: bool,
    threads: int | None,
    speaker_from: str | None,
    layout: str,
    allow_commands: bool,
    as_json: bool,
) -> None:
    """Train a network on CORPUS (needs the extra `train`).

    A speaker encoder trained on speech that an attacker protected itself makes the semi-informed
    attacker. With a successor CORPUS is slices of the attacker's own, and the network learns
    to tell which slice follows which (see `pseudovoice attack slices`). A killed run resumes with
    the same command.
    """
    from pseudovoice.cli.progress import Reporter, progress_bar
    from pseudovoice.corpus import read_corpus
    from pseudovoice.slicing import read_table
    from pseudovoice.training import TrainingOutcome, train_encoder, train_successor

    if (model in SUCCESSORS) != (table is not None):
        raise UsageError(
            "--model successor (or successor-xvector) and --table FILE, which undoes the slices, "
            "go together."
        )
    if model in SUCCESSORS and init is not None:
        raise UsageError("A successor network starts from nothing: leave out --init.")
    speech = read_corpus(
        corpus, layout=layout, allow_commands=allow_commands, speaker_from=speaker_from
    )
    remark(
        f"read {speech.name} ({speech.layout}): {len(speech):,} utterances of "
        f"{len(speech.speakers):,} speakers"
    )
    outcome: TrainingOutcome | SuccessorOutcome
    with progress_bar() as bar:
        if model in SUCCESSORS and table is not None:
            chosen = {"width": width, "rate": rate}
            outcome = train_successor(
                speech,
                read_table(table),
                output,
                epochs=epochs,
                seed=seed,
                resume=resume,
                threads=threads,
                augment=not no_augment,
                progress=Reporter(bar),
                network=SUCCESSORS[model],
                **{name: value for name, value in chosen.items() if value is not None},
            )
        else:
            outcome = train_encoder(
                speech,
                output,
                model=model,
                width=width,
                epochs=epochs,
                init=init,
                seed=seed,
                resume=resume,
                threads=threads,
                rate=rate,
                augment=not no_augment,
                progress=Reporter(bar),
            )
    told = _summary(outcome) if isinstance(outcome, TrainingOutcome) else _successor(outcome)
    tell(outcome.to_dict(), told, outcome.problems, as_json=as_json)


def _summary(outcome: TrainingOutcome) -> str:
    kept = f"epoch {outcome.best_epoch} of {outcome.epochs} was the best and is kept"
    if outcome.best_epoch == 0:
        kept = f"none of {outcome.epochs} epochs was better than the start, which is kept"
    trials = f"{outcome.after.n_mated:,} mated and {outcome.after.n_nonmated:,} non-mated trials"
    return (
        f"{outcome.kind}, {outcome.parameters / 1e6:.2f} million parameters, trained on "
        f"{outcome.utterances:,} utterances of {outcome.speakers:,} speakers in "
        f"{outcome.seconds:.0f} s; {kept}.\n"
        f"EER of {outcome.held_out_speakers} held-out speakers ({trials} within a gender): "
        f"before {_shown(outcome.before)}, after {_shown(outcome.after)}. The epoch was chosen "
        f"on these speakers, so expect a little more on others.\n"
        f"Use it with --encoder onnx:{outcome.model}"
    )


def _successor(outcome: SuccessorOutcome) -> str:
    kept = f"epoch {outcome.best_epoch} of {outcome.epochs} was the best and is kept"
    if outcome.best_epoch == 0:
        kept = f"none of {outcome.epochs} epochs was better than the start, which is kept"
    after = outcome.after
    return (
        f"successor, {outcome.parameters / 1e3:.0f} thousand parameters, trained on "
        f"{outcome.slices:,} slices ({outcome.successive:,} successive pairs) of "
        f"{outcome.speakers:,} speakers in {outcome.seconds:.0f} s; {kept}.\n"
        f"Of {after.pairs:,} pairs of {outcome.held_out_speakers} held-out speakers, half of them "
        f"successive, {_shown(after)} are told right: {100 * after.successive:.0f} % of the "
        f"successive, {100 * after.same_speaker:.0f} % of the others of one speaker, "
        f"{100 * after.other_speaker:.0f} % of those of two. The epoch was chosen on these "
        f"speakers, so expect a little less on others.\n"
        f"{_every(outcome.every_pair)}\n"
        f"Use it with pseudovoice attack slices --sound --successor-model {outcome.model}"
    )


def _every(found: Decisions) -> str:
    """As the paper counts: next to no pair is successive."""
    return (
        f"Of all {sum(found.pairs):,} pairs of their utterances, {found.pairs[0]:,} of them "
        f"successive, {100 * found.every_pair:.1f} % are told right, which is how Maouche et al. "
        f"(2022) count; whoever always says no is right in "
        f"{100 * (1 - found.pairs[0] / sum(found.pairs)):.1f} %."
    )


def _shown(rate: ErrorRate | PairAccuracy) -> str:
    within = ""
    if rate.low is not None and rate.high is not None:
        within = f" [{100 * rate.low:.1f}, {100 * rate.high:.1f}]"
    return f"{100 * rate.value:.1f} %{within}"
