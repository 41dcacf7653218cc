"""``pseudovoice inspect CORPUS``: what was understood of a corpus, and what is wrong with it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import click

from pseudovoice.cli.option_names import as_options, with_options
from pseudovoice.cli.reading import reading_options, speaker_from_option


@click.command("inspect")
@click.argument("path", metavar="CORPUS", type=click.Path(path_type=Path))
@speaker_from_option
@reading_options()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(
    path: Path, speaker_from: str | None, layout: str, allow_commands: bool, as_json: bool
) -> None:
    """Print what CORPUS holds, and every problem with it.

    Problems are listed on standard error and make the exit code 1.
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress
    from rich.table import Table

    from pseudovoice.corpus import examine, read_corpus
    from pseudovoice.corpus.recordings import is_recording, read_recordings

    if speaker_from is not None or is_recording(path):
        corpus = read_recordings(
            path, layout=layout, allow_commands=allow_commands, speaker_from=speaker_from
        )
    else:
        corpus = read_corpus(path, layout=layout, allow_commands=allow_commands)
    console = Console(stderr=True)
    with Progress(console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("Decoding", total=len(corpus))
        found = examine(
            corpus, workers=os.cpu_count() or 1, on_progress=lambda n: bar.advance(task, n)
        )
    facts = with_options(found.to_dict())
    problems = facts.pop("problems")
    if as_json:
        click.echo(json.dumps({**facts, "problems": problems}, indent=2))
    else:
        table = Table("", "understood", title=escape(f"{found.name} ({found.layout})"))
        for name, value in facts.items():
            table.add_row(name.replace("_", " "), escape(_words(value)))
        Console().print(table)
    for problem in found.problems:
        click.echo(as_options(problem), err=True)
    sys.exit(1 if found.problems else 0)


def _words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{count} × {name}" for name, count in value.items()) or "none"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
