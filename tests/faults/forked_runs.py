"""Runs of the program with one fault each, by way of a warm process that forks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from fault_shim import KINDS

PATIENCE = 120.0
"""Seconds after which a run counts as hanging."""


@dataclass(frozen=True)
class Run:
    """How one run ended. ``struck`` is what the fault hit: operation and file; ``counts`` are the
    operations that each kind of fault could have struck, where the run lived to tell."""

    code: int
    stdout: str
    stderr: str
    struck: tuple[str, str] | None
    counts: dict[str, int]

    @property
    def killed(self) -> bool:
        return self.code == -signal.SIGKILL


class ForkedRuns:
    """The warm process, and the folder for what its runs say."""

    def __init__(self, shim: Path, place: Path, warm: Sequence[tuple[Path, Sequence[str]]]) -> None:
        """``warm`` are commands to have done before, each with the folder it works in."""
        self._shim, self._place = shim, place
        place.mkdir(parents=True, exist_ok=True)
        environment = {
            **os.environ,
            "LD_PRELOAD": str(shim),
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("warm_process.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )
        self._send([self._job(root, words) for root, words in warm])
        if self._answer() != "ready":
            raise RuntimeError("the warm process did not begin")

    def __enter__(self) -> ForkedRuns:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.communicate()

    def __call__(self, root: Path, words: Sequence[str], kind: str = "full", nth: int = 0) -> Run:
        """Run a command in ``root``; with ``nth`` 0 nothing fails and operations are counted."""
        job = self._job(root, words) | {"kind": KINDS[kind], "nth": nth}
        for name in ("stdout", "stderr", "report"):
            Path(job[name]).unlink(missing_ok=True)
        self._send(job)
        code = self._answer()
        facts = [line.split("\t") for line in _text(job["report"]).splitlines()]
        struck = next(((f[1], f[2]) for f in facts if len(f) == 3), None)
        told = next((json.loads(f[1]) for f in facts if f[0] == "counts"), [])
        counts = {name: told[number] for name, number in KINDS.items() if told}
        return Run(code, _text(job["stdout"]), _text(job["stderr"]), struck, counts)

    def _job(self, root: Path, words: Sequence[str]) -> dict[str, Any]:
        said = {name: str(self._place / name) for name in ("stdout", "stderr", "report")}
        away = self._place / "away"
        away.mkdir(exist_ok=True)
        return {
            **said,
            "root": str(root),
            "words": list(words),
            "kinds": max(KINDS.values()),
            "shim": str(self._shim),
            "away": str(away),
        }

    def _send(self, message: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        alarm = threading.Timer(PATIENCE, self._process.kill)
        alarm.start()
        line = self._process.stdout.readline()
        alarm.cancel()
        if not line:
            raise RuntimeError("the run hung, or the warm process died")
        return json.loads(line)


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return ""
