"""A corpus in, its protected twin out: parallel, resumable, one bad file never stops the run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pseudovoice.atomic import write_atomic
from pseudovoice.cores import usable_cores
from pseudovoice.corpus import Corpus, Utterance
from pseudovoice.errors import InputError, Problem, UsageError
from pseudovoice.parallel import in_parallel
from pseudovoice.private import private_folder
from pseudovoice.protection.apply import Stage, prepared, protect_one
from pseudovoice.protection.listing import write_listing
from pseudovoice.protection.record import (
    JOURNAL,
    RECORD,
    another_way,
    check_record,
    read_journal,
    read_record,
    record_of,
    stamp_of,
)
from pseudovoice.protection.targets import Namer
from pseudovoice.safeguards.key import Key
from pseudovoice.safeguards.safeguard import Chain, LastStep

if TYPE_CHECKING:
    from pseudovoice.alignment import Aligner
    from pseudovoice.slicing import Summary

Task = tuple[Utterance, Utterance, str]


@dataclass(frozen=True)
class Protected:
    """What a run did: the protected corpus, what was left out, and how many were done before.

    ``summary`` says what the slices kept and lost, where the chain ends in slices.
    """

    corpus: Corpus
    problems: tuple[Problem, ...]
    done: int
    resumed: int
    summary: Summary | None = None


def protect_corpus(
    corpus: Corpus,
    out: Path,
    chain: Chain,
    *,
    key: Key | None,
    key_session: str = "default",
    rename: bool = False,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
    key_file: Path | None = None,
    stage: Stage | None = None,
    undo_table: Path | None = None,
    aligner: Aligner | None = None,
) -> Protected:
    """Give every speaker a pseudo-voice and write the protected corpus into ``out``.

    Sample rate, channels, length and level of every recording are kept. The draw of a random
    safeguard depends only on key, session and name, so a subset, another order or a resumed run
    gives the same samples. With ``rename`` speakers and utterances get keyed pseudonyms, so that
    file names do not undo the voices.

    A safeguard that searches its voices keeps them beside ``key_file``; without one they are found
    anew each time. ``stage`` is called with the title and size of such work before it begins, and
    gives back what to call as it goes on.

    A chain that ends in ``slice`` writes slices, which have nobody's name; ``undo_table`` is a file
    for what undoes them, written nowhere if none is named, and ``aligner`` finds the words to cut
    between, by default the embedded one.
    """
    if key is None and (rename or not chain.deterministic):
        raise UsageError(f"{chain.name} draws from a secret key; name one with --key-file.")
    out = out.resolve()
    if chain.last is not None:
        assert key is not None
        return to_the_last_step(
            Job(corpus, out, chain, key, key_session, workers, progress, key_file, stage, aligner),
            chain.last,
            undo_table,
        )
    if undo_table is not None:
        raise UsageError("Only slices have a table that undoes them; leave out --undo-table.")
    if aligner is not None:
        raise UsageError("Only slices are cut between words; leave out --alignments.")
    out.mkdir(parents=True, exist_ok=True)
    record = record_of(chain, key, key_session, rename)
    check_record(out, record)
    cores = workers or usable_cores()
    chain = prepared(chain, corpus, key, key_session, key_file, cores, stage or unseen)
    names = Namer(corpus, out, key, key_session, rename)
    before = read_journal(out)
    say = progress or (lambda _: None)
    targets = {u.id: names.target(u) for u in corpus}
    problems: dict[str, Problem] = {}
    resumed = 0
    with (out / JOURNAL).open("a", encoding="utf-8") as journal:
        todo = []
        for utterance in corpus:
            stamp = stamp_of(utterance, key, problems)
            if stamp is None:
                say(1)
            elif (
                before.get(targets[utterance.id].id) == stamp
                and targets[utterance.id].path.exists()
            ):
                resumed += 1
                say(1)
            else:
                todo.append((utterance, targets[utterance.id], stamp))
        for (utterance, target, stamp), problem in _work(todo, chain, key, key_session, cores):
            if problem is not None:
                problems[utterance.id] = problem
            else:
                # The journal line follows the file: a killed run repeats at most what it lost.
                journal.write(json.dumps([target.id, stamp]) + "\n")
                journal.flush()
            say(1)
    kept = tuple(targets[u.id] for u in corpus if u.id not in problems)
    if not kept:
        raise InputError(
            f"{corpus.root}: none of the {len(corpus)} utterances could be protected; the first "
            f"reason: {next(iter(problems.values()), 'the corpus is empty')}"
        )
    done = replace(corpus, name=out.name, root=out, utterances=kept, problems=())
    write_listing(done, corpus.layout, out, rename)
    return Protected(
        done,
        (*corpus.problems, *(problems[u.id] for u in corpus if u.id in problems)),
        len(kept) - resumed,
        resumed,
    )


@dataclass(frozen=True)
class Job:
    """What a chain with a last step is asked for."""

    corpus: Corpus
    out: Path
    chain: Chain
    key: Key
    key_session: str
    workers: int | None
    progress: Callable[[int], None] | None
    key_file: Path | None
    stage: Stage | None
    aligner: Aligner | None

    @property
    def hidden(self) -> Path:
        """Where the protected speech is while there are no slices of it, out of the release."""
        return self.out.parent / f".{self.out.name}.protected"


def to_the_last_step(job: Job, last: LastStep, undo_table: Path | None) -> Protected:
    """Protect beside the output, cut what is there into it, and leave nothing else.

    The protected corpus bears the names that the slices are to lose, so it never lies in the
    output; a killed run finds it again.
    """
    corpus, out = job.corpus, job.out
    record = record_of(job.chain, job.key, job.key_session, rename=False)
    _check_before(job, record, undo_table)
    speech, problems = None, corpus.problems
    say = job.progress
    if job.chain.links:
        private_folder(job.hidden)
        first = protect_corpus(
            corpus,
            job.hidden,
            Chain(job.chain.links),
            key=job.key,
            key_session=job.key_session,
            workers=job.workers,
            progress=job.progress,
            key_file=job.key_file,
            stage=job.stage,
        )
        speech, problems = first.corpus, first.problems
        say = (job.stage or unseen)(f"{last.name} {corpus.name}", len(speech))
        corpus = corpus.subset(ids=[u.id for u in speech])
    sliced = last.write(
        replace(corpus, problems=()),
        speech,
        out,
        key=job.key,
        key_session=job.key_session,
        protection=job.chain.to_dict(),
        align_speech=not job.chain.keeps_timing,
        aligner=job.aligner,
        table=undo_table,
        workers=job.workers,
        progress=say,
    )
    write_atomic(out / RECORD, json.dumps(record, indent=1, sort_keys=True) + "\n")
    shutil.rmtree(job.hidden, ignore_errors=True)
    return Protected(
        sliced.corpus,
        (*problems, *sliced.problems),
        sliced.summary.utterances - sliced.resumed,
        sliced.resumed,
        sliced.summary,
    )


def _check_before(job: Job, record: dict[str, Any], undo_table: Path | None) -> None:
    """Refuse at once what the last step would refuse after all the work before it."""
    from pseudovoice.slicing.table import check_place  # as of Staging: only slices need it

    out = job.out
    if undo_table is not None:
        check_place(undo_table, out)
    if (out / RECORD).exists():
        if read_record(out) != record:
            raise another_way(out)
    elif out.is_dir() and any(out.iterdir()) and not _begun(job):
        raise UsageError(f"{out}: the folder is not empty; choose a new one for protected speech.")
    if not job.hidden.is_dir():
        return
    there = read_record(job.hidden)
    if there is None and any(job.hidden.iterdir()):
        raise UsageError(
            f"{job.hidden}: speech on its way to slices is kept in a folder of this name, but what "
            "lies there is something else; move it, or choose another output."
        )
    if there != record_of(Chain(job.chain.links), job.key, job.key_session, rename=False):
        # Left by a run that was killed and asked for something else.
        shutil.rmtree(job.hidden)


def _begun(job: Job) -> bool:
    """Whether an earlier run was killed while it filled the folder."""
    from pseudovoice.slicing.staging import Staging

    return Staging(job.out).exists or job.hidden.is_dir()


def unseen(_title: str, _size: int) -> Callable[[int], None]:
    return lambda _: None


def _work(
    todo: Sequence[Task], chain: Chain, key: Key | None, key_session: str, workers: int
) -> Iterator[tuple[Task, Problem | None]]:
    """Protect utterance by utterance; yields each as it is done."""
    yield from in_parallel(
        lambda task: protect_one(task[0], task[1], chain, key, key_session), todo, workers
    )
