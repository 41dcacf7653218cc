"""`pseudovoice attack slices`: find out which slice follows which, by words and by sound."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pseudovoice.choices import RANKING_REPLICATES, SAMPLES, UTTERANCES
from pseudovoice.cli.common import workers_option
from pseudovoice.cli.option_names import with_options
from pseudovoice.cli.printable import printable
from pseudovoice.encoders import DEFAULT_ENCODER, ENCODER_NAMES, load_encoder
from pseudovoice.errors import InputError, Problem, UsageError

if TYPE_CHECKING:
    from pseudovoice.assessment.estimate import Estimate
    from pseudovoice.corpus import Corpus
    from pseudovoice.reassembly import (
        Ends,
        NGram,
        Ranking,
        Sampled,
        SpeechSuccessor,
        Succession,
    )
    from pseudovoice.slicing import Origin

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
    type=click.Choice((*ENCODER_NAMES, "none")),
    default=DEFAULT_ENCODER,
    show_default=True,
    help="With --sound: the speaker encoder that compares voices.",
)
@click.option(
    "--successor-model",
    type=_FILE,
    help="With --sound: the model.onnx of `pseudovoice train --model successor`.",
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
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def command(
    slices: Path,
    table: Path,
    lm_text: tuple[Path, ...],
    arpa: Path | None,
    arpa_out: Path | None,
    sound: bool,
    encoder: str,
    successor_model: Path | None,
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
    from pseudovoice.cli.show import show_problems
    from pseudovoice.corpus import read_corpus
    from pseudovoice.reassembly import (
        attack_samples,
        attack_text,
        learn_fusions,
        load_successor,
        public_texts,
        succession,
        write_arpa,
    )
    from pseudovoice.slicing import read_table

    if bool(lm_text) == bool(arpa) and (lm_text or not sound):
        raise UsageError("Name the attacker's language model: either --lm-text or --arpa.")
    if (own is None) != (own_table is None):
        raise UsageError("The attacker's own slices need both --own and --own-table.")
    if successor_model is not None and not sound:
        raise UsageError("A --successor-model listens: name it together with --sound.")
    successor = None if successor_model is None else load_successor(successor_model)
    corpus, origins = _paired(read_corpus(slices), read_table(table))
    truth = succession(origins)
    texts = public_texts(corpus, truth.names)
    model = _model(lm_text, arpa, origins)
    if model is not None and arpa_out is not None:
        write_arpa(model, arpa_out)
    by_text: Mapping[str, Ranking] = {}
    by_sound: Mapping[str, Sampled] = {}
    problems: tuple[Problem, ...] = corpus.problems
    if model is not None:
        by_text = attack_text(
            texts, truth, model, replicates=replicates, seed=seed, workers=workers
        )
    if sound:
        heard, faults = _listen(corpus, origins, encoder, successor, workers)
        problems += faults
        fusions = None
        if own is not None and own_table is not None:
            theirs, rows = _paired(read_corpus(own), read_table(own_table))
            own_heard, faults = _listen(theirs, rows, encoder, successor, workers)
            problems += faults
            own_truth = succession(rows)
            own_texts = public_texts(theirs, own_truth.names)
            fusions = learn_fusions(
                own_heard, own_truth, own_texts, model, successor=successor, workers=workers
            )
        by_sound = attack_samples(
            heard, truth, texts, model, fusions=fusions, successor=successor, workers=workers,
            samples=samples, utterances=utterances, seed=seed,
        )  # fmt: skip
    if as_json:
        results = {
            **{name: ranking.to_dict() for name, ranking in by_text.items()},
            **{f"{name}, samples": sampled.to_dict() for name, sampled in by_sound.items()},
        }
        facts = {"attacks": results, "problems": problems}
        click.echo(json.dumps(with_options(facts), indent=1))
    else:
        _show(by_text, by_sound, truth, samples, utterances)
    show_problems(problems)
    sys.exit(1 if problems else 0)


def _paired(corpus: Corpus, origins: Sequence[Origin]) -> tuple[Corpus, list[Origin]]:
    """The table's rows of slices that are there; another corpus's table is an error."""
    present = [origin for origin in origins if origin.slice in corpus.by_id]
    if len(present) < len(corpus) or not present:
        raise InputError(
            f"{corpus.root}: the table knows {len(present):,} of its {len(corpus):,} slices; "
            "name the table that was written with them."
        )
    return corpus, present


def _model(lm_text: Sequence[Path], arpa: Path | None, origins: Sequence[Origin]) -> NGram | None:
    from pseudovoice.reassembly import read_arpa
    from pseudovoice.reassembly.language import learn_from_texts

    if arpa is not None:
        return read_arpa(arpa)
    if not lm_text:
        return None
    learnt = learn_from_texts(lm_text, origins)
    if learnt.left_out and learnt.sentences is not None:
        every = learnt.left_out + learnt.sentences
        said = f"{learnt.left_out:,} of {every:,} sentences share six words in a row"
        click.echo(f"{said} with what is tested and are left out of the language model.", err=True)
    return learnt.model


def _listen(
    corpus: Corpus,
    origins: Sequence[Origin],
    encoder: str,
    successor: SpeechSuccessor | None,
    workers: int | None,
) -> tuple[list[Ends], tuple[Problem, ...]]:
    from pseudovoice.cli.progress import progress_bar
    from pseudovoice.reassembly import listen

    voices = None if encoder == "none" else load_encoder(encoder)
    with progress_bar() as bar:
        task = bar.add_task(f"listening to {corpus.name}", total=len(corpus))
        heard = listen(
            corpus,
            encoder=voices,
            joining=successor is not None,
            workers=workers,
            progress=lambda count: bar.advance(task, count),
        )
    missing = [origin.slice for origin in origins if origin.slice not in heard.slices]
    if missing:
        raise InputError(
            f"{corpus.root}: {len(missing):,} slices cannot be heard; the first reason: "
            f"{heard.problems[0]}"
        )
    return [heard.slices[origin.slice] for origin in origins], heard.problems


def _show(
    by_text: Mapping[str, Ranking],
    by_sound: Mapping[str, Sampled],
    truth: Succession,
    samples: int,
    utterances: int,
) -> None:
    from rich.text import Text

    from pseudovoice.cli.show import console
    from pseudovoice.reassembly.attack import FIGURES

    out = console()
    if by_text:
        out.print(Text(f"\nAll {len(truth):,} slices, 95 % intervals over utterances", "bold"))
        _table(by_text, (*FIGURES,))
    if by_sound:
        mean = next(iter(by_sound.values())).slices
        out.print(
            Text(
                f"\n{samples} samples of {utterances} utterances ({mean:.0f} slices each), "
                "smallest and largest of the samples",
                "bold",
            )
        )
        _table(by_sound, (*FIGURES, "recovered"))


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


def _cell(figure: Estimate) -> str:
    value = f"{100 * float(figure.value):.2f}"
    if figure.low is None or figure.high is None:
        return value
    return f"{value} ({100 * float(figure.low):.2f} to {100 * float(figure.high):.2f})"
