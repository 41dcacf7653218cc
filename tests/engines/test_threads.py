"""Work among threads: a task that fails takes nothing with it that was finished."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from pseudovoice.engines import in_threads
from pseudovoice.errors import DiskError, Problem


def test_what_was_finished_comes_before_what_failed() -> None:
    def work(number: int) -> int:
        if number == 0:
            raise DiskError(Problem("x.wav", "cannot be written", "make room"))
        return number

    def tasks() -> Iterator[int]:
        yield from range(7)
        time.sleep(0.3)  # all of them are done before any is handed on

    found: list[int] = []
    with pytest.raises(DiskError):
        found.extend(number for _, number in in_threads(work, tasks(), 4))
    assert sorted(found) == [1, 2, 3, 4, 5, 6]
