"""A run as a process of its own: begun, listened to, stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from pseudovoice import child
from pseudovoice.models.cache import cache_directory
from pseudovoice.private import TemporaryFolder

GRACE = 3.0
"""Seconds a run has to stop when it is asked to, before it is made to."""


class Child:
    """``python -m pseudovoice.serve.job`` with what it is asked to do.

    ``cancelled`` says that it was told to stop, ``done`` that whoever followed it has seen its end.
    """

    def __init__(self, asked: dict[str, Any]) -> None:
        self.cancelled = False
        self.done = threading.Event()
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the run has ended
        self._folder = TemporaryFolder("run")
        given = child.environment(*child.PIP, *child.COMPUTING)
        # The child works elsewhere, where a relative folder would be another one.
        given["PSEUDOVOICE_CACHE"] = str(cache_directory().absolute())
        self.process = child.start(
            child.python("pseudovoice.serve.job"),
            self._folder.path,
            given,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,  # Ctrl-C is for the server, which then stops the run
        )
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):  # it died at once; how is seen when it is waited for
            self.process.stdin.write(json.dumps(asked).encode() + b"\n")
            self.process.stdin.flush()

    def events(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Kind and content of each event until there are no more."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            try:
                event = json.loads(line)
                yield event.pop("event"), event
            except (ValueError, KeyError):
                continue

    def end(self) -> str:
        """Wait for the end, let go of everything, and say how it died if it did not say itself."""
        code = self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()
        self._errors.seek(0)
        lines = self._errors.read()[-4000:].decode("utf-8", "replace").strip().splitlines()
        self._errors.close()
        self._folder.remove()
        if code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else str(-code)
            return f"ended from outside by {name}, perhaps for want of memory"
        return f"ended unexpectedly ({lines[-1][:300]})" if lines else "ended unexpectedly"

    def stop(self) -> None:
        """Ask, then insist; the whole group, because fetching weights runs a program of its own."""
        self.cancelled = True
        self._signal(signal.SIGTERM)
        if not self.done.wait(GRACE):
            self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
            self.done.wait(GRACE)

    def _signal(self, kind: signal.Signals) -> None:
        if self.process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            if os.name == "posix":
                os.killpg(self.process.pid, kind)
            else:
                self.process.terminate()
