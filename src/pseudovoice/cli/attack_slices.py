"""`pseudovoice attack slices`: find out which slice follows which, by words and by sound."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pseudovoice.choices import RANKING_REPLICATES, SAMPLES, UTTERANCES
from pseudovoice.cli.common import engine_option, workers_option
from pseudovoice.cli.option_names import with_options
from pseudovoice.cli.printable import printable
from pseudovoice.cli.talk import remark
from pseudovoice.encoders import DEFAULT_ENCODER, encoder_names

if TYPE_CHECKING:
    from pseudovoice.assessment.estimate import Estimate
    from pseudovoice.library.slices import SliceAttack
    from pseudovoice.reassembly import Ranking, Sampled
    from pseudovoice.reassembly.decisions import Decisions

_FILE = click.Path(dir_okay=False, path_type=Path)
_HEADINGS = ("average rank %", "median rank %", "top-1 %", "top-10% %", "whole utterances %")


@click.command(name="slices")
@click.argument("slices", type=click.Path(path_type=Path))
@click.option("--table", type=_FILE, required=True, help="The table that undoes the slicing.")
@click.option(
    "--lm-text",
    type=_FILE,
    multiple=True,
    help="Text, a sentence a line, for the attacker's language model; what is tested is left out.",
)
@click.option("--arpa", type=_FILE, help="A language model of the attacker's instead.")
@click.option("--write-arpa", "arpa_out", type=_FILE, help="Keep the language model in this file.")
@click.option("--sound", is_flag=True, help="Listen too: continuity at the cut, channel, voice.")
@click.option(
    "--encoder",
    type=click.Choice((*encoder_names(), "none")),
    default=DEFAULT_ENCODER,
    show_default=True,
    help="With --sound: the speaker encoder that compares voices.",
)
@click.option(
    "--successor-model",
    "successor_models",
    type=_FILE,
    multiple=True,
    help="With --sound: the model.onnx of `pseudovoice train --model successor` or of --model "
    "successor-xvector; repeat it for both.",
)
@click.option(
    "--own",
    type=click.Path(path_type=Path),
    help="With --sound: slices of the attacker's own, to learn how much each cue counts.",
)
@click.option("--own-table", type=_FILE, help="The table of the attacker's own slices.")
@click.option("--samples", type=click.IntRange(1), default=SAMPLES, show_default=True)
@click.option(
    "--utterances",
    type=click.IntRange(2),
    default=UTTERANCES,
    show_default=True,
    help="With --sound: how many samples of how many utterances.",
)
@click.option(
    "--replicates",
    type=click.IntRange(0),
    default=RANKING_REPLICATES,
    show_default=True,
    help="Bootstrap replicates over utterances for the intervals; 0 for none.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@workers_option
@engine_option
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def command(
    slices: Path,
    table: Path,
    lm_text: tuple[Path, ...],
    arpa: Path | None,
    arpa_out: Path | None,
    sound: bool,
    encoder: str,
    successor_models: tuple[Path, ...],
    own: Path | None,
    own_table: Path | None,
    samples: int,
    utterances: int,
    replicates: int,
    seed: int,
    workers: int | None,
    as_json: bool,
) -> None:
    """Try to find each slice's successor in the corpus SLICES.

    The words are judged with a language model, as in Table 2 of Maouche et al. (2022); with --sound
    also the cut, the channel and the voice, on samples of utterances as in their Table 3.
    """
    from pseudovoice.cli.progress import Reporter, progress_bar
    from pseudovoice.cli.show import show_problems
    from pseudovoice.library.slices import attack

    with progress_bar() as bar:
        found = attack(
            slices,
            table,
            lm_text=lm_text,
            arpa=arpa,
            write_arpa=arpa_out,
            sound=sound,
            encoders=() if encoder == "none" or not sound else encoder,
            successor_model=successor_models,
            own=own,
            own_table=own_table,
            samples=samples,
            utterances=utterances,
            replicates=replicates,
            seed=seed,
            workers=workers,
            progress=Reporter(bar),
        )
    if found.left_out and found.sentences is not None:
        every = found.left_out + found.sentences
        said = f"{found.left_out:,} of {every:,} sentences share six words in a row"
        remark(f"{said} with what is tested and are left out of the language model.")
    if as_json:
        facts = {"attacks": found.to_dict()["order"], "problems": found.problems}
        click.echo(json.dumps(with_options(facts), indent=1))
    else:
        _show(found, samples, utterances)
    show_problems(found.problems)
    sys.exit(1 if found.problems else 0)


def _show(found: SliceAttack, samples: int, utterances: int) -> None:
    from rich.text import Text

    from pseudovoice.cli.show import console
    from pseudovoice.reassembly.attack import FIGURES

    out = console()
    if found.text:
        out.print(Text(f"\nAll {found.slices:,} slices, 95 % intervals over utterances", "bold"))
        _table(found.text, (*FIGURES,))
    if found.sound:
        mean = next(iter(found.sound.values())).slices
        out.print(
            Text(
                f"\n{samples} samples of {utterances} utterances ({mean:.0f} slices each), "
                "smallest and largest of the samples",
                "bold",
            )
        )
        _table(found.sound, (*FIGURES, "recovered"))
        for name, sampled in found.sound.items():
            if sampled.decided is not None:
                out.print(Text(f"{name}: {_decided(sampled.decided)}"))


def _table(results: Mapping[str, Ranking | Sampled], figures: Sequence[str]) -> None:
    from rich.table import Table
    from rich.text import Text

    from pseudovoice.cli.show import console

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("attacker", no_wrap=True)
    for heading in _HEADINGS[: len(figures)]:
        table.add_column(heading, justify="right", no_wrap=True)
    for name, result in results.items():
        table.add_row(Text(printable(name)), *(_cell(getattr(result, f)) for f in figures))
    chance = next(iter(results.values()))
    levels = (getattr(chance, f).null for f in figures)
    table.add_row("chance", *("" if x is None else f"{100 * x:.2f}" for x in levels), style="dim")
    wide = console()
    wide.width = max(wide.width, 160)
    wide.print(table, soft_wrap=True)


def _decided(found: Decisions) -> str:
    """How often a network says right which pairs are successive, in both ways of counting."""
    said = f"right on {100 * found.every_pair:.1f} % of all {sum(found.pairs):,} pairs, of which "
    said += f"{found.pairs[0]:,} are successive"
    if found.balanced is not None:
        said += f"; were half of them so, on {100 * found.balanced:.1f} %"
    kinds = {
        "successive": found.successive,
        "others of one speaker": found.same_speaker,
        "of two": found.other_speaker,
    }
    parts = [f"{kind} {100 * share:.0f} %" for kind, share in kinds.items() if share is not None]
    return f"{said} ({', '.join(parts)})"


def _cell(figure: Estimate) -> str:
    value = f"{100 * float(figure.value):.2f}"
    if figure.low is None or figure.high is None:
        return value
    return f"{value} ({100 * float(figure.low):.2f} to {100 * float(figure.high):.2f})"
