"""A release: every utterance made or found intact, put in its place, listed, looked at again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pseudovoice.atomic import remove_halves
from pseudovoice.corpus import AudioError, Corpus, hashed_ahead
from pseudovoice.engines import Lost, chosen, in_parallel, in_threads, worker_lost
from pseudovoice.errors import InputError, Problem, UsageError
from pseudovoice.protection.apply import Stage, prepared
from pseudovoice.protection.drawn_ahead import DrawnAhead
from pseudovoice.protection.lengths import SingledOut, singled_out
from pseudovoice.protection.making import Asked, Making, Task, vanished, with_turns
from pseudovoice.protection.settings import Settings
from pseudovoice.protection.targets import Targets
from pseudovoice.release.account import Presence, orphan_problems, ours, prune, strangers
from pseudovoice.release.journal import Journal, Made, opened
from pseudovoice.release.listing import write_listing
from pseudovoice.release.publish import at_one_time, publish
from pseudovoice.release.record import RECORD, check_record
from pseudovoice.release.seal import intact
from pseudovoice.release.state import OwnerState
from pseudovoice.safeguards.safeguard import Chain

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

    def chain(self) -> Chain:
        """The chain with voices for everybody who speaks."""
        settings = self.settings
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
            check_record(run.out, run.settings.record())
        except UsageError:
            state.close_empty()
            raise
        with opened(state.journal) as journal:
            return _Release(run, state, journal).protected()


class _Release:
    """One run at work."""

    def __init__(self, run: ReleaseRun, state: OwnerState, journal: Journal) -> None:
        self._run, self._state, self._journal = run, state, journal
        self._out, self._settings = run.out, run.settings
        self._presence = Presence(run.out)
        self._targets = Targets(run.corpus, run.out, run.settings)
        self._problems = dict(self._targets.problems)
        self._resumed = 0
        self._left: list[Problem] = []

    def protected(self) -> Protected:
        try:
            self._make_all()
            return self._finished(self._published())
        except FileNotFoundError:
            self._presence.check()
            raise

    def _finished(self, made: dict[str, Made]) -> Protected:
        """List what is there, and account for everything in the folder."""
        run = self._run
        kept = [self._targets.of[u.id] for u in run.corpus if u.id not in self._problems]
        if not kept:
            raise InputError(
                f"{run.corpus.root}: none of the {len(run.corpus)} utterances could be protected; "
                "the first reason: "
                f"{next(iter(self._in_order()), 'the corpus is empty')}"
            )
        if self._settings.renames:
            # The order of the originals must not be that of the rows.
            kept.sort(key=lambda u: u.path)
        done = replace(
            run.corpus, name=run.out.name, root=run.out, utterances=tuple(kept), problems=()
        )
        listings = write_listing(done, run.corpus.layout, run.out, self._settings.renames)
        pruned, orphans = self._accounted({*made, *(self._place(path) for path in listings)})
        if self._settings.renames:
            at_one_time(run.out)
        self._presence.check()
        return Protected(
            done,
            (
                *run.corpus.problems,
                *self._in_order(),
                *orphans,
                *self._left,
            ),
            len(kept) - self._resumed,
            self._resumed,
            singled_out=singled_out((one.frames, one.sample_rate) for one in made.values()),
            pruned=pruned,
        )

    def _in_order(self) -> list[Problem]:
        """Problems as the corpus has their utterances, whichever worker met them first."""
        return [self._problems[u.id] for u in self._run.corpus if u.id in self._problems]

    def _place(self, path: Path) -> str:
        return path.relative_to(self._out).as_posix()

    def _make_all(self) -> None:
        run, settings, chain = self._run, self._settings, self._run.chain()
        making = Making(chain, settings.key_session, settings.grid, settings.renames)
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
                    self._presence.check()
                    if isinstance(made, Asked):
                        assert ahead is not None
                        ahead.learn(task.utterance, made)
                        asked.append(task)
                        continue
                    if isinstance(made, Problem):
                        self._problems[task.utterance.id] = made
                    else:
                        # The row follows the file: a killed run repeats at most what it lost.
                        self._journal.put(task.place, made)
                    run.progress(1)
            tasks = asked
        if chosen().ships:
            for folder in (self._out, self._state.staged):  # what dead workers left
                remove_halves(folder)

    def _todo(self) -> Iterator[Task]:
        """Utterances whose file is not there, or not what it was, one by one."""
        settings = self._settings
        for utterance in hashed_ahead(self._run.corpus, self._run.workers):
            place = self._targets.place(utterance.id)
            stamp = None
            if utterance.id not in self._problems:
                try:
                    stamp = self._settings.stamp(utterance)
                except AudioError as error:
                    self._problems[utterance.id] = error.problem
            if stamp is not None and not self._stands(place, stamp):
                path = (self._state.staged if settings.renames else self._out) / place
                target = replace(self._targets.of[utterance.id], path=path)
                turns = with_turns(settings.turns, utterance)
                yield Task(utterance, target, place, stamp, settings.key, turns)
            else:
                self._resumed += stamp is not None
                self._run.progress(1)

    def _stands(self, place: str, stamp: str) -> bool:
        made = self._journal.get(place)
        staged = self._state.staged / place
        if made is not None and made.stamp == stamp:
            if self._settings.renames and intact(staged, made, verify=self._run.verify):
                return True
            if intact(self._out / place, made, verify=self._run.verify):
                staged.unlink(missing_ok=True)
                return True
        return False

    def _published(self) -> dict[str, Made]:
        """All that this run answers for, in its place, with what has gone or changed left out."""
        made: dict[str, Made] = {}
        for name in (u.id for u in self._run.corpus if u.id not in self._problems):
            place = self._targets.place(name)
            known = self._journal.get(place)
            assert known is not None
            made[place] = known
        if self._settings.renames:
            contents = {place: one.sha256 for place, one in made.items()}
            self._left += publish(contents, self._state.staged, self._out)
        self._presence.check()
        for utterance in self._run.corpus:
            place = self._targets.place(utterance.id)
            if place in made and not intact(self._out / place, made[place]):
                self._problems[utterance.id] = vanished(self._out / place)
                self._journal.drop([place])
                del made[place]
        return made

    def _accounted(self, claimed: set[str]) -> tuple[int, list[Problem]]:
        """Remove or report what lies in the folder and is not of this run."""
        known = set(self._journal.places())
        others = strangers(self._out, claimed | {RECORD})
        left = [place for place in others if ours(place, known)]
        foreign = sorted(set(others) - set(left))
        pruned = len(left) if self._run.prune else 0
        if pruned:
            prune(self._out, left)
            left = []
        self._journal.drop(known - claimed - set(left))
        return pruned, orphan_problems(self._out, left, foreign)


def _lost(task: Task, lost: Lost) -> Problem:
    return worker_lost(task.utterance.place, lost)
