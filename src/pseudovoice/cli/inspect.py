"""``pseudovoice inspect CORPUS``: what a corpus holds, what can be assessed, what is wrong."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import click

from pseudovoice.cli.cutting import turns_for, turns_option
from pseudovoice.cli.option_names import as_options, with_options
from pseudovoice.cli.printable import printable
from pseudovoice.cli.reading import reading_options


@click.command("inspect")
@click.argument("path", metavar="CORPUS", type=click.Path(path_type=Path))
@turns_option
@reading_options()
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(
    path: Path,
    turns: Path | None,
    speaker_from: str | None,
    layout: str,
    allow_commands: bool,
    as_json: bool,
) -> None:
    """Print what CORPUS holds, what of it can be assessed, and every problem with it.

    CORPUS may be a single recording, of several people with --turns. Problems are listed on
    standard error and make the exit code 1.
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from pseudovoice.cli.progress import Reporter, progress_bar
    from pseudovoice.corpus import examine
    from pseudovoice.library.cut import read_speech
    from pseudovoice.library.diarise import turns_of
    from pseudovoice.pieces.assessable import assessable, people_in
    from pseudovoice.progress import counter
    from pseudovoice.protection.by_turns import matched_turns

    turns = turns_for(turns, path)
    several = turns is not None
    corpus = read_speech(
        path,
        several=several,
        layout=layout,
        allow_commands=allow_commands,
        speaker_from=speaker_from,
    )
    spoken = None if turns is None else matched_turns(corpus, turns_of(turns))
    with progress_bar() as bar:
        step = counter(Reporter(bar), "decoding", len(corpus))
        found = examine(corpus, workers=os.cpu_count() or 1, on_progress=step)
    facts = with_options(found.to_dict())
    problems = facts.pop("problems")
    if spoken is not None:
        # Those of the recordings would be a person for each file, whoever speaks in it.
        number = len(people_in(corpus, spoken))
        facts |= {"speakers": number, "genders": {"unknown": number}}
        facts["turns"] = sum(len(one.turns) for one in spoken.values())
    can = assessable(corpus, found.seconds, spoken)
    if as_json:
        answers = [one.to_dict() for one in can]
        click.echo(json.dumps({**facts, "assessable": answers, "problems": problems}, indent=2))
    else:
        table = Table("", "understood", title=escape(f"{found.name} ({found.layout})"))
        for name, value in facts.items():
            table.add_row(name.replace("_", " "), escape(_words(value)))
        Console().print(table)
        click.echo("What can be assessed:")
        for one in can:
            answer = "yes" if one.possible else "no "
            click.echo(printable(f"- {answer} {one.what}: {as_options(one.why)}."))
    for problem in found.problems:
        click.echo(as_options(problem), err=True)
    sys.exit(1 if found.problems else 0)


def _words(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{count} × {name}" for name, count in value.items()) or "none"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
