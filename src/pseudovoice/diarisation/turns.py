"""Turns: who speaks from when to when in one recording.

Conventions
-----------
- Times are seconds from the first sample of the recording.
- Turns of several people may overlap; turns of one person are one where they touch.
- A recording falls into strips: each lasts as long as the same people speak.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

TOUCHING = 1e-6
"""Seconds between turns that a rounded time leaves."""


@dataclass(frozen=True, order=True)
class Turn:
    """A person speaks from ``start`` to ``end``."""

    start: float
    end: float
    person: str

    @property
    def seconds(self) -> float:
        return self.end - self.start


@dataclass(frozen=True)
class Strip:
    """From ``start`` to ``end`` these people speak: nobody, one, or several at once."""

    start: float
    end: float
    people: tuple[str, ...]

    @property
    def seconds(self) -> float:
        return self.end - self.start


@dataclass(frozen=True)
class Turns:
    """All turns of a recording, in order; ``recording`` is its name in a file of turns."""

    recording: str
    turns: tuple[Turn, ...]

    @classmethod
    def of(cls, recording: str, turns: Iterable[Turn], bridge: float = TOUCHING) -> Turns:
        """In order, those of one person joined over pauses of at most ``bridge`` seconds."""
        by_person: dict[str, list[Turn]] = {}
        for turn in sorted(turns):
            own = by_person.setdefault(turn.person, [])
            if own and turn.start - own[-1].end <= bridge:
                own[-1] = Turn(own[-1].start, max(own[-1].end, turn.end), turn.person)
            elif turn.end > turn.start:
                own.append(turn)
        return cls(recording, tuple(sorted(turn for own in by_person.values() for turn in own)))

    @cached_property
    def people(self) -> tuple[str, ...]:
        """By who speaks first."""
        return tuple(dict.fromkeys(turn.person for turn in self.turns))

    @property
    def end(self) -> float:
        return max((turn.end for turn in self.turns), default=0.0)

    def renamed(self, names: Mapping[str, str]) -> Turns:
        """People under other names; two who get the same one become one."""
        return Turns.of(
            self.recording,
            (Turn(t.start, t.end, names.get(t.person, t.person)) for t in self.turns),
        )

    def strips(self, seconds: float) -> tuple[Strip, ...]:
        """The whole recording of so many seconds, strip by strip, without a gap."""
        edges = sorted(
            {0.0, seconds}
            | {min(max(0.0, e), seconds) for t in self.turns for e in (t.start, t.end)}
        )
        begins: dict[float, list[str]] = {}
        ends: dict[float, list[str]] = {}
        for turn in Turns.of(self.recording, self.turns).turns:
            if turn.end <= 0.0 or turn.start >= seconds:
                continue
            begins.setdefault(max(0.0, turn.start), []).append(turn.person)
            ends.setdefault(min(turn.end, seconds), []).append(turn.person)
        found: list[Strip] = []
        speaking: set[str] = set()
        for start, end in itertools.pairwise(edges):
            speaking.difference_update(ends.get(start, ()))
            speaking.update(begins.get(start, ()))
            people = tuple(sorted(speaking))
            if found and found[-1].people == people:
                found[-1] = Strip(found[-1].start, end, people)
            else:
                found.append(Strip(start, end, people))
        return tuple(found)
