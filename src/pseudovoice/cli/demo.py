"""`pseudovoice demo`: from nothing to a report on real speech."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import click

from pseudovoice.cli.common import workers_option
from pseudovoice.cli.printable import printable
from pseudovoice.cli.talk import remark


@click.command(name="demo")
@click.option(
    "-o",
    "--output",
    default="demo-report",
    show_default=True,
    help="Folder to write.",
    type=click.Path(file_okay=False, path_type=Path),
)
@click.option(
    "--include-originals",
    is_flag=True,
    help="Let the page play the original voices beside the protected ones.",
)
@workers_option
@click.option("--json", "as_json", is_flag=True, help="Print the five lines as JSON.")
def command(output: Path, include_originals: bool, workers: int | None, as_json: bool) -> None:
    """Protect, attack and assess the speech of 21 people, and write the report.

    Speech and models are fetched by name on first use (about 170 MB) and kept in the cache. Then
    it takes about eight minutes on two cores; a run that was stopped goes on where it was.
    """
    from pseudovoice.cli.progress import Reporter, progress_bar
    from pseudovoice.cli.show import show_problems
    from pseudovoice.demo import demo_speech, equip, five_lines, run_demo

    begun = time.monotonic()
    with progress_bar() as bar:
        show = Reporter(bar)
        _say("Getting the recordings and cutting them at pauses.")
        speech = demo_speech(lambda done, total: show("cutting recordings", done, total))
        if speech.synthetic:
            _say(speech.why)
        corpus = speech.corpus
        _say(f"{len(corpus)} utterances of {len(corpus.speakers)} speakers. {speech.note}")
        equipment = equip(_say)
        for sentence in equipment.missing:
            _say(sentence)
        fetched = time.monotonic()
        names = ", ".join(text.partition(":")[0] for text in equipment.safeguards)
        _say(f"Protecting with {names}, attacking, assessing.")
        outcome = run_demo(
            speech,
            equipment,
            output,
            include_originals=include_originals,
            workers=workers,
            progress=show,
        )
    ended = time.monotonic()
    _say(f"Getting ready took {_spoken(fetched - begun)}, the rest {_spoken(ended - fetched)}.")
    lines = five_lines(outcome.study)
    if as_json:
        found = {"report": str(outcome.page), "synthetic": speech.synthetic, "lines": lines}
        click.echo(json.dumps(found, indent=1, ensure_ascii=False))
    else:
        click.echo("")
        for line in lines:
            click.echo(printable(f"- {line}"))
        if speech.synthetic:
            click.echo("\nThese are synthetic voices: the numbers say nothing about people.")
        click.echo(printable(f"\nThe report is in {outcome.page}"))
    show_problems(outcome.problems)
    sys.exit(1 if outcome.problems else 0)


def _say(sentence: str) -> None:
    remark(sentence)


def _spoken(seconds: float) -> str:
    return f"{int(seconds) // 60} min {int(seconds) % 60} s"
