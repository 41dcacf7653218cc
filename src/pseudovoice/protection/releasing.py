"""A release: every utterance made or found intact, put in its place, listed, looked at again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from pseudovoice.atomic import remove_halves
from pseudovoice.corpus import AudioError, Corpus, hashed_ahead
from pseudovoice.corpus.shard import Shard
from pseudovoice.engines import Lost, chosen, in_parallel, in_threads, worker_lost
from pseudovoice.errors import InputError, Problem, UsageError
from pseudovoice.protection.apply import Stage, prepared, voices_of
from pseudovoice.protection.drawn_ahead import DrawnAhead
from pseudovoice.protection.lengths import SingledOut, singled_out
from pseudovoice.protection.making import Asked, Making, Task, with_turns
from pseudovoice.protection.settings import Settings
from pseudovoice.protection.targets import Targets
from pseudovoice.release.folder import ReleaseFolder, vanished
from pseudovoice.release.journal import Journal, Made, opened
from pseudovoice.release.part import Share, check_part
from pseudovoice.release.record import RECORD, check_record
from pseudovoice.release.rows import part_rows
from pseudovoice.release.state import OwnerState
from pseudovoice.safeguards.given import in_turn
from pseudovoice.safeguards.safeguard import Chain, Searching
from pseudovoice.storage.outgoing import check_reach, destination_of, is_sent

if TYPE_CHECKING:
    from pseudovoice.diarisation.coverage import Coverage
    from pseudovoice.slicing import Summary


@dataclass(frozen=True)
class Protected:
    """What a run did: the protected corpus, what was left out, and how many were done before.

    ``singled_out`` says whom the lengths of the files tell apart, ``pruned`` how many files were
    removed because no utterance accounts for them. ``summary`` says what the slices kept and lost,
    where the chain ends in slices; ``key`` is the identifier of the key, where one was used.
    ``people`` are those of recordings of several, ``coverage`` how much their turns account for.
    ``picture`` is whether a picture, as it was, goes with the sound.
    """

    corpus: Corpus
    problems: tuple[Problem, ...]
    done: int
    resumed: int
    summary: Summary | None = None
    singled_out: SingledOut | None = None
    pruned: int = 0
    key: str | None = None
    people: tuple[str, ...] = ()
    coverage: Coverage | None = None
    picture: bool = False


@dataclass(frozen=True)
class ReleaseRun:
    """What a run is asked for: the settings of the protection, and how to go about it."""

    corpus: Corpus
    out: Path
    settings: Settings
    workers: int | None
    progress: Callable[[int], None]
    stage: Stage
    key_file: Path | None = None
    prune: bool = False
    verify: bool = False
    shard: Shard | None = None

    @cached_property
    def mine(self) -> Corpus:
        """What this run makes: all of the corpus, or its share."""
        return self.corpus if self.shard is None else self.shard.part(self.corpus)

    @property
    def share(self) -> Share | None:
        """What a shard says of itself."""
        if self.shard is None:
            return None
        mark = partial(self.settings.mark, "shard")
        return Share("protect", self.shard, self.corpus, self.settings.record(), mark)

    def chain(self) -> Chain:
        """The chain with voices for everybody who speaks, in whichever shard.

        Shards take turns: the first to come searches, and the others find what it gave.
        """
        settings = self.settings
        searching = any(isinstance(link, Searching) for link in settings.chain.links)
        file = self.key_file if searching and self.shard is not None else None
        with nullcontext() if file is None else in_turn(file):
            return prepared(
                settings.chain,
                self.corpus if settings.turns is None else settings.turns.people(self.corpus),
                settings.key,
                settings.key_session,
                self.key_file,
                self.workers,
                self.stage,
            )


def release(run: ReleaseRun) -> Protected:
    """Make what is missing of a protected corpus, and see that all of it is there."""
    state = OwnerState(run.out)
    with state.held():
        try:
            run.out.mkdir(parents=True, exist_ok=True)
            remove_halves(run.out)
            check_part(run.out, run.shard, begun=(run.out / RECORD).exists())
            check_record(run.out, run.settings.record())
        except UsageError:
            state.close_empty()
            raise
        with opened(state.journal) as journal:
            return _Release(run, journal).protected()


class _Release:
    """One run at work."""

    def __init__(self, run: ReleaseRun, journal: Journal) -> None:
        self._run, self._settings = run, run.settings
        self._folder = ReleaseFolder(
            run.out, journal, renames=run.settings.renames, verify=run.verify
        )
        self._targets = Targets(run.corpus, run.out, run.settings)
        self._problems = dict(self._targets.problems)
        self._resumed = 0

    def protected(self) -> Protected:
        try:
            return self._protected()
        except FileNotFoundError:
            self._folder.check()
            raise

    def _protected(self) -> Protected:
        run, chain = self._run, self._run.chain()
        share = run.share
        if share is not None:
            share.begin(run.out)
        self._make_all(chain)
        places = (self._targets.place(u.id) for u in run.mine if u.id not in self._problems)
        made = self._folder.published(places)
        done = self._finished(made)
        if share is not None:
            rows = part_rows(done.corpus, made, None if self._settings.renames else share.position)
            mine = {u.id: self._problems[u.id] for u in run.mine if u.id in self._problems}
            voices = self._settings.mark("voices", voices_of(chain))
            share.end(run.out, rows, mine, voices=voices)
        return done

    def _finished(self, made: dict[str, Made]) -> Protected:
        """List what is there, and account for everything in the folder."""
        run = self._run
        for utterance in run.mine:
            place = self._targets.place(utterance.id)
            if utterance.id not in self._problems and place not in made:
                self._problems[utterance.id] = vanished(run.out / place)
        kept = [self._targets.of[u.id] for u in run.mine if u.id not in self._problems]
        if not kept and run.shard is None:
            raise InputError(
                f"{run.corpus.root}: none of the {len(run.corpus)} utterances could be protected; "
                "the first reason: "
                f"{next(iter(self._in_order()), 'the corpus is empty')}"
            )
        done = replace(
            run.corpus, name=run.out.name, root=run.out, utterances=tuple(kept), problems=()
        )
        listings: set[str] = set()
        if run.shard is None:  # only the whole is a corpus that others may read
            done, listings = self._folder.listed(done)
        pruned, orphans = self._folder.closed({*made, *listings}, pruning=run.prune)
        return Protected(
            done,
            (
                *run.corpus.problems,
                *self._in_order(),
                *orphans,
                *self._folder.left,
            ),
            len(kept) - self._resumed,
            self._resumed,
            singled_out=singled_out((one.frames, one.sample_rate) for one in made.values()),
            pruned=pruned,
        )

    def _in_order(self) -> list[Problem]:
        """Problems as the corpus has their utterances, whichever worker met them first."""
        return [self._problems[u.id] for u in self._run.mine if u.id in self._problems]

    def _make_all(self, chain: Chain) -> None:
        run, settings = self._run, self._settings
        there = None
        if chosen().ships and not chain.stays:
            if settings.renames:
                check_reach(run.out)
            else:
                there = destination_of(run.out)
        making = Making(chain, settings.key_session, settings.grid, settings.renames, there)
        ahead = None
        if settings.key is not None and chosen().ships and not chain.stays:
            ahead = DrawnAhead(settings.key, settings.key_session, chain, settings.turns)
        tasks: Iterable[Task] = self._todo()
        while tasks:
            asked: list[Task] = []
            drawn = (replace(t, draws=ahead.of(t.utterance)) if ahead else t for t in tasks)
            if chain.stays:
                work = in_threads(making, drawn, run.workers)
            else:
                work = in_parallel(making, drawn, run.workers, _lost)
            # Closed before an error goes on: a thread may not write into a folder that is given up.
            with closing(work):
                for task, made in work:
                    # Hours of work into a folder that has gone would be lost.
                    self._folder.check()
                    if isinstance(made, Asked):
                        assert ahead is not None
                        ahead.learn(task.utterance, made)
                        asked.append(task)
                        continue
                    if isinstance(made, Problem):
                        self._problems[task.utterance.id] = made
                    else:
                        if there is not None:
                            is_sent(task.target.path, made.size, made.changed)
                        self._folder.note(task.place, made)
                    run.progress(1)
            tasks = asked
        if chosen().ships:
            for folder in (run.out, OwnerState(run.out).staged):  # what dead workers left
                remove_halves(folder)

    def _todo(self) -> Iterator[Task]:
        """Utterances whose file is not there, or not what it was, one by one."""
        settings = self._settings
        for utterance in hashed_ahead(self._run.mine, self._run.workers):
            place = self._targets.place(utterance.id)
            stamp = None
            if utterance.id not in self._problems:
                try:
                    stamp = self._settings.stamp(utterance)
                except AudioError as error:
                    self._problems[utterance.id] = error.problem
            if stamp is not None and not self._folder.stands(place, stamp):
                target = replace(self._targets.of[utterance.id], path=self._folder.path(place))
                turns = with_turns(settings.turns, utterance)
                yield Task(utterance, target, place, stamp, settings.key, turns)
            else:
                self._resumed += stamp is not None
                self._run.progress(1)


def _lost(task: Task, lost: Lost) -> Problem:
    return worker_lost(task.utterance.place, lost)
