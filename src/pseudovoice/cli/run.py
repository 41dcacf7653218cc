"""`pseudovoice run`: a study from its plan."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pseudovoice.cli.common import engine_option, plan_options, workers_option
from pseudovoice.cli.option_names import with_options
from pseudovoice.cli.printable import printable
from pseudovoice.cli.reading import allow_commands_option
from pseudovoice.cli.requiring import leave, require_option, show_judgements
from pseudovoice.errors import UsageError

if TYPE_CHECKING:
    from pseudovoice.library.require import Requirement
    from pseudovoice.study import Plan


@click.command(name="run")
@click.argument("plan", required=False)
@plan_options("Folder for the report; by default named after the plan, in the current folder.")
@click.option("--no-figures", is_flag=True, help="Draw no figures into files.")
@allow_commands_option
@workers_option
@engine_option
@require_option
@click.option("--list", "as_list", is_flag=True, help="List the plans that come along.")
@click.option("--copy", "copy", is_flag=True, help="Print the plan, to be saved and changed.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the numbers, and where everything is, as JSON."
)
def command(
    plan: str | None,
    output: Path | None,
    paths: tuple[str, ...],
    key_file: Path | None,
    no_figures: bool,
    allow_commands: bool,
    workers: int | None,
    required: tuple[str, ...],
    as_list: bool,
    copy: bool,
    as_json: bool,
) -> None:
    """Run the study that PLAN describes: protect, attack, assess, measure, report.

    PLAN is a YAML file or the name of a plan that comes along (--list). A run that was killed goes
    on where it was when it is started again.
    """
    from pseudovoice.study import read_plan
    from pseudovoice.study.shipped import default_output, find_plan

    if as_list:
        _list(as_json)
        return
    if plan is None:
        raise UsageError("Name a plan; those that come along: pseudovoice run --list.")
    file = find_plan(plan)
    if copy:
        click.echo(file.read_text(encoding="utf-8"), nl=False)
        return
    read = read_plan(file, paths=filled_in(paths))
    if key_file is not None:
        read = replace(read, key_file=key_file)
    if no_figures:
        read = replace(read, figures=False)
    conduct(read, output or default_output(file), workers, as_json, allow_commands, required)


def filled_in(paths: Sequence[str]) -> dict[str, str]:
    """What --path says, by name."""
    found = {}
    for text in paths:
        name, equals, folder = text.partition("=")
        if not equals or not name or not folder:
            raise UsageError(f"--path {text}: write NAME=FOLDER, such as librispeech=/data/libri.")
        found[name] = folder
    return found


def conduct(
    plan: Plan,
    out: Path,
    workers: int | None,
    as_json: bool,
    allow_commands: bool,
    required: Sequence[str] = (),
) -> None:
    """Run a study and say where the report is; exit with what is missing or not met."""
    from pseudovoice.cli.progress import Reporter, progress_bar
    from pseudovoice.cli.show import show_problems
    from pseudovoice.library.require import judge, outcome_numbers
    from pseudovoice.study import run_plan
    from pseudovoice.study.keys import key_place
    from pseudovoice.study.tables import long_rows

    requirements = _requirements(plan, required)
    place = key_place(plan, out)
    if place is not None and plan.key_file is None and not place.exists():
        # Said before the work: a run that is killed leaves the key, and people should know of it.
        click.echo(
            printable(f"A new secret key will be in {place}: keep it apart from the speech."),
            err=True,
        )
    with progress_bar() as bar:
        outcome = run_plan(
            plan, out, progress=Reporter(bar), workers=workers, allow_commands=allow_commands
        )
    judged = judge(requirements, outcome_numbers(outcome, plan)) if requirements else ()
    made = outcome.page.parent
    drawn = plan.figures and (made / "figures").is_dir()
    if as_json:
        whole = {
            "report": str(outcome.page),
            "pages": [str(page) for page in outcome.pages],
            "tables": str(made / "tables"),
            "figures": str(made / "figures") if drawn else None,
            "plan_sha256": plan.sha256,
            "headlines": outcome.headlines,
            "notes": outcome.notes,
            **{name: long_rows(outcome.found, name) for name in ("attacks", "rows", "utility")},
            **({"requirements": [one.to_dict() for one in judged]} if judged else {}),
            "problems": outcome.problems,
        }
        click.echo(json.dumps(with_options(whole), indent=1, ensure_ascii=False))
    else:
        figures = f", its figures in {out / 'figures'}" if drawn else ""
        click.echo(
            printable(
                f"The report is in {outcome.page}, its tables are in {out / 'tables'}{figures}."
            )
        )
        for line in outcome.headlines:
            click.echo(printable(f"- {line}"))
        for note in outcome.notes:
            click.echo(printable(f"- {note}"))
    show_judgements(judged, as_json=as_json)
    show_problems(outcome.problems)
    leave(outcome.problems, judged)


def _requirements(plan: Plan, required: Sequence[str]) -> tuple[Requirement, ...]:
    """What is required, before the work; slices have numbers of another kind."""
    from pseudovoice.library.require import known_metrics, read_requirements

    requirements = read_requirements(required, known_metrics(use=plan.utility is not None))
    if requirements and plan.sliced:
        raise UsageError(
            f"--require cannot judge {plan.sliced[0].name}: slices have numbers of another kind; "
            "leave out the chain or the requirement."
        )
    return requirements


def _list(as_json: bool) -> None:
    from pseudovoice.study import shipped_plans

    plans = shipped_plans()
    if as_json:
        click.echo(json.dumps(plans, indent=1, ensure_ascii=False))
        return
    for name, what in plans.items():
        click.echo(f"{name}\n    {what}")
