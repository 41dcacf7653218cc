"""One utterance of a release, made by whoever has the time: a thread, a process, a machine."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace

from pseudovoice.corpus import Utterance, reading
from pseudovoice.errors import DiskError, OutputError, PassingProblem, Problem
from pseudovoice.keys import Draws, NotDrawnError, Which, as_uniform
from pseudovoice.protection.apply import protect_channel, protect_one, voices_for
from pseudovoice.protection.by_turns import ByTurns
from pseudovoice.protection.lengths import LengthGrid
from pseudovoice.release.folder import vanished
from pseudovoice.release.journal import Made
from pseudovoice.release.seal import sealed
from pseudovoice.safeguards.channel import Channel, whole
from pseudovoice.safeguards.safeguard import Chain
from pseudovoice.storage.outgoing import Destination
from pseudovoice.storage.store import StoreError

REHEARSED = 2.0
"""Seconds of an utterance that tell what a chain asks of a key."""


@dataclass(frozen=True)
class Task:
    """An utterance and its target; ``draws`` is a key, or what was derived of it."""

    utterance: Utterance
    target: Utterance
    place: str
    stamp: str
    draws: Draws | None = field(repr=False)
    turns: ByTurns | None = None


@dataclass(frozen=True)
class Asked:
    """In place of a file: what has to be derived before it can be made."""

    which: frozenset[Which]


@dataclass(frozen=True)
class Making:
    """What all utterances of a release share; no key is in it."""

    chain: Chain
    key_session: str
    grid: LengthGrid | None
    one_time: bool
    goes_to: Destination | None = None

    def __call__(self, task: Task) -> Made | Problem | Asked:
        """Make it in its place, or where it can be sent from: then nothing is left here."""
        if self.goes_to is None:
            return self._made(task)
        with self.goes_to.making(task.place) as path:
            made = self._made(replace(task, target=replace(task.target, path=path)))
            if isinstance(made, Made):
                try:
                    self.goes_to.send(path, task.place)
                except StoreError as error:
                    told = error.problem
                    return PassingProblem(told.where, told.what, told.remedy)
            return made

    def _made(self, task: Task) -> Made | Problem | Asked:
        path = task.target.path
        try:
            problem = protect_one(
                task.utterance,
                task.target,
                self.chain,
                task.draws,
                self.key_session,
                self.grid,
                task.turns,
            )
            return problem or sealed(path, task.stamp, one_time=self.one_time)
        except NotDrawnError as asked:
            return Asked(frozenset({asked.which, *self._asks(task)}))
        except DiskError:
            raise
        except OutputError as error:
            path.unlink(missing_ok=True)  # what cannot be read back is no part of the release
            return error.problem
        except FileNotFoundError:
            # If the whole folder has gone, whoever collects the results says so.
            return vanished(path)

    def _asks(self, task: Task) -> set[Which]:
        """All that the chain asks for at the beginning of the utterance: some ask for hundreds."""
        assert task.draws is not None
        rehearsal = _Rehearsal(task.draws)
        with suppress(Exception), reading(task.utterance) as recording:
            rate = recording.sample_rate
            head = next(iter(recording.blocks()))[: round(REHEARSED * rate), 0]
            voices = voices_for(self.chain, task.utterance, rehearsal, self.key_session)
            whole(protect_channel(Channel(None, [head]), rate, self.chain, voices, ""))
        return rehearsal.asked


class _Rehearsal:
    """Answers everything, with nothing where it does not know, and remembers what it was asked."""

    def __init__(self, draws: Draws) -> None:
        self._draws, self.asked = draws, set[Which]()

    def derive(self, session: str, purpose: str, name: str) -> bytes:
        self.asked.add((session, purpose, name))
        try:
            return self._draws.derive(session, purpose, name)
        except NotDrawnError:
            return bytes(32)

    def uniform(self, session: str, purpose: str, name: str) -> float:
        return as_uniform(self.derive(session, purpose, name))


def with_turns(turns: ByTurns | None, utterance: Utterance) -> ByTurns | None:
    """Those of one utterance alone."""
    if turns is None:
        return None
    own = turns.turns.get(utterance.id)
    return replace(turns, turns={} if own is None else {utterance.id: own})
