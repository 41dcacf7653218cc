"""Any executor of ``concurrent.futures`` as an engine, such as a pool of processes."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from pseudovoice.cores import usable_cores
from pseudovoice.engines.engine import Here, Lost
from pseudovoice.engines.shipped import Raised, packed, run
from pseudovoice.engines.threads import through
from pseudovoice.errors import InputError

T = TypeVar("T")
R = TypeVar("R")


class OnExecutor:
    """An :class:`~pseudovoice.engines.engine.Engine` of an executor that is somebody else's.

    It is not shut down. One that breaks cannot be mended from here: that is an error, and what was
    done before stays.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self.alone = isinstance(executor, ThreadPoolExecutor | ProcessPoolExecutor)
        self.ships = not isinstance(executor, ThreadPoolExecutor)

    def map(
        self, work: Callable[[T], R], tasks: Iterable[T], workers: int | None
    ) -> Generator[tuple[T, R | Lost], None, None]:
        # Executors do not tell how many workers they have, except by this name.
        size = getattr(self._executor, "_max_workers", None) or usable_cores()
        most = workers or 2 * size
        if not self.ships:
            yield from through(self._executor, work, tasks, most)
            return
        there: Callable[[list[T]], list[Any]] = partial(run, packed(work))
        try:
            for (task,), (result,) in through(
                self._executor, there, ([one] for one in tasks), most
            ):
                if isinstance(result, Raised):
                    raise result.error
                yield task, result
        except BrokenExecutor as error:
            raise InputError(
                f"A process of the executor ended before its work was done ({error}); see whether "
                "there is memory enough, and start again: what is done is kept."
            ) from None

    def share(self, value: T) -> Callable[[], T]:
        return Here(value)

    def close(self) -> None:
        """It is for whoever made the executor to end it."""
