"""`pseudovoice attack identity`: find out whose slice it is."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pseudovoice.attacks.registry import comparing
from pseudovoice.choices import (
    ENROLLED_MODELS,
    ENROLLED_SHARE,
    ENROLMENTS,
    IDENTITY_REPLICATES,
)
from pseudovoice.cli.common import engine_option, workers_option
from pseudovoice.cli.lists import enrolls_option, trials_option
from pseudovoice.cli.option_names import with_options
from pseudovoice.cli.printable import printable
from pseudovoice.encoders import DEFAULT_ENCODER

if TYPE_CHECKING:
    from pseudovoice.assessment.estimate import Estimate
    from pseudovoice.reidentification import IdentityResult

PLACE = click.Path(path_type=Path)


@click.command(name="identity")
@click.argument("slices", type=PLACE)
@click.argument("original", type=PLACE)
@click.option(
    "--table",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="The table that undoes the slicing.",
)
@click.option(
    "--attacker-protected",
    type=PLACE,
    help="The speakers' whole utterances under the attacker's own key (lazy-informed).",
)
@click.option(
    "--attacker-training",
    type=PLACE,
    help="Other speakers' speech, protected by the attacker (semi-informed).",
)
@click.option(
    "--cut-training",
    is_flag=True,
    help="Let whoever trains learn from pieces as long as the slices; uncut, as in the paper, "
    "without.",
)
@click.option(
    "--attacker",
    "attackers",
    multiple=True,
    type=click.Choice(comparing()),
    help="Who attacks; repeat it for several. By default everybody whose speech is named and who "
    "trains no encoder.",
)
@click.option(
    "--encoder",
    "encoders",
    multiple=True,
    default=(DEFAULT_ENCODER,),
    show_default=True,
    help="A recogniser; repeat it for several attackers (see `pseudovoice models`).",
)
@click.option(
    "--enrolment",
    "enrolments",
    type=click.Choice(ENROLMENTS),
    multiple=True,
    default=ENROLMENTS,
    show_default=True,
    help="Speech the attacker has: cut like the slices, or not; repeat it for both.",
)
@click.option(
    "--models",
    type=click.Choice(ENROLLED_MODELS),
    default=ENROLLED_MODELS[0],
    show_default=True,
    help="Compare with all that is enrolled of a person, or piece by piece.",
)
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=ENROLLED_SHARE,
    show_default=True,
    help="Share of each person's utterances that the attacker has, where no lists say; the rest is "
    "tried.",
)
@trials_option
@enrolls_option
@click.option(
    "--replicates",
    type=click.IntRange(0),
    default=IDENTITY_REPLICATES,
    show_default=True,
    help="Speaker-bootstrap replicates and permutations; 0 for none.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@workers_option
@engine_option
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def command(
    slices: Path,
    original: Path,
    table: Path,
    attacker_protected: Path | None,
    attacker_training: Path | None,
    cut_training: bool,
    attackers: tuple[str, ...],
    encoders: tuple[str, ...],
    enrolments: tuple[str, ...],
    models: str,
    share: float,
    trials: tuple[Path, ...],
    enrolls: Path | None,
    replicates: int,
    seed: int,
    workers: int | None,
    as_json: bool,
) -> None:
    """Try to tell who speaks in each of the SLICES made from the corpus ORIGINAL.

    The attacker has some utterances of each person and tries the slices of the others, as in
    Fig. 3 of Maouche et al. (2022); which, VoicePrivacy's lists may say. The same attack on clear
    slices stands beside it.
    """
    from pseudovoice.cli.progress import Reporter, progress_bar
    from pseudovoice.cli.show import show_problems
    from pseudovoice.library.slices import attack

    with progress_bar() as bar:
        found = attack(
            slices,
            table,
            original,
            attacker_protected=attacker_protected,
            attacker_training=attacker_training,
            cut_training=cut_training,
            attackers=attackers or None,
            encoders=encoders,
            enrolments=enrolments,
            models=models,
            share=share,
            trials=trials,
            enrolls=enrolls,
            replicates=replicates,
            seed=seed,
            workers=workers,
            progress=Reporter(bar),
        )
    if as_json:
        facts = {
            "attacks": [one.to_dict() for one in found.identity],
            "models": models,
            **({"share": share} if enrolls is None else {"trials": [str(t) for t in trials]}),
            "problems": found.problems,
        }
        click.echo(json.dumps(with_options(facts), indent=1))
    else:
        _show(found.identity)
    show_problems(found.problems)
    sys.exit(1 if found.problems else 0)


def _show(attacks: Sequence[IdentityResult]) -> None:
    """Attack and control side by side, the attacker's knowledge before any number."""
    from rich.table import Table
    from rich.text import Text

    from pseudovoice.cli.show import console

    out = console()
    for attacker in dict.fromkeys(attack.attacker for attack in attacks):
        some = [attack for attack in attacks if attack.attacker == attacker]
        out.print(Text(f"\nThe {attacker} attacker {some[0].who.knows}.", style="bold"))
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        for title in ("encoder", "enrolment"):
            table.add_column(title, no_wrap=True)
        for title in ("D_sys", "clear", "EER %", "clear", "mated", "non-mated"):
            table.add_column(title, justify="right", no_wrap=True)
        for a in some:
            table.add_row(
                Text(printable(a.encoder)),
                a.enrolment,
                _cell(a.linked.d_sys, 1),
                _cell(a.control.d_sys, 1),
                _cell(a.linked.eer, 100),
                _cell(a.control.eer, 100),
                f"{a.linked.n_mated:,}",
                f"{a.linked.n_nonmated:,}",
            )
        wide = console()
        wide.width = max(wide.width, 140)
        wide.print(table, soft_wrap=True)
    first = attacks[0].linked.d_sys
    if first.null is not None:
        out.print(f"D_sys of permuted names: {first.null:.2f}. Intervals of 95 % over speakers.")


def _cell(figure: Estimate, factor: float) -> str:
    digits = 3 if factor == 1 else 1
    value = f"{factor * float(figure.value):.{digits}f}"
    if figure.low is None or figure.high is None:
        return value
    low, high = (f"{factor * float(x):.{digits}f}" for x in (figure.low, figure.high))
    return f"{value} [{low}, {high}]"
