"""How fast a stage goes, and how long it will still take."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

OFTEN = 0.1
"""Seconds between two reports of the same stage; more often nobody can read."""


@dataclass(frozen=True)
class Progress:
    """One report: ``known`` items were done before the stage began, from an earlier run.

    ``total`` is 0 where nobody can say how much there is. ``rate`` is items a second and ``left``
    seconds, both None until there is something to tell them from.
    """

    stage: str
    done: int
    total: int
    known: int = 0
    rate: float | None = None
    left: float | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class Pace:
    """Turns (stage, done, total) into reports, the first and the last of each stage included."""

    def __init__(
        self, say: Callable[[Progress], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._say, self._clock = say, clock
        self._stage: str | None = None
        self._known = 0
        self._began = self._said = 0.0

    def __call__(self, stage: str, done: int = 0, total: int = 0) -> None:
        now = self._clock()
        first = stage != self._stage
        if first:
            # What the store of embeddings knew is there at once and tells nothing of the pace.
            self._stage, self._known, self._began = stage, done, now
        elif now - self._said < OFTEN and done < total:
            return
        self._said = now
        fresh, elapsed = done - self._known, now - self._began
        rate = fresh / elapsed if fresh > 0 and elapsed > 0 else None
        left = None if rate is None or not total else (total - done) / rate
        self._say(Progress(stage, done, total, self._known, rate, left))
