"""`pseudovoice diarise`: who speaks when in recordings of several people."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pseudovoice.choices import TURN_FORMATS
from pseudovoice.cli.common import people_option, workers_option
from pseudovoice.cli.option_names import with_options
from pseudovoice.cli.printable import printable
from pseudovoice.cli.reading import allow_commands_option, layout_option

if TYPE_CHECKING:
    from pseudovoice.diarisation import Turns


@click.command(name="diarise")
@click.argument("recordings", metavar="RECORDING|CORPUS", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="File for the turns (.rttm, .txt for Audacity, .jsonl for lhotse, .eaf for ELAN), or a "
    "folder for a file each; RTTM on standard output without it.",
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(TURN_FORMATS),
    default=TURN_FORMATS[0],
    show_default=True,
    help="Of the files in a folder.",
)
@people_option
@click.option(
    "--no-match",
    "match",
    is_flag=True,
    callback=lambda _context, _option, apart: not apart,
    help="Do not look for people who speak in several recordings.",
)
@click.option("--encoder", default="resnet34-lm", show_default=True, help="Who hears voices apart.")
@click.option(
    "--turns",
    type=click.Path(path_type=Path),
    metavar="FILE|FOLDER",
    help="Take the turns from here instead of finding them: to convert or to measure them.",
)
@click.option(
    "--reference",
    type=click.Path(path_type=Path),
    metavar="FILE|FOLDER",
    help="The true turns: print the diarisation error rate as well.",
)
@layout_option("a corpus is")
@allow_commands_option
@workers_option
@click.option("--json", "as_json", is_flag=True, help="Print turns and errors as JSON.")
def command(
    recordings: Path,
    output: Path | None,
    kind: str,
    people: int | None,
    match: bool,
    encoder: str,
    turns: Path | None,
    reference: Path | None,
    layout: str,
    allow_commands: bool,
    workers: int | None,
    as_json: bool,
) -> None:
    """Find who speaks when in RECORDING, or in all recordings of CORPUS.

    People are numbered by who speaks first; rename them in the file that is written, and
    `pseudovoice protect --turns` gives each name a voice. Where two speak at once, both do.
    """
    from pseudovoice.cli.progress import Reporter, progress_bar
    from pseudovoice.cli.show import show_problems
    from pseudovoice.diarisation.error_rate import errors_of
    from pseudovoice.diarisation.formats import FORMATS, format_of, write_each, write_turns
    from pseudovoice.library.diarise import diarise, recordings_of, turns_of
    from pseudovoice.protection.by_turns import matched_turns

    in_folder = output is not None and (output.is_dir() or not output.suffix)
    if output is not None and not in_folder:
        format_of(output)  # a misspelt suffix must not be found out after an hour
    corpus = recordings_of(recordings, layout=layout, allow_commands=allow_commands)
    truth = {} if reference is None else matched_turns(corpus, turns_of(reference))
    if turns is None:
        with progress_bar() as bar:
            done = diarise(
                corpus,
                people=people,
                match=match,
                encoder=encoder,
                workers=workers,
                progress=Reporter(bar),
            )
        found, problems = done.turns, done.problems
    else:
        found, problems = matched_turns(corpus, turns_of(turns)), corpus.problems
    errors = errors_of([(truth[name], found[name]) for name in found]) if truth else {}
    every = list(found.values())
    if output is not None and in_folder:
        write_each(every, output, kind)
    elif output is not None:
        write_turns(every, output)
    if as_json:
        facts = {
            "recordings": {name: _facts(one) for name, one in found.items()},
            "error": {f"collar_{c:g}": error.to_dict() for c, error in errors.items()},
            "problems": problems,
        }
        click.echo(json.dumps(with_options(facts), indent=1, ensure_ascii=False))
    else:
        if output is None:
            click.echo(printable(FORMATS["rttm"].write(every)), nl=False)
        for name, one in found.items():
            click.echo(printable(f"{name}: {_said(one)}"), err=output is None)
        for collar, error in errors.items():
            click.echo(error.said(collar), err=output is None)
    show_problems(problems)
    sys.exit(1 if problems else 0)


def _spoken(turns: Turns) -> tuple[dict[str, float], float]:
    """Seconds of each person, and of several at once."""
    strips = turns.strips(turns.end)
    by_person = {p: sum(t.seconds for t in turns.turns if t.person == p) for p in turns.people}
    return by_person, sum(s.seconds for s in strips if len(s.people) > 1)


def _said(turns: Turns) -> str:
    by_person, overlap = _spoken(turns)
    if not by_person:
        return "nobody speaks"
    each = ", ".join(f"{person} {seconds:.1f} s" for person, seconds in by_person.items())
    number = "1 person" if len(by_person) == 1 else f"{len(by_person)} people"
    return f"{number} ({each}), {overlap:.1f} s of it several at once"


def _facts(turns: Turns) -> dict[str, Any]:
    by_person, overlap = _spoken(turns)
    return {
        "people": {person: round(seconds, 3) for person, seconds in by_person.items()},
        "overlap_seconds": round(overlap, 3),
        "turns": [
            {"start": round(t.start, 3), "end": round(t.end, 3), "person": t.person}
            for t in turns.turns
        ],
    }
