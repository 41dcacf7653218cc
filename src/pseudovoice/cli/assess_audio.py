"""`pseudovoice assess audio`: from two folders of speech to every metric."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pseudovoice.attacks.adaptive import TRIES
from pseudovoice.attacks.oracle_key import ORACLE_KEY
from pseudovoice.attacks.registry import attackers as everybody
from pseudovoice.choices import BACKENDS
from pseudovoice.cli.channel import channel_option, channel_policy
from pseudovoice.cli.common import workers_option
from pseudovoice.cli.options import shared_options
from pseudovoice.cli.printable import printable
from pseudovoice.cli.reading import reading_options
from pseudovoice.encoders.registry import DEFAULT_ENCODER, load_encoder
from pseudovoice.errors import UsageError

if TYPE_CHECKING:
    from pseudovoice.corpus import Corpus

PLACE = click.Path(path_type=Path)


@click.command(name="audio")
@click.argument("original", type=PLACE)
@click.argument("protected", type=PLACE)
@click.option(
    "--encoder",
    "encoders",
    multiple=True,
    default=(DEFAULT_ENCODER,),
    show_default=True,
    help="A recogniser; repeat it for several attackers (see `pseudovoice models`).",
)
@click.option(
    "--attacker-protected",
    type=PLACE,
    help="The speakers' speech under the attacker's own key (lazy-informed, PQ).",
)
@click.option(
    "--attacker-training",
    type=PLACE,
    help="Other speakers' speech, protected by the attacker (semi-informed).",
)
@click.option(
    "--attacker-safeguard",
    metavar="NAME[:PARAM=VALUE,…]",
    help="Make the attacker's protected speech on the spot (needs --attacker-key-file).",
)
@click.option("--attacker-key-file", type=PLACE, help="The attacker's own key.")
@click.option(
    "--backend",
    type=click.Choice(BACKENDS),
    default=BACKENDS[0],
    show_default=True,
    help="How embeddings are compared.",
)
@click.option(
    "--backend-training", type=PLACE, help="A corpus of other speakers for PLDA and AS-norm."
)
@click.option("--as-norm", is_flag=True, help="Normalise scores with --backend-training as cohort.")
@click.option("--trials", type=PLACE, help="Listed trials instead of all pairs (with --enrolls).")
@click.option("--enrolls", type=PLACE, help="Enrolment list of the models in --trials.")
@click.option(
    "--attacker",
    "attackers",
    multiple=True,
    type=click.Choice(tuple(everybody())),
    help="Who attacks; repeat it for several. By default everybody whose speech is named.",
)
@click.option(
    "--tries",
    type=click.IntRange(min=1),
    default=TRIES,
    show_default=True,
    help="Voices that the attacker `adaptive` tries on everybody (with --attacker-safeguard).",
)
@click.option("--oracle-key", is_flag=True, help="Add an attacker who has the secret key.")
@click.option("--no-gender", is_flag=True, help="Do not assess each gender apart.")
@channel_option
@reading_options("the corpora are")
@workers_option
@click.option(
    "--no-cache",
    is_flag=True,
    help="Neither use nor keep stored embeddings, counts and attacker's speech.",
)
@shared_options
def command(
    original: Path,
    protected: Path,
    encoders: tuple[str, ...],
    attacker_protected: Path | None,
    attacker_training: Path | None,
    attacker_safeguard: str | None,
    attacker_key_file: Path | None,
    backend: str,
    backend_training: Path | None,
    as_norm: bool,
    trials: Path | None,
    enrolls: Path | None,
    attackers: tuple[str, ...],
    tries: int,
    oracle_key: bool,
    no_gender: bool,
    channel: str,
    layout: str,
    allow_commands: bool,
    workers: int | None,
    no_cache: bool,
    similarity: str,
    replicates: int,
    permutations: int,
    seed: int,
    **result: Any,
) -> None:
    """Assess protected speech against the original speech of the same people.

    ORIGINAL and PROTECTED are corpora (folders, LibriSpeech, Kaldi, AudioFolder, tables,
    lhotse); utterances are paired by id. A killed run resumes where it was.
    """
    from pseudovoice.attacks.assess import assess_audio
    from pseudovoice.attacks.material import Material, Scoring
    from pseudovoice.backends import read_enrolment_trials
    from pseudovoice.cli.attacker_speech import (
        attacker_workplace,
        protect_as_attacker,
        try_voices,
    )
    from pseudovoice.cli.audio_result import finish_audio
    from pseudovoice.cli.progress import Reporter, progress_bar
    from pseudovoice.corpus import read_corpus
    from pseudovoice.embeddings.store import EmbeddingStore
    from pseudovoice.models.cache import private_cache

    def read(place: Path) -> Corpus:
        corpus = read_corpus(place, layout=layout, allow_commands=allow_commands)
        said = (
            f"read {corpus.name} ({corpus.layout}): {len(corpus):,} utterances of "
            f"{len(corpus.speakers):,} speakers"
        )
        click.echo(printable(said), err=True)
        return corpus

    if (trials is None) != (enrolls is None):
        raise UsageError("--trials and --enrolls go together: one lists the other's models.")
    policy = channel_policy(channel)
    with ExitStack() as until_assessed:
        source = read(original)
        theirs = None if attacker_protected is None else read(attacker_protected)
        several: tuple[Corpus, ...] = ()
        trying = any(everybody()[name].tries for name in attackers)
        if trying and attacker_safeguard is None:
            raise UsageError(
                "Whoever tries voices on makes them: name the safeguard with --attacker-safeguard "
                "and a key of the attacker's own with --attacker-key-file."
            )
        if attacker_safeguard is not None:
            workplace = until_assessed.enter_context(attacker_workplace(keep=not no_cache))
            theirs = protect_as_attacker(
                source, attacker_safeguard, attacker_key_file, attacker_protected, workplace
            )
            if trying:
                several = try_voices(
                    source, attacker_safeguard, attacker_key_file, tries, workplace
                )
        material = Material(
            source,
            read(protected),
            theirs,
            None if attacker_training is None else read(attacker_training),
            attacker_tries=several,
        )
        if attacker_training is not None and material.attacker_protected is None:
            raise UsageError(
                "--attacker-training is for an attacker who protects its own recordings too: name "
                "them with --attacker-protected, or have them made with --attacker-safeguard."
            )
        scoring = Scoring(
            backend,
            None if backend_training is None else read(backend_training),
            as_norm,
            None if trials is None or enrolls is None else read_enrolment_trials(enrolls, trials),
        )
        store = None if no_cache else EmbeddingStore(private_cache() / "embeddings.sqlite")
        bar = until_assessed.enter_context(progress_bar())
        assessed = assess_audio(
            material,
            [load_encoder(name) for name in encoders],
            scoring=scoring,
            store=store,
            keep_counts=None if no_cache else private_cache("counts"),
            channel=policy,
            workers=workers,
            attackers=_wanted(attackers, oracle_key),
            by_gender=not no_gender,
            similarity=similarity,
            replicates=replicates,
            permutations=permutations,
            seed=seed,
            progress=Reporter(bar),
        )
    finish_audio(assessed, **result)


def _wanted(named: tuple[str, ...], oracle_key: bool) -> list[str] | None:
    """Who attacks; None is everybody who can, save who has the key."""
    if not oracle_key:
        return list(named) or None
    others = [name for name, one in everybody().items() if one.competes]
    return [*(named or others), ORACLE_KEY.attacker.name]
