"""`pseudovoice assess utility`: what protected speech is still good for."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from pseudovoice.choices import (
    ALL_MEASURES,
    MEASURES,
    REFERENCES,
    UTILITY_REPLICATES,
    Measure,
    Reference,
)
from pseudovoice.cli.channel import channel_option, channel_policy
from pseudovoice.cli.common import engine_option, replicates_option, seed_option, workers_option
from pseudovoice.cli.cutting import turns_for, turns_option
from pseudovoice.cli.option_names import as_options, with_options
from pseudovoice.cli.printable import printable
from pseudovoice.cli.reading import reading_options
from pseudovoice.cli.recogniser import language_option, recogniser_option
from pseudovoice.cli.requiring import leave, require_option, show_judgements
from pseudovoice.cli.talk import remark
from pseudovoice.errors import few

if TYPE_CHECKING:
    from rich.table import Table

    from pseudovoice.corpus import Corpus
    from pseudovoice.utility.assess import UtilityAssessment
    from pseudovoice.utility.rows import UtilityRow

PLACE = click.Path(path_type=Path)
WIDTH = 110
"""Columns of a table that is not cut."""


@click.command(name="utility")
@click.argument("original", type=PLACE)
@click.argument("protected", type=PLACE)
@click.option(
    "--measure",
    "measures",
    type=click.Choice(ALL_MEASURES),
    multiple=True,
    default=MEASURES,
    show_default=True,
    help="What to measure; repeat it for several.",
)
@recogniser_option
@language_option
@click.option(
    "--reference",
    type=click.Choice(REFERENCES),
    default=REFERENCES[0],
    show_default=True,
    help="What words are counted against; auto takes transcripts if there are any.",
)
@turns_option
@click.option(
    "--limit-per-speaker",
    type=click.IntRange(1),
    help="Take this many utterances of each speaker, spread over theirs; all by default.",
)
@click.option("--no-gender", is_flag=True, help="Everybody together only.")
@replicates_option(UTILITY_REPLICATES)
@seed_option("The same seed gives the same table.")
@channel_option
@reading_options("the corpora are")
@workers_option
@engine_option
@click.option("--no-cache", is_flag=True, help="Neither use nor keep stored measurements.")
@require_option
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for the tables.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole result as JSON.")
def command(
    original: Path,
    protected: Path,
    measures: tuple[Measure, ...],
    recogniser: str,
    language: str,
    reference: Reference,
    turns: Path | None,
    limit_per_speaker: int | None,
    no_gender: bool,
    replicates: int,
    seed: int,
    channel: str,
    speaker_from: str | None,
    layout: str,
    allow_commands: bool,
    workers: int | None,
    no_cache: bool,
    required: tuple[str, ...],
    output: Path | None,
    as_json: bool,
) -> None:
    """Measure words, quality and prosody of protected speech beside its originals.

    ORIGINAL and PROTECTED are corpora; utterances are paired by id. A killed run resumes where
    it was.
    """
    from pseudovoice.cli.progress import Reporter, progress_bar
    from pseudovoice.cli.show import show_problems
    from pseudovoice.library.assess import assess_utility
    from pseudovoice.library.cut import read_speech, read_version
    from pseudovoice.library.require import (
        judge,
        known_metrics,
        read_requirements,
        use_numbers,
    )
    from pseudovoice.utility.tables import write_utility

    requirements = read_requirements(required, known_metrics(attacks=False))
    turns = turns_for(turns, original, protected)

    how: dict[str, Any] = {
        "several": turns is not None,
        "layout": layout,
        "allow_commands": allow_commands,
        "speaker_from": speaker_from,
    }

    def heard(corpus: Corpus) -> Corpus:
        said = (
            f"read {corpus.name} ({corpus.layout}): {len(corpus):,} utterances of "
            f"{len(corpus.speakers):,} speakers"
        )
        remark(said)
        return corpus

    policy = channel_policy(channel)
    with progress_bar() as bar:
        assessed = assess_utility(
            heard(read_speech(original, **how)),
            heard(read_version(protected, **how)),
            recogniser=recogniser,
            measures=measures,
            reference=reference,
            language=language,
            turns=turns,
            limit_per_speaker=limit_per_speaker,
            cache=not no_cache,
            channel=policy,
            workers=workers,
            by_gender=not no_gender,
            replicates=replicates,
            seed=seed,
            progress=Reporter(bar),
        )
    judged = judge(requirements, {"": use_numbers(assessed.rows)})
    if output is not None:
        write_utility(assessed, output)
        remark(f"Tables are in {output}.")
    if as_json:
        told = {"requirements": [one.to_dict() for one in judged]} if judged else {}
        whole = with_options({**assessed.to_dict(), **told})
        text = json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False)
        # JSON is UTF-8 whatever the terminal speaks (RFC 8259).
        sys.stdout.flush()
        sys.stdout.buffer.write(f"{text}\n".encode())
        sys.stdout.buffer.flush()
    else:
        _show(assessed)
    show_judgements(judged, as_json=as_json)
    show_problems(assessed.problems)
    leave(assessed.problems, judged)


def _show(assessed: UtilityAssessment) -> None:
    """A table per group, a line per metric, the conditions side by side."""
    from rich.text import Text

    from pseudovoice.cli.show import console

    out = console()
    # Its own console: where the terminal is narrower than the numbers, it wraps the lines itself.
    full = console()
    full.width = max(out.width, WIDTH)
    for group in dict.fromkeys(row.group for row in assessed.rows):
        rows = [row for row in assessed.rows if row.group == group]
        used = max(row.n_utterances for row in rows)
        title = f"\nspeakers: {group} ({rows[0].n_speakers} speakers, {used:,} utterances)"
        out.print(Text(printable(title), style="bold"))
        full.print(_table(rows), soft_wrap=True)
    if counted := assessed.provenance["words_counted"]:
        out.print(Text(f"\nwer, cer and lost: {printable(counted)}."))
    for side in ("original", "protected"):
        if lost := assessed.lost(side):
            out.print(Text(printable(f"lost in the {side}: {few(lost)}")))
    for note in assessed.notes:
        out.print(Text(printable(f"- {as_options(note)}")))


def _table(rows: Sequence[UtilityRow]) -> Table:
    from rich.table import Table
    from rich.text import Text

    from pseudovoice.utility.rows import Condition

    seen = [c for c in get_args(Condition) if any(row.condition == c for row in rows)]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for column in ("metric", "unit", *seen, "good"):
        table.add_column(column, no_wrap=True)
    for metric in dict.fromkeys(row.metric for row in rows):
        some = {row.condition: row for row in rows if row.metric == metric}
        first = next(iter(some.values()))
        unit = {"fraction": "%", "1": ""}.get(first.unit, first.unit)
        cells = [_cell(some[c]) if c in some else "" for c in seen]
        table.add_row(*map(Text, (metric, unit, *cells, first.direction)))
    return table


def _cell(row: UtilityRow) -> str:
    factor, digits = (100, 1) if row.unit == "fraction" else (1, 2)
    if row.low is None or row.high is None:
        return f"{factor * row.value:.{digits}f}"
    value, low, high = (f"{factor * x:.{digits}f}" for x in (row.value, row.low, row.high))
    return f"{value} [{low}, {high}]"
