"""`pseudovoice compare`: safeguards side by side on one corpus, from speech to the report."""

from __future__ import annotations

from pathlib import Path

import click

from pseudovoice.attacks.registry import DEFAULT
from pseudovoice.attacks.registry import attackers as everybody
from pseudovoice.choices import (
    ALL_MEASURES,
    BACKENDS,
    MEASURES,
    REPLICATES,
    UTTERANCES_MEASURED,
    Cut,
    Measure,
)
from pseudovoice.cli.aligner import check_words_option
from pseudovoice.cli.common import (
    engine_option,
    key_options,
    known_pairs_option,
    permutations_option,
    replicates_option,
    seed_option,
    sessions_option,
    tries_option,
    workers_option,
)
from pseudovoice.cli.cutting import cutting_options, turns_for
from pseudovoice.cli.lists import list_options
from pseudovoice.cli.reading import reading_options
from pseudovoice.cli.recogniser import language_option, recogniser_option
from pseudovoice.cli.requiring import require_option
from pseudovoice.cli.run import conduct
from pseudovoice.encoders.registry import DEFAULT_ENCODER
from pseudovoice.errors import UsageError

PLACE = click.Path(path_type=Path)


@click.command(name="compare")
@click.argument("corpus", type=PLACE)
@click.option(
    "--safeguard",
    "safeguards",
    multiple=True,
    metavar="NAME[:PARAM=VALUE,…][+NAME…]",
    help="A safeguard or a chain of them; repeat it for several.",
)
@click.option(
    "--protected",
    multiple=True,
    metavar="NAME=FOLDER[,FOLDER]",
    help="Speech of CORPUS that another system protected, and the same under another key if there "
    "is such a run; repeat it for several.",
)
@click.option(
    "--attacker",
    "attackers",
    multiple=True,
    type=click.Choice(tuple(everybody())),
    default=DEFAULT,
    show_default=True,
    help="Who attacks; repeat it for several. The ignorant one always does.",
)
@click.option(
    "--attacker-training",
    type=PLACE,
    help="Speech of other people for the attackers semi, semi-encoder and trained.",
)
@tries_option
@known_pairs_option
@sessions_option
@click.option(
    "--encoder",
    "encoders",
    multiple=True,
    default=(DEFAULT_ENCODER,),
    show_default=True,
    help="A recogniser the attackers hear through; repeat it for several.",
)
@click.option(
    "--backend",
    type=click.Choice(BACKENDS),
    default=BACKENDS[0],
    show_default=True,
    help="How voices are compared.",
)
@click.option("--backend-training", type=PLACE, help="Speech of other people for PLDA and AS-norm.")
@click.option("--as-norm", is_flag=True, help="Normalise scores with --backend-training as cohort.")
@list_options
@click.option(
    "--measure",
    "measures",
    multiple=True,
    type=click.Choice(ALL_MEASURES),
    default=MEASURES,
    show_default=True,
    help="What to measure of the use of protected speech; repeat it for several.",
)
@click.option("--no-utility", is_flag=True, help="Measure nothing of the kind.")
@click.option(
    "--measured-utterances",
    type=click.IntRange(1),
    default=UTTERANCES_MEASURED,
    show_default=True,
    help="Of so many utterances of each speaker.",
)
@recogniser_option
@language_option
@click.option(
    "--lm-text",
    type=click.Path(dir_okay=False, path_type=Path),
    multiple=True,
    help="For chains that end in slice: text, a sentence a line, or an ARPA file, by which an "
    "attacker puts slices together.",
)
@click.option(
    "--successor-model",
    "successor_models",
    type=click.Path(dir_okay=False, path_type=Path),
    multiple=True,
    help="For chains that end in slice: a network of `pseudovoice train --model successor` or "
    "successor-xvector; repeat it for both.",
)
@click.option(
    "--cut-training",
    is_flag=True,
    help="For chains that end in slice: whoever trains learns from pieces as long as the slices; "
    "uncut, as in Maouche et al. (2022), without.",
)
@check_words_option("For chains that end in slice: ")
@cutting_options
@click.option("--no-gender", is_flag=True, help="Do not assess each gender apart.")
@replicates_option(REPLICATES)
@permutations_option(REPLICATES)
@seed_option("The same seed and key give the same tables.")
@key_options(
    "The secret key; made beside OUT if none is named and one is needed.",
    "everybody another voice",
)
@click.option("--title", help="Heading of the report.")
@click.option("--name", help="What the tables call the corpus; by default its folder's name.")
@click.option("--no-figures", is_flag=True, help="Draw no figures into files.")
@click.option(
    "--empirical-prior",
    is_flag=True,
    help="The calibration plot at the prior of the trials, as in noe2022 Fig. 4.",
)
@click.option("--no-clips", is_flag=True, help="No protected voices to listen to in the report.")
@click.option("--include-originals", is_flag=True, help="Original voices in the report, too.")
@click.option(
    "--rename",
    is_flag=True,
    help="Nothing that is written names a person: they bear the keyed pseudonyms of `protect`.",
)
@reading_options()
@workers_option
@engine_option
@require_option
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the report, the tables and the protected speech.",
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the numbers, and where everything is, as JSON."
)
def command(
    corpus: Path,
    safeguards: tuple[str, ...],
    protected: tuple[str, ...],
    attackers: tuple[str, ...],
    attacker_training: Path | None,
    tries: int,
    known_pairs: int,
    sessions: int,
    encoders: tuple[str, ...],
    backend: str,
    backend_training: Path | None,
    as_norm: bool,
    trials: tuple[Path, ...],
    enrolls: Path | None,
    all_pairs: bool,
    measures: tuple[Measure, ...],
    no_utility: bool,
    measured_utterances: int,
    recogniser: str,
    language: str,
    lm_text: tuple[Path, ...],
    successor_models: tuple[Path, ...],
    cut_training: bool,
    check_words: bool,
    cut: Cut,
    turns: Path | None,
    true_turns: Path | None,
    no_gender: bool,
    replicates: int,
    permutations: int,
    seed: int,
    key_file: Path | None,
    key_session: str,
    title: str | None,
    name: str | None,
    no_figures: bool,
    empirical_prior: bool,
    no_clips: bool,
    include_originals: bool,
    rename: bool,
    speaker_from: str | None,
    layout: str,
    allow_commands: bool,
    workers: int | None,
    required: tuple[str, ...],
    output: Path,
    as_json: bool,
) -> None:
    """Compare safeguards on CORPUS: protect, attack, assess, measure, and write a report.

    Every random safeguard is run twice, the second time with a key of the attacker's own. Systems
    made elsewhere stand beside ours (--protected). A run that was killed goes on where it was when
    it is started again. Where everybody has one recording, these are cut at pauses; CORPUS may be a
    single recording with --turns.
    """
    from pseudovoice.library.compare import comparison_plan

    if not safeguards and not protected:
        raise UsageError(
            "Name what to compare: --safeguard for one of ours, --protected NAME=FOLDER for speech "
            "that another system protected."
        )
    plan = comparison_plan(
        corpus,
        layout,
        safeguards,
        attackers,
        encoders,
        protected=made_elsewhere(protected),
        attacker_training=attacker_training,
        tries=tries,
        known_pairs=known_pairs,
        sessions=sessions,
        backend=backend,
        backend_training=backend_training,
        as_norm=as_norm,
        trials=trials,
        enrolls=enrolls,
        all_pairs=all_pairs,
        measures=() if no_utility else measures,
        measured_utterances=measured_utterances,
        recogniser=recogniser,
        language=language,
        lm_text=lm_text,
        successor_model=successor_models,
        cut_training=cut_training,
        check_words=check_words,
        cut=cut,
        turns=turns_for(turns, corpus),
        true_turns=true_turns,
        by_gender=not no_gender,
        similarity="geometric",
        replicates=replicates,
        permutations=permutations,
        seed=seed,
        key=key_file,
        key_session=key_session,
        title=title,
        name=name,
        figures=not no_figures,
        empirical_prior=empirical_prior,
        clips=not no_clips,
        include_originals=include_originals,
        rename=rename,
        speaker_from=speaker_from,
    )
    conduct(plan, output, workers, as_json, allow_commands, required)


def made_elsewhere(said: tuple[str, ...]) -> dict[str, list[Path]]:
    """What --protected says, by name: a folder, or two."""
    found: dict[str, list[Path]] = {}
    for text in said:
        name, equals, folders = text.partition("=")
        if not equals or not name or not folders:
            raise UsageError(
                f"--protected {text}: write NAME=FOLDER, or NAME=FOLDER,FOLDER with a second run."
            )
        if name in found:
            raise UsageError(
                f"--protected {text}: {name} is there already; give each its own name."
            )
        # A folder may have a comma in its name.
        whole = Path(folders).exists()
        found[name] = [Path(folders)] if whole else [Path(part) for part in folders.split(",")]
    return found
