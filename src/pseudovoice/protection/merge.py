"""Protected speech that several shards made as the one release that a run without shards makes."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from pseudovoice.atomic import naming, remove_halves, replacing
from pseudovoice.corpus import Corpus
from pseudovoice.errors import InputError, UsageError
from pseudovoice.protection.lengths import singled_out
from pseudovoice.protection.releasing import Protected
from pseudovoice.release.folder import ReleaseFolder, vanished
from pseudovoice.release.journal import Journal, Made, opened
from pseudovoice.release.part import Part, check_part, problems_of
from pseudovoice.release.publish import at_one_time
from pseudovoice.release.record import check_record, write_record
from pseudovoice.release.rows import read_row
from pseudovoice.release.seal import ONE_TIME
from pseudovoice.release.state import OwnerState
from pseudovoice.slicing.merge import merge_slices
from pseudovoice.slicing.slice_corpus import Sliced

_CHUNK = 1 << 20

Parts = Sequence[tuple[Path, Part]]


def merge_releases(parts: Parts, out: Path, *, progress: Callable[[int], None]) -> Protected:
    """Bring the files of all shards into ``out``, list them, and see that all are there.

    ``out`` is then as a run without shards leaves it: such a run resumes from it.
    """
    _check_voices(parts)
    state = OwnerState(out)
    with state.held():
        try:
            out.mkdir(parents=True, exist_ok=True)
            remove_halves(out)
            check_part(out, None, begun=False)
            check_record(out, parts[0][1].settings)
        except UsageError:
            state.close_empty()
            raise
        with opened(state.journal) as journal:
            return _merged(parts, out, journal, progress)


def _merged(
    parts: Parts, out: Path, journal: Journal, progress: Callable[[int], None]
) -> Protected:
    first = parts[0][1]
    renames = bool(first.settings["renamed"])
    folder = ReleaseFolder(out, journal, renames=renames)
    found, resumed = [], 0
    for source, part in parts:
        for row in part.rows:
            position, utterance, made = read_row(row, out)
            place = utterance.path.relative_to(out).as_posix()
            if folder.stands(place, made.stamp):
                resumed += 1
            else:
                folder.note(
                    place, _brought(source / place, folder.path(place), made, part, renames)
                )
            found.append((position, utterance))
            progress(1)
            folder.check()
    found.sort(key=lambda one: one[0])
    utterances = [utterance for _, utterance in found]
    problems = problems_of([part for _, part in parts])
    if not utterances:
        reason = problems[0] if problems else "the corpus is empty"
        raise InputError(f"{out}: the shards hold no utterance; the first reason: {reason}")
    made_now = folder.published(u.path.relative_to(out).as_posix() for u in utterances)
    there = [u.path.relative_to(out).as_posix() in made_now for u in utterances]
    kept = tuple(u for u, stands in zip(utterances, there, strict=True) if stands)
    lost = [vanished(u.path) for u, stands in zip(utterances, there, strict=True) if not stands]
    done, listings = folder.listed(Corpus(out.name, out, kept, layout=first.layout))
    _, orphans = folder.closed({*made_now, *listings}, pruning=False)
    return Protected(
        done,
        (*problems, *lost, *orphans, *folder.left),
        len(kept) - resumed,
        resumed,
        singled_out=singled_out((one.frames, one.sample_rate) for one in made_now.values()),
    )


def _brought(source: Path, target: Path, made: Made, part: Part, one_time: bool) -> Made:
    """Copy a file, and see on the way that it is what its shard made."""
    digest = hashlib.sha256()
    changed = InputError(
        f"{source}: has gone or was changed since shard {part.shard} made it; run that shard "
        "again, and it resumes."
    )
    if not source.is_file():
        raise changed
    with naming(source), source.open("rb") as stream, replacing(target) as copy:
        while block := stream.read(_CHUNK):
            digest.update(block)
            copy.write(block)
        if digest.hexdigest() != made.sha256:
            raise changed
    if one_time:
        with naming(target):
            os.utime(target, (ONE_TIME, ONE_TIME))
    return replace(made, changed=target.stat().st_mtime_ns)


def _check_voices(parts: Parts) -> None:
    """Refuse shards in which one person has two voices."""
    first_place, first = parts[0]
    for place, part in parts:
        if part.more.get("voices") != first.more.get("voices"):
            raise InputError(
                f"{place}: gives people other voices than {first_place}, since what the key had "
                "given before was not the same; keep the key in one folder that all shards share, "
                "and run this one again into a new place."
            )


def merge_protected_slices(
    parts: Parts, out: Path, *, table: Path | None, progress: Callable[[int], None]
) -> Sliced:
    """Slices of protected speech: as :func:`merge_slices`, with the record of the protection."""
    _check_voices(parts)
    sliced = merge_slices(parts, out, table=table, progress=progress)
    write_record(out, parts[0][1].settings["protection"])
    at_one_time(out)
    return sliced
