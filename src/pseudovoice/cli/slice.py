"""`pseudovoice slice`: cut the utterances of a corpus into slices that stand for themselves."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pseudovoice.choices import LEAST_CONFIDENCE, SLICE_WORDS, SLICINGS
from pseudovoice.cli.aligner import alignments_option
from pseudovoice.cli.common import engine_option, key_options, shard_option, workers_option
from pseudovoice.cli.key_file import say_new_key
from pseudovoice.cli.option_names import with_options
from pseudovoice.cli.printable import printable
from pseudovoice.cli.reading import reading_options

if TYPE_CHECKING:
    from pseudovoice.slicing.texts import SlicedText


@click.command(name="slice")
@click.argument("corpus", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--duration",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    help="Seconds that a slice lasts at least.",
)
@click.option(
    "--method",
    type=click.Choice(SLICINGS),
    default=SLICINGS[0],
    show_default=True,
    help="Cut between words, or keep the first seconds, or cut pieces of fixed duration.",
)
@click.option(
    "--overlap",
    is_flag=True,
    help="Leave the silence at a cut in both slices, as Algorithm 1 does; it gives them away.",
)
@click.option(
    "--trim",
    type=click.FloatRange(0),
    default=0.0,
    show_default=True,
    help="Seconds to leave out on either side of a cut, where the waveform would go on.",
)
@click.option(
    "--text",
    is_flag=True,
    help="Cut text alone, into the file OUT; CORPUS may be a text with a sentence a line, or a "
    "table of Common Voice (.tsv).",
)
@click.option(
    "--words", type=click.IntRange(1), default=SLICE_WORDS, show_default=True, help="Of --text."
)
@alignments_option()
@click.option(
    "--least-confidence",
    type=click.FloatRange(0, 1),
    default=LEAST_CONFIDENCE,
    show_default=True,
    help="Leave out utterances whose alignment is less sure.",
)
@key_options(
    "The secret key of the slices' names; made beside OUT if none is named.",
    "every slice another name",
)
@click.option(
    "--undo-table",
    "--table",
    "undo_table",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File, outside OUT, for the table that undoes the slicing; not written if not named.",
)
@reading_options()
@shard_option
@workers_option
@engine_option
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
def command(
    corpus: Path,
    out: Path,
    duration: float,
    method: str,
    overlap: bool,
    trim: float,
    text: bool,
    words: int,
    alignments: Path | None,
    check_words: bool,
    least_confidence: float,
    key_file: Path | None,
    key_session: str,
    undo_table: Path | None,
    speaker_from: str | None,
    layout: str,
    allow_commands: bool,
    shard: str | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Cut the utterances of CORPUS into slices and write them into the folder OUT.

    With --text, cut what is said alone, a few words each, and write a table of them.

    The slices' names, times and order tell nothing of where they come from. Protect a corpus
    before it is sliced: the voice stays what it is. A killed run resumes when it is started again.
    """
    from pseudovoice.cli.progress import Reporter, progress_bar
    from pseudovoice.cli.show import show_problems
    from pseudovoice.library.slices import slice_corpus, slice_text

    if text:
        cut = slice_text(
            corpus,
            out,
            words=words,
            key=key_file,
            key_session=key_session,
            undo_table=undo_table,
            layout=layout,
            allow_commands=allow_commands,
            speaker_from=speaker_from,
            on_new_key=say_new_key,
        )
        _tell_text(cut, out, undo_table, as_json=as_json)
        return
    with progress_bar() as bar:
        done = slice_corpus(
            corpus,
            out,
            duration=duration,
            method=method,
            overlap=overlap,
            trim=trim,
            least_confidence=least_confidence,
            key=key_file,
            key_session=key_session,
            undo_table=undo_table,
            alignments=alignments,
            check_words=check_words,
            layout=layout,
            allow_commands=allow_commands,
            speaker_from=speaker_from,
            shard=shard,
            workers=workers,
            progress=Reporter(bar),
            on_new_key=say_new_key,
        )
    if as_json:
        facts = {
            "out": str(out),
            **done.summary.to_dict(),
            "resumed": done.resumed,
            "key": done.key,
            "key_session": key_session,
            "problems": done.problems,
        }
        click.echo(json.dumps(with_options(facts), indent=1, ensure_ascii=False))
    else:
        click.echo(printable(f"{done.summary}; in {out}"))
        _tell_table(undo_table)
    show_problems(done.problems)
    sys.exit(1 if done.problems else 0)


def _tell_text(cut: SlicedText, out: Path, undo_table: Path | None, *, as_json: bool) -> None:
    if as_json:
        facts = {"slices": len(cut.origins), "sentences": cut.sentences, "words_lost": cut.lost}
        click.echo(json.dumps({"out": str(out), "words": cut.words, **facts}, indent=1))
        return
    click.echo(printable(f"{cut}; in {out}"))
    _tell_table(undo_table)


def _tell_table(undo_table: Path | None) -> None:
    if undo_table is not None:
        click.echo(printable(f"What undoes it is in {undo_table}: keep it apart."), err=True)
