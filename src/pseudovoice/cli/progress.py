"""Progress on stderr: a bar with rate and time left on a terminal, elsewhere a line at times."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from pseudovoice.cli.show import console
from pseudovoice.cli.talk import LOG, TALK, remark
from pseudovoice.engines.failed import FAILED

EVERY = 5.0
"""Seconds between two lines at least; what takes less says nothing."""


class _Rate(ProgressColumn):
    """Items a second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.1f}/s")


class _Failed(ProgressColumn):
    """Items that failed in this run, once there are some."""

    def render(self, task: Task) -> Text:
        del task
        return Text(_failed(), style="red")


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar that knows several tasks; where nobody looks it is none, and lines stand for it."""
    err = console(err=True)
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeRemainingColumn(),
        _Failed(),
        console=err,
        disable=TALK.quiet or TALK.verbose or not err.is_terminal,
        transient=True,
    ) as bar:
        yield bar


class Reporter:
    """Turns (what, done, total) into tasks of a bar, or into lines."""

    def __init__(self, bar: Progress) -> None:
        self._bar, self._tasks = bar, dict[str, TaskID]()
        self._lines = Lines(to_log_only=not bar.disable)

    def __call__(self, what: str, done: int, total: int) -> None:
        self._lines(what, done, total)
        if what not in self._tasks:
            for task in self._tasks.values():
                self._bar.update(task, visible=False)
            self._tasks[what] = self._bar.add_task(what, total=total or None)
        self._bar.update(self._tasks[what], completed=done, visible=True)


class Lines:
    """One line every few seconds: what is done, how far, how fast, how long to go.

    With ``-v`` every step has a line where it begins and where it ends.
    """

    def __init__(self, *, to_log_only: bool, every: float = EVERY) -> None:
        self._say = _log_only if to_log_only else remark
        self._every, self._lock = every, threading.Lock()
        self._said = time.monotonic()
        self._began: dict[str, float] = {}
        self._ended: set[str] = set()

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        with self._lock:
            new = what not in self._began
            began = self._began.setdefault(what, now)
            whole = bool(total) and done >= total and what not in self._ended
            if whole:
                self._ended.add(what)
            due = now - self._said >= self._every
            if not due and not (TALK.verbose and (new or whole)):
                return
            self._said = now
        self._say(_line(what, done, total, now - began, ended=whole and TALK.verbose))


def _line(what: str, done: int, total: int, seconds: float, *, ended: bool) -> str:
    if not total:
        return what
    if ended:
        return f"{what}: all {total:,} in {in_short(seconds)}"
    if not done or seconds < 1.0:
        return f"{what}: {done:,} of {total:,}"
    left = (total - done) * seconds / done
    return (
        f"{what}: {done:,} of {total:,} ({100 * done // total} %), {done / seconds:.1f}/s, "
        f"{in_short(left)} to go" + (f", {failed}" if (failed := _failed()) else "")
    )


def _failed() -> str:
    return f"{FAILED.count:,} failed" if FAILED.count else ""


def in_short(seconds: float) -> str:
    """A time as a line has room for: ``4 s``, ``3 min``, ``2.5 h``."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def _log_only(text: str) -> None:
    """Beside a bar, which shows as much."""
    LOG.info("%s", text)
