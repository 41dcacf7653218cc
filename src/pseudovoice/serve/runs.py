"""Runs: one piece of work at a time, watched, cancelled and resumed.

An assessment is a folder of results with the plan in it. While the plan is there it is unfinished
and can be resumed, also by the next server; when the report is written the plan goes. Work on a
recording is begun anew instead.
"""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pseudovoice.atomic import write_atomic
from pseudovoice.errors import InputError, PseudovoiceError
from pseudovoice.json_tree import json_tree
from pseudovoice.report.filename import harmless_name
from pseudovoice.serve.child import Child
from pseudovoice.serve.pace import Progress
from pseudovoice.serve.plan import Folder, RunRequest
from pseudovoice.serve.tasks import Task

PLAN = "unfinished.json"
KEPT = "What it has heard is kept, and it can be resumed."
ASSESS = "assess"
RUNNING, CANCELLED, FAILED, FINISHED = "running", "cancelled", "failed", "finished"


class Busy(PseudovoiceError):
    """Another run is under way."""


@dataclass(frozen=True)
class RunState:
    """What there is to see of the last run; ``stages`` are those it has been through.

    ``kind`` is what is done, ``recording`` the one it is done to, ``name`` the folder of what
    comes of it.
    """

    name: str
    title: str
    safeguard: str
    kind: str = ASSESS
    recording: str = ""
    state: str = RUNNING
    progress: Progress | None = None
    stages: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    message: str = ""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


class Runs:
    """The runs of one folder of results; every change of state wakes whoever watches."""

    def __init__(self, out: Path, *, workers: int | None = None) -> None:
        self.out, self.workers = out, workers
        self._changed = threading.Condition()
        self._version = 0
        self._state: RunState | None = None
        self._child: Child | None = None
        self._closed = False

    def start(self, plan: RunRequest, roots: tuple[Path, ...]) -> str:
        """Begin a new run; raises Busy while one is under way."""
        with self._changed:
            self._free()
            folder = self._new_folder(plan.title)
            write_atomic(folder / PLAN, plan.to_json())
            self._assess(plan, folder, roots)
            return folder.name

    def work(
        self, task: Task, recording: str, title: str, *, into: Path | None = None, new: str = ""
    ) -> str:
        """Begin work on a recording, in the folder ``into`` or a ``new`` one of about that name.

        A new folder is removed again unless the work is finished.
        """
        with self._changed:
            self._free()
            folder = self._new_folder(new) if new else into
            name = "" if folder is None else folder.name
            asked = {**task.to_dict(), "folder": None if folder is None else str(folder)}
            begun = RunState(name, title, task.shown, task.kind, recording)
            self._begin(asked, begun, folder, discard=bool(new))
            return name

    def resume(self, name: str, roots: tuple[Path, ...], folder_of: Folder) -> None:
        """Take up an unfinished run; its plan is checked again like one from the page."""
        with self._changed:
            self._free()
            folder = self.folder(name)
            if folder is None or not (folder / PLAN).is_file():
                raise InputError("There is no unfinished run of this name; start a new one.")
            self._assess(_read_plan(folder, folder_of), folder, roots)

    def cancel(self) -> None:
        """Stop the run under way, if any, and come back when it has stopped."""
        with self._changed:
            child = self._child
        if child is not None and not child.done.is_set():
            child.stop()

    def close(self) -> None:
        """Stop everything; nobody is kept watching."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self.cancel()

    def state(self) -> tuple[int, RunState | None]:
        with self._changed:
            return self._version, self._state

    def watch(self, patience: float) -> Iterator[tuple[int, RunState | None] | None]:
        """Every new state, beginning with the present one; None where nothing came for a while."""
        seen = -1
        while True:
            with self._changed:
                if self._version == seen and not self._closed:
                    self._changed.wait(patience)
                if self._closed:
                    return
                now = None if self._version == seen else (self._version, self._state)
                seen = self._version
            yield now

    def unfinished(self) -> list[dict[str, str]]:
        """Runs that can be resumed, the one under way not among them."""
        _, state = self.state()
        busy = state.name if state is not None and state.state == RUNNING else None
        found = []
        for path in sorted(self.out.glob(f"*/{PLAN}")):
            folder = self.folder(path.parent.name)
            if folder is None or folder.name == busy:
                continue
            try:
                said = json_tree(path.read_text(encoding="utf-8"))
                title, safeguard = str(said["title"]), str(said["safeguard"])
            except (OSError, ValueError, KeyError, TypeError):
                continue
            found.append({"name": folder.name, "title": title, "safeguard": safeguard})
        return found

    def folder(self, name: str) -> Path | None:
        """The folder of a run, None unless it really lies in the folder of results."""
        if not name or harmless_name(name) != name:
            return None
        folder = self.out / name
        return folder if folder.is_dir() and not folder.is_symlink() else None

    def _free(self) -> None:
        if self._closed:
            raise Busy("The server is stopping; start it again.")
        if self._child is not None and not self._child.done.is_set():
            raise Busy("A run is under way; wait for it, or cancel it.")

    def _new_folder(self, title: str) -> Path:
        words = harmless_name(title).lower().split("-")
        stem = "-".join(filter(None, words))[:40].strip("-") or "report"
        for k in range(1, 10_000):
            folder = self.out / (stem if k == 1 else f"{stem}-{k}")
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            return folder
        raise InputError(f"{self.out}: has too many runs called {stem}; choose another title.")

    def _assess(self, plan: RunRequest, folder: Path, roots: tuple[Path, ...]) -> None:
        asked = {
            "kind": ASSESS,
            "plan": json.loads(plan.to_json()),
            "folder": str(folder),
            "roots": [str(root) for root in roots],
        }
        self._begin(asked, RunState(folder.name, plan.title, plan.safeguard), folder)

    def _begin(
        self, asked: dict[str, Any], state: RunState, folder: Path | None, discard: bool = False
    ) -> None:
        self._child = Child({**asked, "workers": self.workers})
        self._become(state)
        threading.Thread(
            target=self._follow, args=(self._child, folder, discard), daemon=True
        ).start()

    def _follow(self, child: Child, folder: Path | None, discard: bool) -> None:
        """Turn a run's events into states until it has ended."""
        ended = None
        _, begun = self.state()
        assert begun is not None
        kept = f" {KEPT}" if begun.kind == ASSESS else " Nothing of it is kept."
        for kind, event in child.events():
            with self._changed:
                assert self._state is not None
                if kind == "progress":
                    self._become(_moved(self._state, Progress(**event)))
                elif kind == "problem":
                    problems = (*self._state.problems, event["text"])
                    self._become(replace(self._state, problems=problems))
                elif kind == "error":
                    ended = (FAILED, event["text"])
                elif kind == "done":
                    ended = (FINISHED, event["headline"])
        how = child.end()
        if child.cancelled and (ended is None or ended[0] != FINISHED):
            ended = (CANCELLED, f"This was cancelled{self._where()}.{kept}")
        elif ended is None:
            ended = (FAILED, f"The run {how}{self._where()}.{kept}")
        with suppress(OSError):  # whatever happens to the folder, the end has to be told
            if folder is not None:
                _tidy(folder, finished=ended[0] == FINISHED, discard=discard)
        with self._changed:
            assert self._state is not None
            child.done.set()
            self._become(replace(self._state, state=ended[0], message=ended[1]))

    def _where(self) -> str:
        """How far the run has come, for a sentence."""
        _, state = self.state()
        if state is None or (progress := state.progress) is None:
            return ""
        so_far = f" ({progress.done:,} of {progress.total:,})" if progress.total else ""
        return f" while {progress.stage}{so_far}"

    def _become(self, state: RunState) -> None:
        with self._changed:
            self._version += 1
            self._state = state
            self._changed.notify_all()


def _tidy(folder: Path, *, finished: bool, discard: bool) -> None:
    """Remove what nobody needs after a run has ended."""
    if discard and not finished:
        shutil.rmtree(folder)
        return
    for half in folder.glob(".*.part"):  # what a write was about when it was stopped
        half.unlink()
    if finished:
        (folder / PLAN).unlink(missing_ok=True)


def _moved(state: RunState, progress: Progress) -> RunState:
    before = state.progress
    if before is None or before.stage == progress.stage:
        return replace(state, progress=progress)
    return replace(state, progress=progress, stages=(*state.stages, before.stage))


def _read_plan(folder: Path, folder_of: Folder) -> RunRequest:
    try:
        said = json_tree((folder / PLAN).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(
            f"{folder / PLAN}: cannot be read ({error}); delete the folder and start a new run."
        ) from None
    return RunRequest.read(said, folder_of)
