"""The engine that is chosen, and the one way to it.

It is a variable of the context, not an argument: an engine changes where work is done and never
what comes of it, so none of the forty functions between a command and its items has to know.
A thread or process that somebody else started begins with threads, which is right: whoever is
already a worker must not ask for others.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from pseudovoice.engines.engine import Engine, Lost
from pseudovoice.engines.executor import OnExecutor
from pseudovoice.engines.failed import FAILED
from pseudovoice.engines.threads import Threads
from pseudovoice.errors import InputError, UsageError

T = TypeVar("T")
R = TypeVar("R")
P = ParamSpec("P")

GivenEngine = str | Engine | Executor
"""``threads``, ``ray``, ``ray:ADDRESS``, an executor of ``concurrent.futures``, or an engine."""

_CHOSEN: ContextVar[Engine | None] = ContextVar("engine", default=None)


def chosen() -> Engine:
    """The engine of this context."""
    return _CHOSEN.get() or Threads()


@contextmanager
def using(given: GivenEngine | None, *, unless_chosen: bool = False) -> Iterator[None]:
    """Do all work meanwhile on an engine; None leaves the one that is chosen already.

    With ``unless_chosen`` any that is chosen already stays: what is asked for now counts more than
    what was written into a plan.
    """
    if given is None or (unless_chosen and _CHOSEN.get() is not None):
        yield
        return
    engine = engine_of(given)
    token = _CHOSEN.set(engine)
    try:
        yield
    finally:
        _CHOSEN.reset(token)
        if engine is not given:  # whoever brings an engine ends it
            engine.close()


def engine_of(given: GivenEngine) -> Engine:
    """An engine by name, or what is one."""
    if isinstance(given, Executor):
        return OnExecutor(given)
    if not isinstance(given, str):
        return given
    kind, _, address = given.partition(":")
    if given == "threads":
        return Threads()
    if kind == "ray":
        from pseudovoice.engines.ray import OnRay

        return OnRay(address)
    raise UsageError(
        f"There is no engine {given!r}; name threads, ray or ray:ADDRESS as `engine`, or pass an "
        "executor of concurrent.futures."
    )


def on_engine(function: Callable[P, R]) -> Callable[P, R]:
    """A function of the library whose argument ``engine`` says where its work is done."""

    @wraps(function)
    def there(*args: P.args, **kwargs: P.kwargs) -> R:
        given: Any = kwargs.get("engine")
        with using(given):
            return function(*args, **kwargs)

    return there


def in_parallel(
    work: Callable[[T], R],
    tasks: Iterable[T],
    workers: int | None = None,
    lost: Callable[[T, Lost], R] | None = None,
) -> Generator[tuple[T, R], None, None]:
    """Yield each task with its result as soon as it is done, in no particular order.

    Work, tasks and results have to be such as can be pickled. ``lost`` gives what stands for an
    item that cost its workers their lives; without it, that is an error: of numbers that need all
    items there are none.
    """
    found = chosen().map(work, tasks, workers)
    try:
        for task, made in found:
            if not isinstance(made, Lost):
                FAILED.look_at(made)
                yield task, made
            elif lost is not None:
                stands = lost(task, made)
                FAILED.look_at(stands)
                yield task, stands
            else:
                raise InputError(
                    "A part of the work cost every process that took it its life "
                    f"({made.reason}); see whether there is memory enough, and start again: what "
                    "is done is kept."
                )
    finally:
        found.close()
