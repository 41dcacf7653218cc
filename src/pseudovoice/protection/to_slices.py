"""A chain that ends in slices: the speech is protected beside the output, and cut into it."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pseudovoice.atomic import check_there, remove_halves
from pseudovoice.errors import InputError, UsageError
from pseudovoice.protection.releasing import Protected, ReleaseRun, release
from pseudovoice.protection.settings import Settings
from pseudovoice.release.part import Share, check_part, read_part
from pseudovoice.release.publish import at_one_time
from pseudovoice.release.record import RECORD, another_way, read_record, write_record
from pseudovoice.release.state import OwnerState
from pseudovoice.safeguards.safeguard import Chain

if TYPE_CHECKING:
    from pseudovoice.alignment import Aligner


def to_slices(
    run: ReleaseRun,
    undo_table: Path | None,
    aligner: Aligner | None,
    made: Protected | None = None,
) -> Protected:
    """Protect beside the output, cut what is there into it, and leave nothing else.

    The protected corpus bears the names that the slices are to lose, so it never lies in the
    output; a killed run finds it again. ``made`` is that corpus, where somebody has it already.
    """
    state = OwnerState(run.out)
    with state.held():
        try:
            return _cut(run, state, undo_table, aligner, made)
        finally:
            state.close_empty()


def _cut(
    run: ReleaseRun,
    state: OwnerState,
    undo_table: Path | None,
    aligner: Aligner | None,
    made: Protected | None,
) -> Protected:
    corpus, out, settings = run.corpus, run.out, run.settings
    last = settings.chain.last
    key = settings.key
    assert last is not None
    assert key is not None
    # The names of slices tell nothing, renamed or not.
    settings = replace(settings, names=None)
    whole = Settings(Chain(settings.chain.links), key, settings.key_session)
    for folder in (out, state.folder):
        remove_halves(folder)
    check_part(out, run.shard, begun=(out / RECORD).exists())
    _check_before(out, state, settings, whole, undo_table)
    speech, problems, share = None, corpus.problems, None
    say = run.progress
    if run.shard is not None:
        how = {"protection": settings.record()}
        share = Share("slice", run.shard, corpus, how, partial(settings.mark, "shard"))
        corpus = run.mine
    if whole.chain.links:
        # What a killed run left of utterances withdrawn since must not stay there.
        first = made or release(replace(run, out=state.speech, settings=whole, prune=True))
        speech, problems = first.corpus, first.problems
        if share is not None:
            part = read_part(state.speech)
            share = replace(share, before=part.problems, more=part.more)
        say = run.stage(f"{last.name} {corpus.name}", len(speech))
        corpus = corpus.subset(ids=[u.id for u in speech])
    sliced = last.write(
        replace(corpus, problems=()),
        speech,
        out,
        key=key,
        key_session=settings.key_session,
        protection=settings.chain.to_dict(),
        align_speech=not settings.chain.keeps_timing,
        aligner=aligner,
        table=undo_table,
        workers=run.workers,
        progress=say,
        complete=not problems,
        share=share,
    )
    if not out.is_dir():
        raise InputError(f"{out}: was removed while it was being filled; start again.")
    write_record(out, settings.record())
    at_one_time(out)
    check_there((*(u.path for u in sliced.corpus), out / RECORD))
    left = state.forget_speech()
    return Protected(
        sliced.corpus,
        (*problems, *sliced.problems, *left),
        sliced.summary.utterances - sliced.resumed,
        sliced.resumed,
        sliced.summary,
    )


def _check_before(
    out: Path, state: OwnerState, settings: Settings, whole: Settings, undo_table: Path | None
) -> None:
    """Refuse at once what the last step would refuse after all the work before it."""
    from pseudovoice.slicing.table import check_place  # only slices need it

    if undo_table is not None:
        check_place(undo_table, out)
    if (out / RECORD).exists():
        if read_record(out) != settings.record():
            raise another_way(out)
    elif out.is_dir() and any(out.iterdir()) and not begun_slices(out):
        raise UsageError(f"{out}: the folder is not empty; choose a new one for protected speech.")
    if not state.speech.is_dir():
        return
    there = read_record(state.speech)
    if there is None and any(state.speech.iterdir()):
        raise UsageError(
            f"{state.speech}: speech on its way to slices is kept in a folder of this name, but "
            "what lies there is something else; move it, or choose another output."
        )
    if there != whole.record():
        # Left by a run that was killed and asked for something else.
        state.forget_speech()


def begun_slices(out: Path) -> bool:
    """Whether an earlier run was killed while it filled the folder with slices."""
    from pseudovoice.slicing.staging import Staging

    return Staging(out).exists or OwnerState(out).speech.is_dir()
