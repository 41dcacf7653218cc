"""Progress on stderr: a bar with rate and time left on a terminal, nothing in a pipe or a log."""

from __future__ import annotations

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


class _Rate(ProgressColumn):
    """Items a second."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:.1f}/s")


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar that knows several tasks; silent where nobody looks."""
    err = console(err=True)
    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeRemainingColumn(),
        console=err,
        disable=not err.is_terminal,
        transient=True,
    ) as bar:
        yield bar


class Reporter:
    """Turns (what, done, total) into tasks of a bar."""

    def __init__(self, bar: Progress) -> None:
        self._bar, self._tasks = bar, dict[str, TaskID]()

    def __call__(self, what: str, done: int, total: int) -> None:
        if what not in self._tasks:
            for task in self._tasks.values():
                self._bar.update(task, visible=False)
            self._tasks[what] = self._bar.add_task(what, total=total or None)
        self._bar.update(self._tasks[what], completed=done, visible=True)
