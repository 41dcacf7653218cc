"""`pseudovoice train-asr`: a speech recogniser of one's own, from a transcribed corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from pseudovoice.cli.common import resume_option, seed_option
from pseudovoice.cli.reading import reading_options
from pseudovoice.cli.talk import remark
from pseudovoice.cli.training import folder_option, json_option, tell, threads_option
from pseudovoice.errors import UsageError
from pseudovoice.training.ctc_recipe import RECIPES, CtcRecipe

if TYPE_CHECKING:
    from pseudovoice.text.ngram import NGram
    from pseudovoice.training.ctc_outcome import CtcOutcome


@click.command(name="train-asr")
@click.argument("corpus", type=click.Path(path_type=Path))
@folder_option("the recogniser and its checkpoint")
@click.option(
    "--recipe",
    type=click.Choice(RECIPES),
    default=CtcRecipe.recipe,
    show_default=True,
    help="A head on a frozen encoder, or a network from scratch.",
)
@click.option(
    "--lm-text",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Text, a sentence a line, for the language model of the search; repeat it for several.",
)
@click.option(
    "--tested",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A corpus to be tested on: its sentences are kept out of --lm-text.",
)
@click.option("--arpa", type=click.Path(path_type=Path), help="A language model made elsewhere.")
@click.option("--width", type=click.IntRange(8), help="Channels: 256 for head, 128 for scratch.")
@click.option("--epochs", type=click.IntRange(1), help="Passes: 12 for head, 20 for scratch.")
@click.option("--rate", type=float, help="Highest learning rate: 2e-3 for head, 3e-3 for scratch.")
@click.option(
    "--batch",
    type=float,
    default=CtcRecipe.batch,
    show_default=True,
    help="Seconds of speech in a step.",
)
@seed_option("The same seed gives the same network.", CtcRecipe.seed)
@resume_option
@threads_option
@reading_options()
@json_option
def command(
    corpus: Path,
    output: Path,
    recipe: str,
    lm_text: tuple[Path, ...],
    tested: tuple[Path, ...],
    arpa: Path | None,
    width: int | None,
    epochs: int | None,
    rate: float | None,
    batch: float,
    seed: int,
    resume: bool,
    threads: int | None,
    speaker_from: str | None,
    layout: str,
    allow_commands: bool,
    as_json: bool,
) -> None:
    """Train an acoustic model on the transcribed utterances of CORPUS (needs the extra `train`).

    They may be whole or sliced, clear or protected: that is what is compared. A killed run resumes
    with the same command.
    """
    from pseudovoice.cli.progress import Reporter, progress_bar
    from pseudovoice.corpus import read_corpus
    from pseudovoice.training.ctc_train import train_recogniser

    choices = CtcRecipe(recipe, width, epochs, seed, rate, batch)
    speech = read_corpus(
        corpus, layout=layout, allow_commands=allow_commands, speaker_from=speaker_from
    )
    said = f"read {speech.name} ({speech.layout}): {len(speech):,} utterances"
    remark(said)
    language = _language(lm_text, tested, arpa)
    with progress_bar() as bar:
        outcome = train_recogniser(
            speech,
            output,
            choices,
            language=language,
            threads=threads,
            resume=resume,
            progress=Reporter(bar),
        )
    tell(outcome.to_dict(), _summary(outcome), outcome.problems, as_json=as_json)


def _language(
    lm_text: tuple[Path, ...], tested: tuple[Path, ...], arpa: Path | None
) -> NGram | None:
    from pseudovoice.asr.ctc.language import learn_language
    from pseudovoice.corpus import read_corpus
    from pseudovoice.text.arpa import read_arpa

    if lm_text and arpa is not None:
        raise UsageError("Name one language model: either --lm-text or --arpa.")
    if tested and not lm_text:
        raise UsageError("--tested keeps sentences out of --lm-text, which is not named.")
    if arpa is not None:
        return read_arpa(arpa)
    if not lm_text:
        return None
    sentences = (u.transcript for place in tested for u in read_corpus(place) if u.transcript)
    return learn_language(lm_text, tested=sentences)


def _summary(outcome: CtcOutcome) -> str:
    search = "without a language model"
    if outcome.language_words is not None:
        search = f"with a language model of {outcome.language_words:,} words"
    return (
        f"{outcome.recipe}, {outcome.parameters / 1e6:.2f} million parameters, trained on "
        f"{outcome.utterances:,} utterances ({outcome.hours:.2f} h) in {outcome.seconds:.0f} s; "
        f"epoch {outcome.best_epoch} of {outcome.epochs} was the best and is kept.\n"
        f"Of {outcome.held_out_utterances:,} held-out utterances {100 * outcome.cer:.1f} % of the "
        f"characters and {100 * outcome.wer:.1f} % of the words are wrong before any search; the "
        "epoch was chosen on them.\n"
        f"It searches {search}. Its name as a recogniser is ctc:{outcome.folder}"
    )
