"""`pseudovoice merge`: what shards made, as if one run had made it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from pseudovoice.cli.option_names import with_options
from pseudovoice.cli.printable import printable


@click.command(name="merge")
@click.argument("parts", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    "out",
    required=True,
    type=click.Path(path_type=Path),
    help="Where the whole goes: a folder, or for embeddings a file.",
)
@click.option(
    "--undo-table",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With slices: file, outside the output, for the table that undoes them.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
def command(parts: tuple[Path, ...], out: Path, undo_table: Path | None, as_json: bool) -> None:
    """Put PARTS together, the outputs of all shards (--shard K/N) of protect, slice or embed.

    The whole is what a run without shards makes, byte for byte. A shard that is missing, named
    twice, unfinished, or of another key, setting or corpus is refused before anything is written.
    Neither the corpus nor the key is needed; the parts stay as they are.
    """
    from pseudovoice.cli.progress import Reporter, progress_bar
    from pseudovoice.cli.show import show_problems
    from pseudovoice.library.embed import Embedded
    from pseudovoice.library.merge import merge

    with progress_bar() as bar:
        done = merge(parts, out, undo_table=undo_table, progress=Reporter(bar))
    count = len(done.embeddings if isinstance(done, Embedded) else done.corpus)
    if as_json:
        facts = {"out": str(out), "items": count, "problems": done.problems}
        click.echo(json.dumps(with_options(facts), indent=1, ensure_ascii=False))
    else:
        what = "embeddings" if isinstance(done, Embedded) else "files of speech"
        click.echo(printable(f"{count:,} {what} in {out}"))
        if undo_table is not None:
            click.echo(printable(f"What undoes it is in {undo_table}: keep it apart."), err=True)
    show_problems(done.problems)
    sys.exit(1 if done.problems else 0)
