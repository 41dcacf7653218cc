"""`pseudovoice check`: what a plan would do."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pseudovoice.cli.common import plan_options
from pseudovoice.cli.option_names import as_options, remember
from pseudovoice.cli.printable import printable
from pseudovoice.cli.run import command as run
from pseudovoice.cli.run import filled_in
from pseudovoice.errors import UsageError

if TYPE_CHECKING:
    from pseudovoice.study.forecast import DryRun
    from pseudovoice.study.stage import Step


@click.command(name="check")
@click.argument("plan", required=False)
@plan_options("Where the report is or would be; by default as of `pseudovoice run`.")
@click.option("--workers", type=click.IntRange(1), help="Cores to reckon with; all by default.")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of plans, for editors.")
def command(
    plan: str | None,
    output: Path | None,
    paths: tuple[str, ...],
    key_file: Path | None,
    workers: int | None,
    as_json: bool,
    schema: bool,
) -> None:
    """Check PLAN, and say what would run, what is done already and about how long the rest takes.

    PLAN is a YAML file or the name of a plan that comes along (`pseudovoice run --list`). Nothing
    is made, fetched or run.
    """
    if schema:
        from pseudovoice.study.written import plan_schema

        click.echo(json.dumps(plan_schema(), indent=1, ensure_ascii=False))
        return
    if plan is None:
        raise UsageError("Name a plan; those that come along: pseudovoice run --list.")
    from pseudovoice.study import dry_run, read_plan
    from pseudovoice.study.shipped import default_output, find_plan

    remember(click.get_current_context(), run)  # what is said of a plan is said of its run
    file = find_plan(plan)
    read = read_plan(file, paths=filled_in(paths))
    if key_file is not None:
        read = replace(read, key_file=key_file)
    found = dry_run(read, output or default_output(file), workers=workers)
    if as_json:
        whole = {
            "title": read.title,
            "plan_sha256": read.sha256,
            "sets": found.sets,
            "steps": [
                {"what": s.what, "done": s.done, "seconds": round(s.seconds), "note": s.note}
                for s in found.steps
            ],
            "seconds": round(found.seconds),
            "utterances_of_unknown_length": found.unheard,
            "notes": [as_options(note) for note in found.notes],
        }
        click.echo(json.dumps(whole, indent=1, ensure_ascii=False))
    else:
        _show(read.title, found)


def _show(title: str, found: DryRun) -> None:
    lines = [title, *(f"  {fact}" for fact in found.sets), "", "What would run:"]
    lines += [f"  {_line(step)}" for step in found.steps]
    done = sum(step.done for step in found.steps)
    lines += ["", f"{done} of {len(found.steps)} steps are done; {_rest(found)}."]
    lines += [f"- {as_options(note)}" for note in found.notes]
    click.echo(printable("\n".join(lines)))


def _rest(found: DryRun) -> str:
    from pseudovoice.study.forecast import in_words

    if all(step.done for step in found.steps):
        return "tables and page would be written again, which takes seconds"
    less = ", not counting speech of unknown length" if found.unheard else ""
    return f"the rest takes {in_words(found.seconds)}{less}"


def _line(step: Step) -> str:
    from pseudovoice.study.forecast import in_words

    state = "done" if step.done else in_words(step.seconds)
    return f"{step.what}: {state}{f' ({step.note})' if step.note else ''}"
