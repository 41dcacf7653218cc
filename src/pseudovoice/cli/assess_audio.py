"""`pseudovoice assess audio`: from two folders of speech to every metric."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pseudovoice.attacks.oracle_key import ORACLE_KEY
from pseudovoice.attacks.registry import attackers as everybody
from pseudovoice.choices import BACKENDS, Cut
from pseudovoice.cli.channel import channel_option, channel_policy
from pseudovoice.cli.common import engine_option, known_pairs_option, tries_option, workers_option
from pseudovoice.cli.cutting import cutting_options, turns_for
from pseudovoice.cli.lists import list_options
from pseudovoice.cli.options import shared_options
from pseudovoice.cli.reading import reading_options
from pseudovoice.cli.requiring import require_option
from pseudovoice.cli.talk import remark
from pseudovoice.encoders.registry import DEFAULT_ENCODER

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
    "--another-run",
    type=PLACE,
    help="The same speech protected once more under another key, for C_ECE; by default the "
    "attacker's.",
)
@click.option(
    "--attacker-training",
    type=PLACE,
    help="Other speakers' speech, protected by the attacker (semi, semi-encoder, trained).",
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
@list_options
@click.option(
    "--attacker",
    "attackers",
    multiple=True,
    type=click.Choice(tuple(everybody())),
    help="Who attacks; repeat it for several. By default everybody whose speech is named.",
)
@tries_option
@known_pairs_option
@click.option(
    "--another-release",
    "releases",
    type=PLACE,
    multiple=True,
    help="The same people's speech as released at another time, under another key (gathering, "
    "known-sessions); repeat it for several.",
)
@click.option("--oracle-key", is_flag=True, help="Add an attacker who has the secret key.")
@cutting_options
@click.option("--no-gender", is_flag=True, help="Do not assess each gender apart.")
@channel_option
@reading_options("the corpora are")
@workers_option
@engine_option
@click.option(
    "--no-cache",
    is_flag=True,
    help="Neither use nor keep stored embeddings, counts and attacker's speech.",
)
@require_option
@shared_options
def command(
    original: Path,
    protected: Path,
    encoders: tuple[str, ...],
    attacker_protected: Path | None,
    another_run: Path | None,
    attacker_training: Path | None,
    attacker_safeguard: str | None,
    attacker_key_file: Path | None,
    backend: str,
    backend_training: Path | None,
    as_norm: bool,
    trials: tuple[Path, ...],
    enrolls: Path | None,
    all_pairs: bool,
    attackers: tuple[str, ...],
    tries: int,
    known_pairs: int,
    releases: tuple[Path, ...],
    oracle_key: bool,
    cut: Cut,
    turns: Path | None,
    true_turns: Path | None,
    no_gender: bool,
    channel: str,
    speaker_from: str | None,
    layout: str,
    allow_commands: bool,
    workers: int | None,
    no_cache: bool,
    required: tuple[str, ...],
    similarity: str,
    replicates: int,
    permutations: int,
    seed: int,
    **result: Any,
) -> None:
    """Assess protected speech against the original speech of the same people.

    ORIGINAL and PROTECTED are corpora (folders, LibriSpeech, Kaldi, AudioFolder, tables,
    lhotse) or single recordings; utterances are paired by id. Where everybody has one recording,
    both are cut at the same pauses. A killed run resumes where it was.
    """
    from pseudovoice.cli.audio_result import finish_audio
    from pseudovoice.cli.progress import Reporter, progress_bar
    from pseudovoice.library.assess import assess
    from pseudovoice.library.cut import read_speech, read_version
    from pseudovoice.library.require import known_metrics, read_requirements

    requirements = read_requirements(required, known_metrics(use=False))

    turns = turns_for(turns, original, protected)

    how: dict[str, Any] = {"layout": layout, "allow_commands": allow_commands}
    whose: dict[str, Any] = {"several": turns is not None, "speaker_from": speaker_from}

    def told(corpus: Corpus) -> Corpus:
        said = (
            f"read {corpus.name} ({corpus.layout}): {len(corpus):,} utterances of "
            f"{len(corpus.speakers):,} speakers"
        )
        remark(said)
        return corpus

    def version(place: Path) -> Corpus:
        return told(read_version(place, **whose, **how))

    def others(place: Path) -> Corpus:
        return told(read_speech(place, several=False, **how))

    policy = channel_policy(channel)
    with progress_bar() as bar:
        before, after = told(read_speech(original, **whose, **how)), version(protected)
        assessed = assess(
            before,
            after,
            encoders=encoders,
            attackers=_wanted(attackers, oracle_key),
            attacker_protected=attacker_protected and version(attacker_protected),
            another_run=another_run and version(another_run),
            attacker_training=attacker_training and others(attacker_training),
            attacker_safeguard=attacker_safeguard,
            attacker_key=attacker_key_file,
            tries=tries,
            known_pairs=known_pairs,
            releases=[version(place) for place in releases],
            backend=backend,
            backend_training=backend_training and others(backend_training),
            as_norm=as_norm,
            trials=trials,
            enrolls=enrolls,
            all_pairs=all_pairs,
            cut=cut,
            turns=turns,
            true_turns=true_turns,
            by_gender=not no_gender,
            channel=policy,
            cache=not no_cache,
            similarity=similarity,
            replicates=replicates,
            permutations=permutations,
            seed=seed,
            workers=workers,
            progress=Reporter(bar),
        )
    finish_audio(assessed, before, after, required=requirements, **result)


def _wanted(named: tuple[str, ...], oracle_key: bool) -> list[str] | None:
    """Who attacks; None is everybody who can, save who has the key."""
    if not oracle_key:
        return list(named) or None
    # Who tries voices on has to be asked for, too: every try protects everything once more.
    others = [
        name
        for name, one in everybody().items()
        if one.competes and not one.tries and not one.by_name
    ]
    return [*(named or others), ORACLE_KEY.attacker.name]
