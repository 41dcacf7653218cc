"""`pseudovoice protect`: give every speaker of a corpus a pseudo-voice."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from pseudovoice.cli.common import key_options, workers_option
from pseudovoice.cli.progress import progress_bar
from pseudovoice.cli.reading import reading_options
from pseudovoice.cli.show import printable, show_problems
from pseudovoice.corpus import read_corpus
from pseudovoice.errors import UsageError
from pseudovoice.safeguards import parse_chain
from pseudovoice.safeguards.key import Key, new_key, read_key, write_key
from pseudovoice.safeguards.protect import Protected, protect_corpus


@click.command(name="protect")
@click.argument("corpus", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--safeguard",
    required=True,
    metavar="NAME[:PARAM=VALUE,…][+NAME…]",
    help="A safeguard or a chain of them (see `pseudovoice list safeguards`).",
)
@key_options(
    "The secret key; made beside OUT if none is named and one is needed.",
    "everybody another voice",
)
@click.option(
    "--undo-table",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With a chain that ends in slice: file, outside OUT, for the table that undoes it.",
)
@click.option("--rename", is_flag=True, help="Give speakers and utterances keyed pseudonyms.")
@reading_options()
@workers_option
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
def command(
    corpus: Path,
    out: Path,
    safeguard: str,
    key_file: Path | None,
    key_session: str,
    undo_table: Path | None,
    rename: bool,
    layout: str,
    allow_commands: bool,
    workers: int | None,
    as_json: bool,
) -> None:
    """Write a protected copy of CORPUS into the folder OUT.

    Sample rate, channels, length and level stay. The same key and session give the same voices
    next year; a killed run resumes when it is started again. A chain that ends in slice writes
    slices without names instead.
    """
    chain = parse_chain(safeguard)
    source = read_corpus(corpus, layout=layout, allow_commands=allow_commands)
    if out.resolve().is_relative_to(source.root.resolve()):
        raise UsageError(f"{out}: protected speech cannot lie inside the corpus it comes from.")
    key_file, key = _key(key_file, out, needed=rename or not chain.deterministic)
    with progress_bar() as bar:

        def stage(title: str, size: int) -> Callable[[int], None]:
            search = bar.add_task(title, total=size)
            return lambda count: bar.advance(search, count)

        task = bar.add_task(f"protecting {source.name}", total=len(source))
        done = protect_corpus(
            source,
            out,
            chain,
            key=key,
            key_session=key_session,
            rename=rename,
            workers=workers,
            progress=lambda count: bar.advance(task, count),
            key_file=key_file,
            stage=stage,
            undo_table=undo_table,
        )
    if as_json:
        click.echo(
            json.dumps(
                {
                    "out": str(out),
                    **_counts(done),
                    "protected_now": done.done,
                    "resumed": done.resumed,
                    "key": None if key is None else key.identifier,
                    "key_session": key_session,
                    "safeguard": chain.to_dict(),
                    "problems": [str(p) for p in done.problems],
                },
                indent=1,
                ensure_ascii=False,
            )
        )
    elif done.summary is not None:
        click.echo(printable(f"{done.summary}; protected with {chain.name} in {out}"))
        if undo_table is not None:
            click.echo(printable(f"What undoes it is in {undo_table}: keep it apart."), err=True)
    else:
        before = f", {done.resumed:,} of them before" if done.resumed else ""
        click.echo(
            f"{len(done.corpus):,} utterances of {len(done.corpus.speakers):,} speakers "
            f"protected with {chain.name} in {out}{before}"
        )
    show_problems(done.problems)
    sys.exit(1 if done.problems else 0)


def _counts(done: Protected) -> dict[str, Any]:
    """How much there is; slices have no speakers that could be counted."""
    if done.summary is not None:
        return done.summary.to_dict()
    return {"utterances": len(done.corpus), "speakers": len(done.corpus.speakers)}


def _key(key_file: Path | None, out: Path, *, needed: bool) -> tuple[Path | None, Key | None]:
    """The key to use and its file; a new one is made outside OUT, and its place is said once."""
    if key_file is None:
        if not needed:
            return None, None
        key_file = out.resolve().with_name(out.resolve().name + ".key")
        if not key_file.exists():
            write_key(new_key(), key_file)
            click.echo(
                f"A new secret key is in {key_file}: keep it apart from the speech.", err=True
            )
    elif key_file.resolve().is_relative_to(out.resolve()):
        raise UsageError(f"{key_file}: a key must not lie in the folder of the speech it protects.")
    return key_file, read_key(key_file)
