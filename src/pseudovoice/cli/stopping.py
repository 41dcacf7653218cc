"""Ctrl-C and SIGTERM: one sentence about what is kept, an exit code of their own, and soon.

Python hears of a signal when the main thread is next between two steps, and leaves when all threads
have ended theirs; with an hour of speech under way either may take minutes. A thread therefore
watches for signals as the system delivers them, and ends the program if it has not ended itself.
Nothing is lost by that: files are written whole or not at all, and what was done is kept.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import IO, Any, NoReturn

import click

from pseudovoice.atomic import remove_unfinished
from pseudovoice.child import kill_all
from pseudovoice.cli.talk import LOG

GRACE = 5.0
"""Seconds in which the work under way may end by itself; a second signal ends them."""

INTERRUPTED, TERMINATED = 130, 143
"""128 and the number of the signal, as shells say it."""

AGAIN = "start the same command again to go on"
KEPT = {
    "protect": f"Stopped. What is protected so far is kept; {AGAIN}.",
    "slice": f"Stopped. What is cut so far is kept; {AGAIN}.",
    "compare": f"Stopped. Every finished stage is kept; {AGAIN}.",
    "run": f"Stopped. Every finished stage is kept; {AGAIN}.",
    "demo": f"Stopped. Every finished stage is kept; {AGAIN}.",
    "assess": f"Stopped. What was heard so far is kept in the cache; {AGAIN}.",
    "attack": f"Stopped. What was heard so far is kept in the cache; {AGAIN}.",
    "train": f"Stopped. The last finished epoch is kept; {AGAIN}.",
    "train-asr": f"Stopped. The last finished epoch is kept; {AGAIN}.",
    "models": f"Stopped. Files that were fetched whole are kept; {AGAIN}.",
}
OTHERWISE = "Stopped. Nothing was written; start the same command again."


class Terminated(KeyboardInterrupt):
    """SIGTERM, which ends a program as Ctrl-C does."""


class Watch:
    """Sees to it that a program which is told to stop does so soon; ``verb`` is what it is at."""

    def __init__(self) -> None:
        self.verb: str | None = None
        self.said = threading.Event()
        self._signals, self._ending = -1, False

    def begin(self) -> None:
        """From the main thread, once; what is ignored, as after nohup, stays so."""
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, self._told)
        if os.name == "posix":
            self._signals, theirs = os.pipe()
            os.set_blocking(theirs, False)
            signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
            threading.Thread(target=self._watch, daemon=True).start()

    def end(self) -> None:
        """Leave signals to the verb, which has its own way of ending."""
        if os.name == "posix":
            signal.set_wakeup_fd(-1)
        if signal.getsignal(signal.SIGINT) == self._told:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _told(self, number: int, _frame: FrameType | None) -> None:
        """Begin to end; an exception out of a second signal could only disturb the ending."""
        if not self._ending:
            self._ending = os.name == "posix"
            raise Terminated if number == signal.SIGTERM else KeyboardInterrupt

    def say(self) -> None:
        """The sentence, once, whoever comes first."""
        if not self.said.is_set():
            self.said.set()
            LOG.warning("%s", KEPT.get(self.verb or "", OTHERWISE))
            sys.stderr.write(f"pseudovoice: {KEPT.get(self.verb or '', OTHERWISE)}\n")
            sys.stderr.flush()

    def leave(self, code: object) -> None:
        """The last step of a program that was told to stop: no signal can disturb it any more."""
        if self.said.is_set() and isinstance(code, int):
            with suppress(OSError):
                sys.stdout.flush()
            os._exit(code)

    def _watch(self) -> None:
        number = self._next()
        overdue = threading.Timer(GRACE, self._give_up, (number,))
        overdue.daemon = True
        overdue.start()
        self._next()  # whoever asks twice does not want to wait
        self._give_up(number)

    def _next(self) -> int:
        while (number := os.read(self._signals, 1)[0]) not in (signal.SIGINT, signal.SIGTERM):
            pass
        return number

    def _give_up(self, number: int) -> NoReturn:
        kill_all()
        remove_unfinished()
        self.say()
        os._exit(128 + number)


WATCH = Watch()


class Stopped(click.ClickException):
    """The end of a program that was told to stop, as click hands it on."""

    def __init__(self, reason: KeyboardInterrupt) -> None:
        super().__init__("Stopped.")
        code = TERMINATED if isinstance(reason, Terminated) else INTERRUPTED
        self.exit_code = code  # type: ignore[misc]  # click's own errors have one each

    def show(self, file: IO[Any] | None = None) -> None:
        del file
        WATCH.say()
