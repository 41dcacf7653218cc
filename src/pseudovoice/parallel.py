"""Work shared among threads, with a bounded number of tasks under way."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_parallel(
    work: Callable[[T], R], tasks: Iterable[T], workers: int
) -> Generator[tuple[T, R], None, None]:
    """Yield each task with its result as soon as it is done, in no particular order.

    Only twice as many tasks as workers are taken at a time, so that memory does not grow with
    their number. Whoever stops listening stops the work that has not begun.
    """
    waiting = iter(tasks)
    with ThreadPoolExecutor(workers) as pool:
        under_way: dict[Future[R], T] = {}
        try:
            while True:
                for task in waiting:
                    under_way[pool.submit(work, task)] = task
                    if len(under_way) >= 2 * workers:
                        break
                if not under_way:
                    return
                done, _ = wait(under_way, return_when=FIRST_COMPLETED)
                # What failed comes last: what was finished beside it is not to be lost.
                for future in sorted(done, key=lambda future: future.exception() is not None):
                    yield under_way.pop(future), future.result()
        finally:
            pool.shutdown(cancel_futures=True)
