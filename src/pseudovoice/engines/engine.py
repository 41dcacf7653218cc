"""What an engine is, and what becomes of an item whose worker died."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, runtime_checkable

from pseudovoice.errors import PassingProblem, Problem

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Lost:
    """In place of a result: whoever worked on the item died, again and again; ``reason`` is how."""

    reason: str


@runtime_checkable
class Engine(Protocol):
    """Does work on items, in any order.

    ``ships`` says that other processes do it: work, items and results are pickled, and a model in
    them travels by its name. ``workers`` bounds how many items are worked on at a time; the engine
    knows how many it has if none is given. An exception out of the work is raised here, after what
    was finished beside it has been given. Whoever stops listening stops the work.
    """

    @property
    def ships(self) -> bool: ...

    @property
    def alone(self) -> bool:
        """Whether everybody who works is on this machine, and sees its files."""

    def map(
        self, work: Callable[[T], R], tasks: Iterable[T], workers: int | None
    ) -> Generator[tuple[T, R | Lost], None, None]: ...

    def share(self, value: T) -> Callable[[], T]:
        """A large value that many tasks need: they hold what is given back, and call it."""
        ...

    def close(self) -> None:
        """Leave nothing running that this engine began."""


@dataclass(frozen=True)
class Here(Generic[T]):
    """A value that goes along with whoever holds it."""

    value: T

    def __call__(self) -> T:
        return self.value


def worker_lost(where: str, lost: Lost) -> Problem:
    """One item that cost every worker its life."""
    return PassingProblem(
        where,
        f"every process that worked on it ended before it was done ({lost.reason})",
        "see whether there is memory enough for it, or start again; it is left out",
    )
