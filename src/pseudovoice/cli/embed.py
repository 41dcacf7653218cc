"""`pseudovoice embed`: the embeddings of a corpus as a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from pseudovoice.cli.channel import channel_option, channel_policy
from pseudovoice.cli.common import shard_option, workers_option
from pseudovoice.cli.option_names import with_options
from pseudovoice.cli.printable import printable
from pseudovoice.cli.reading import reading_options
from pseudovoice.encoders.registry import DEFAULT_ENCODER


@click.command(name="embed")
@click.argument("corpus", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    "out",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The npz file to write.",
)
@click.option(
    "--encoder",
    default=DEFAULT_ENCODER,
    show_default=True,
    help="Who listens (see `pseudovoice models list`), or an ONNX file.",
)
@channel_option
@reading_options()
@shard_option
@click.option("--no-cache", is_flag=True, help="Neither use nor keep stored embeddings.")
@workers_option
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
def command(
    corpus: Path,
    out: Path,
    encoder: str,
    channel: str,
    speaker_from: str | None,
    layout: str,
    allow_commands: bool,
    shard: str | None,
    no_cache: bool,
    workers: int | None,
    as_json: bool,
) -> None:
    """Write the embeddings of CORPUS into a file that `pseudovoice assess embeddings` reads.

    It tells people apart, so only its owner can read it. A killed run resumes by the cache.
    """
    from pseudovoice.cli.progress import Reporter, progress_bar
    from pseudovoice.cli.show import show_problems
    from pseudovoice.library.embed import embed

    with progress_bar() as bar:
        done = embed(
            corpus,
            out,
            encoder=encoder,
            channel=channel_policy(channel),
            layout=layout,
            allow_commands=allow_commands,
            speaker_from=speaker_from,
            shard=shard,
            cache=not no_cache,
            workers=workers,
            progress=Reporter(bar),
        )
    if as_json:
        facts = {"out": str(out), "embeddings": len(done.embeddings), "problems": done.problems}
        click.echo(json.dumps(with_options(facts), indent=1, ensure_ascii=False))
    else:
        share = "" if shard is None else f"shard {shard}: "
        click.echo(printable(f"{share}{len(done.embeddings):,} embeddings by {encoder} in {out}"))
    show_problems(done.problems)
    sys.exit(1 if done.problems else 0)
