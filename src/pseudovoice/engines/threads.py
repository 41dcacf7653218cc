"""Work shared among threads of this process: what is done unless another engine is chosen."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from threadpoolctl import threadpool_limits

from pseudovoice.cores import usable_cores
from pseudovoice.engines.engine import Here, Lost

T = TypeVar("T")
R = TypeVar("R")


class Threads:
    """An :class:`~pseudovoice.engines.engine.Engine` of as many threads as there are cores."""

    ships = False
    alone = True

    def map(
        self, work: Callable[[T], R], tasks: Iterable[T], workers: int | None
    ) -> Generator[tuple[T, R | Lost], None, None]:
        yield from in_threads(work, tasks, workers)

    def share(self, value: T) -> Callable[[], T]:
        return Here(value)

    def close(self) -> None:
        """A pool ends with its map."""


def in_threads(
    work: Callable[[T], R], tasks: Iterable[T], workers: int | None = None
) -> Generator[tuple[T, R], None, None]:
    """Yield each task with its result as soon as it is done, in no particular order.

    For work that lives in the memory of this process, whatever the engine is. Meanwhile BLAS has
    one thread each: the workers are the parallelism, more threads only get in their way.
    """
    cores = workers or usable_cores()
    with threadpool_limits(1), ThreadPoolExecutor(cores) as pool:
        try:
            yield from through(pool, work, tasks, 2 * cores)
        finally:
            pool.shutdown(cancel_futures=True)


def through(
    pool: Executor, work: Callable[[T], R], tasks: Iterable[T], most: int
) -> Generator[tuple[T, R], None, None]:
    """Hand tasks to an executor, ``most`` at a time: memory must not grow with their number.

    Whoever stops listening stops the work that has not begun.
    """
    waiting = iter(tasks)
    under_way: dict[Future[R], T] = {}
    try:
        while True:
            for task in waiting:
                under_way[pool.submit(work, task)] = task
                if len(under_way) >= most:
                    break
            if not under_way:
                return
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            # What failed comes last: what was finished beside it is not to be lost.
            for future in sorted(done, key=lambda future: future.exception() is not None):
                yield under_way.pop(future), future.result()
    finally:
        for future in under_way:
            future.cancel()
