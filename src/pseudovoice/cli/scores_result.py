"""What `assess scores` and `assess embeddings` print and write."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pseudovoice.assessment.assess import Assessment
from pseudovoice.attacks.from_scores import attacks_of
from pseudovoice.cli.printable import printable
from pseudovoice.cli.requiring import leave, show_judgements
from pseudovoice.cli.show import show_assessment, show_problems, show_verdicts
from pseudovoice.cli.talk import remark
from pseudovoice.errors import Problem
from pseudovoice.packages import check_installed

if TYPE_CHECKING:
    from pseudovoice.library.require import Judgement, Requirement

PAGE = "report.html"
NO_PAGE = "No page is written: it needs scores that name speakers, of OO and of OP or PQ"


def check_output(output: Path | None) -> None:
    """What writing needs, before anything is computed."""
    if output is not None:
        check_installed("matplotlib", "Page and figures (-o)")
        check_installed("pyarrow", "Tables in Parquet (-o)")


def finish(
    assessments: Mapping[str, Assessment],
    problems: Sequence[Problem],
    *,
    set_name: str,
    output: Path | None,
    no_figures: bool,
    empirical_prior: bool,
    as_json: bool,
    required: Sequence[Requirement] = (),
) -> None:
    """Write and print the results of systems, by name; exit with the code that says what is missing
    or not met.
    """
    from pseudovoice.library.require import attack_numbers, judge
    from pseudovoice.report.folder import write_folder

    several = len(assessments) > 1
    judged = judge(
        required,
        {
            system if several else "": attack_numbers(
                attacks_of(one, problems), f"{system}, " if several else ""
            )
            for system, one in assessments.items()
        },
    )
    if output is not None:
        write_folder(
            assessments,
            output,
            set_name=set_name,
            figures=not no_figures,
            prior=None if empirical_prior else 0.5,
        )
        what = "tables are" if no_figures else "tables and figures are"
        page = _page(assessments, problems, output, set_name)
        remark(f"{NO_PAGE if page is None else f'The report is in {page}'}; {what} in {output}.")
    if as_json:
        _print_json(assessments, judged)
    else:
        _show(assessments)
    show_judgements(judged, as_json=as_json)
    show_problems(problems)
    leave(problems, judged)


def _page(
    assessments: Mapping[str, Assessment], problems: Sequence[Problem], folder: Path, set_name: str
) -> Path | None:
    """The page, where every system has a control and its scores name speakers."""
    from pseudovoice.page import CorpusFacts, Findings, gather, write_page

    tested = [
        Findings(system, attacks_of(one, problems), elsewhere=True)
        for system, one in assessments.items()
    ]
    people = {row.speaker for one in assessments.values() for row in one.speakers}
    if not people or not all(one.assessed.attacks for one in tested):
        return None
    systems = ", ".join(assessments)
    facts = CorpusFacts(set_name, len(people), None)
    write_page(folder / PAGE, gather(f"{systems} on {set_name}", facts, tested))
    return folder / PAGE


def _print_json(assessments: Mapping[str, Assessment], judged: Sequence[Judgement]) -> None:
    """One system as it is, several by their names."""
    from pseudovoice.report.tables import with_verdicts

    told = {system: with_verdicts(one) for system, one in assessments.items()}
    whole: dict[str, Any] = {"systems": told} if len(told) > 1 else next(iter(told.values()))
    if judged:
        whole["requirements"] = [one.to_dict() for one in judged]
    text = json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False)
    # JSON is UTF-8 whatever the terminal speaks (RFC 8259).
    sys.stdout.flush()
    sys.stdout.buffer.write(f"{text}\n".encode())
    sys.stdout.buffer.flush()


def _show(assessments: Mapping[str, Assessment]) -> None:
    for system, one in assessments.items():
        if len(assessments) > 1:
            click.echo(printable(f"\n=== {system} ==="))
        show_verdicts(one)
        show_assessment(one)
