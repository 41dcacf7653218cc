"""Slices that several shards made as the one folder that a run without shards makes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from pseudovoice.atomic import naming, write_atomic
from pseudovoice.errors import InputError
from pseudovoice.release.part import Part, check_part, problems_of
from pseudovoice.slicing.rows import read_row
from pseudovoice.slicing.slice_corpus import (
    RECORD,
    Sliced,
    check_folder,
    input_mark,
    publish_slices,
)
from pseudovoice.slicing.staging import Staging, place_of, unnamed
from pseudovoice.slicing.summary import summarise
from pseudovoice.slicing.table import check_place


def merge_slices(
    parts: Sequence[tuple[Path, Part]],
    out: Path,
    *,
    table: Path | None = None,
    progress: Callable[[int], None],
) -> Sliced:
    """Bring the slices of all shards into ``out``; ``table`` is for what undoes them.

    They go through the same hidden folder as those of a single run, so a merge that is killed
    resumes, and nothing in ``out`` tells which shard a slice is from.
    """
    whole = [part for _, part in parts]
    problems = problems_of(whole)
    record = {
        **whole[0].settings["slices"],
        "input": input_mark(mark for part in whole for mark in part.more["marks"]),
    }
    if table is not None:
        check_place(table, out)
    staging = Staging(out)
    with staging.held():
        check_part(out, None, begun=(out / RECORD).exists())
        check_folder(staging, record)
        staging.open(record)
        done, resumed = [], 0
        contents: dict[str, str] = {}
        for folder, part in parts:
            for row in part.rows:
                position, mark, tally, origins, hashes = read_row(row)
                slices = dict(zip((origin.slice for origin in origins), hashes, strict=True))
                names = [*slices]
                if staging.tally(mark) == tally and staging.stands(mark, names):
                    resumed += 1
                else:
                    for k, (name, content) in enumerate(slices.items()):
                        target = unnamed(staging.folder, mark, k)
                        _bring(folder / place_of(name), target, content, part)
                    staging.note(mark, tally, names, hashes)
                contents |= slices
                done.append((position, tally, origins))
                progress(1)
        done.sort(key=lambda one: one[0])
        every = [origin for _, _, origins in done for origin in origins]
        if not every:
            first = (
                f"the first reason: {problems[0]}" if problems else "no utterance is long enough."
            )
            raise InputError(f"{out}: the shards hold no slice; {first}")
        record["complete"] = not problems
        public, left = publish_slices(staging, every, contents, record, table)
    tallies = [tally for _, tally, _ in done]
    return Sliced(
        public,
        summarise(tallies, whole[0].utterances - len(tallies)),
        (*problems, *left),
        resumed,
    )


def _bring(source: Path, target: Path, content: str, part: Part) -> None:
    """Copy a slice that is what its shard made."""
    try:
        with naming(source):
            found = source.read_bytes()
    except FileNotFoundError:
        found = b""
    if hashlib.sha256(found).hexdigest() != content:
        raise InputError(
            f"{source}: has gone or was changed since shard {part.shard} made it; run that shard "
            "again, and it resumes."
        )
    write_atomic(target, found)
