"""`pseudovoice pool build`: a pool of one's own, from corpora of people who are not protected."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from pseudovoice.cli.common import workers_option
from pseudovoice.cli.printable import printable
from pseudovoice.cli.reading import reading_options
from pseudovoice.encoders import DEFAULT_ENCODER


@click.command(name="build")
@click.argument("corpora", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for the pool (.npz).",
)
@click.option(
    "--encoder",
    default=DEFAULT_ENCODER,
    show_default=True,
    help="Who hears them: the encoder that the voice was trained with.",
)
@workers_option
@reading_options()
def command(
    corpora: tuple[Path, ...],
    output: Path,
    encoder: str,
    workers: int | None,
    speaker_from: str | None,
    layout: str,
    allow_commands: bool,
) -> None:
    """Make a pool of the people of all CORPORA, for xvector:pool=FILE.

    It holds what the encoder hears of each of them, their pitch and sex, and no name. Whoever has
    it can recognise them: take people who have agreed, or public corpora.
    """
    from pseudovoice.cli.progress import Reporter, progress_bar
    from pseudovoice.cli.show import show_problems
    from pseudovoice.cores import usable_cores
    from pseudovoice.corpus import read_corpus
    from pseudovoice.encoders import load_encoder
    from pseudovoice.progress import counter
    from pseudovoice.safeguards.xvector.build import people_of, pool_of
    from pseudovoice.safeguards.xvector.pool import write_pool

    speech = [
        read_corpus(p, layout=layout, allow_commands=allow_commands, speaker_from=speaker_from)
        for p in corpora
    ]
    everybody = sum(len(corpus.speakers) for corpus in speech)
    ear = load_encoder(encoder)
    with progress_bar() as bar:
        step = counter(Reporter(bar), "hearing speakers", everybody)
        people, problems = people_of(speech, ear, workers or usable_cores(), step)
    told = {
        "encoder": ear.name,
        "encoder_sha256": ear.sha256,
        "corpora": [corpus.name for corpus in speech],
    }
    pool = pool_of(people, told)
    write_pool(pool, output)
    women, men = (int((pool.sex == sex).sum()) for sex in ("F", "M"))
    click.echo(
        printable(
            f"{output}: {len(pool):,} people, {women:,} women and {men:,} men, as {ear.name} hears "
            f"them. Use it with --safeguard xvector:pool={output}"
        )
    )
    problems += [p for corpus in speech for p in corpus.problems]
    show_problems(problems)
    sys.exit(1 if problems else 0)
