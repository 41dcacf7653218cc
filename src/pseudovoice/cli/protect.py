"""`pseudovoice protect`: give every speaker of a corpus, or of a recording, a pseudo-voice."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from pseudovoice.cli.aligner import alignments_option
from pseudovoice.cli.common import (
    engine_option,
    key_options,
    people_option,
    shard_option,
    workers_option,
)
from pseudovoice.cli.key_file import say_new_key
from pseudovoice.cli.option_names import with_options
from pseudovoice.cli.printable import printable
from pseudovoice.cli.reading import reading_options
from pseudovoice.cli.standard_streams import STREAM, as_files, check_streams

if TYPE_CHECKING:
    from pseudovoice.protection.protect import Protected


@click.command(name="protect")
@click.argument("corpus", type=click.Path(path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--safeguard",
    required=True,
    metavar="NAME[:PARAM=VALUE,…][+NAME…]",
    help="A safeguard or a chain of them (see `pseudovoice list safeguards`).",
)
@key_options(
    "The secret key; made beside OUT if none is named and one is needed.",
    "everybody another voice",
)
@click.option(
    "--turns",
    type=click.Path(path_type=Path),
    metavar="FILE|FOLDER",
    help="Who speaks when, for recordings of several people: RTTM, Audacity labels (.txt), lhotse "
    "supervisions (.jsonl) or ELAN (.eaf).",
)
@click.option(
    "--diarise",
    is_flag=True,
    help="Find who speaks when, and keep it in OUT.rttm; if that is there, it is taken.",
)
@people_option
@click.option(
    "--overlap",
    type=click.Choice(("voice", "mute")),
    default="voice",
    show_default=True,
    help="What becomes of several people at once: a voice of its own, or silence.",
)
@click.option(
    "--undo-table",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With a chain that ends in slice: file, outside OUT, for the table that undoes it.",
)
@alignments_option("With a chain that ends in slice: ")
@click.option(
    "--rename",
    is_flag=True,
    help="Give speakers and utterances keyed pseudonyms, in whose order files then lie; lengths "
    "still tell most utterances apart, see --pad.",
)
@click.option(
    "--pad",
    type=float,
    metavar="SECONDS",
    help="Bring every length up to a multiple of this, with noise like the recording's own.",
)
@click.option(
    "--trim",
    type=float,
    metavar="SECONDS",
    help="Bring every length down to a multiple of this, the quieter edge first.",
)
@click.option(
    "--prune", is_flag=True, help="Remove files of OUT that no utterance of CORPUS accounts for."
)
@click.option(
    "--verify", is_flag=True, help="Read the files of earlier runs, not only look at them."
)
@reading_options()
@shard_option
@workers_option
@engine_option
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
def command(
    corpus: Path,
    out: Path,
    safeguard: str,
    key_file: Path | None,
    key_session: str,
    turns: Path | None,
    diarise: bool,
    people: int | None,
    overlap: Literal["voice", "mute"],
    undo_table: Path | None,
    alignments: Path | None,
    check_words: bool,
    rename: bool,
    pad: float | None,
    trim: float | None,
    prune: bool,
    verify: bool,
    speaker_from: str | None,
    layout: str,
    allow_commands: bool,
    shard: str | None,
    workers: int | None,
    as_json: bool,
) -> None:
    """Write a protected copy of CORPUS into the folder OUT, or of a recording into the file OUT.

    Sample rate, channels, length and level stay. The same key and session give the same voices
    next year; a killed run resumes when it is started again, by what is kept beside OUT in
    OUT.pseudovoice. A chain that ends in slice writes slices without names instead. Recordings of
    several people need --turns or --diarise: everybody in them gets a voice of their own.

    `-` is WAV on standard input as CORPUS, and on standard output as OUT.
    """
    from pseudovoice.cli.progress import Reporter, progress_bar
    from pseudovoice.cli.show import show_problems
    from pseudovoice.library.protect import protect
    from pseudovoice.safeguards import parse_chain

    chain = parse_chain(safeguard)
    check_streams(
        corpus,
        out,
        named=speaker_from is not None or turns is not None or diarise,
        keyed=key_file is not None,
        drawn=pad is not None or not chain.deterministic,
        diarised=diarise,
    )
    with as_files(corpus, out) as (source, made), progress_bar() as bar:
        done = protect(
            source,
            made,
            chain,
            key=key_file,
            key_session=key_session,
            rename=rename,
            pad=pad,
            trim=trim,
            prune=prune,
            verify=verify,
            speaker_from=speaker_from,
            turns=turns,
            diarise=diarise,
            people=people,
            overlap=overlap,
            undo_table=undo_table,
            alignments=alignments,
            check_words=check_words,
            layout=layout,
            allow_commands=allow_commands,
            shard=shard,
            workers=workers,
            progress=Reporter(bar),
            on_new_key=say_new_key,
            on_turns=_say_turns,
        )
    # Where sound goes to standard output, nothing else does.
    say = partial(click.echo, err=out == STREAM)
    if as_json:
        facts = {
            "out": str(out),
            **_counts(done),
            "protected_now": done.done,
            "resumed": done.resumed,
            "pruned": done.pruned,
            "singled_out_by_length": done.singled_out and done.singled_out.to_dict(),
            "key": done.key,
            "key_session": key_session,
            "safeguard": chain.to_dict(),
            "people": done.people,
            "coverage": done.coverage and done.coverage.to_dict(),
            "picture": done.picture,
            "problems": done.problems,
        }
        say(json.dumps(with_options(facts), indent=1, ensure_ascii=False))
    elif done.summary is not None:
        say(printable(f"{done.summary}; protected with {chain.name} in {out}"))
        if undo_table is not None:
            click.echo(printable(f"What undoes it is in {undo_table}: keep it apart."), err=True)
    elif done.coverage is not None:
        say(printable(_several(done, chain.name, out, overlap)))
    else:
        before = f", {done.resumed:,} of them before" if done.resumed else ""
        said = (
            ("" if shard is None else f"shard {shard}: ")
            + f"{len(done.corpus):,} utterances of {len(done.corpus.speakers):,} speakers "
            f"protected with {chain.name} in {out}{before}"
            + (f"; {done.pruned:,} files removed" if done.pruned else "")
        )
        say(printable(said))
        if rename and done.singled_out is not None:
            say(
                f"{done.singled_out}: whoever knows the lengths of the originals finds them"
                + (" (--pad, --trim)" if pad is None and trim is None else "")
            )
    if done.picture:
        click.echo(
            "The picture is kept as it is, faces, lips and places with it; tags, subtitles and "
            "other tracks are left out.",
            err=True,
        )
    show_problems(done.problems)
    sys.exit(1 if done.problems else 0)


def _say_turns(place: Path, there: bool) -> None:
    said = "taken from" if there else "found, and kept in"
    click.echo(printable(f"Who speaks when was {said} {place}."), err=True)


def _several(done: Protected, safeguard: str, out: Path, overlap: str) -> str:
    """What became of recordings of several people."""
    assert done.coverage is not None
    covered = done.coverage
    recordings = "1 recording" if len(done.corpus) == 1 else f"{len(done.corpus):,} recordings"
    people = {0: "nobody", 1: "1 person"}.get(len(done.people), f"{len(done.people)} people")
    at_once = "is silent" if overlap == "mute" else "has a voice of its own"
    return (
        f"{recordings} of {people} protected with {safeguard} in {out}\n"
        f"{covered.alone:.1f} s are one person's; {covered.overlap:.1f} s are several people's, "
        f"which {at_once}; {covered.outside:.1f} s are nobody's, {covered.speech_outside:.1f} s of "
        "them sound like speech, and have a voice of their own too"
        + (
            f"\n{covered.beyond:.1f} s of the turns lie after the end of a recording: see whether "
            "they are the turns of another"
            if covered.too_long
            else ""
        )
    )


def _counts(done: Protected) -> dict[str, Any]:
    """How much there is; slices have no speakers that could be counted."""
    if done.summary is not None:
        return done.summary.to_dict()
    return {"utterances": len(done.corpus), "speakers": len(done.corpus.speakers)}
