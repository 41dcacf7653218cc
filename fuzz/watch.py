"""What a reader must never do: start a program, call another machine, write where it likes.

Python tells an audit hook of all three before they happen. A hook stays for good, so this one is
there once and only looks while a reader is at work.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_NEVER = (
    *("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork"),
    *("os.forkpty", "pty.spawn", "socket.connect", "socket.bind", "socket.getaddrinfo"),
    *("urllib.Request", "ctypes.dlopen", "os.kill", "os.putenv"),
)
_CHANGING = (
    *("os.remove", "os.rename", "os.link", "os.symlink", "os.mkdir", "os.rmdir", "os.truncate"),
    *("os.chmod", "os.chown", "shutil.rmtree", "shutil.move", "shutil.copyfile"),
)


class Forbidden(BaseException):
    """A reader did what no reader may; no `except Exception` swallows it."""


class _Watch:
    def __init__(self) -> None:
        self.allowed: str | None = None
        self.also: tuple[str, ...] = ()
        self.seen: list[str] = []
        self.installed = False

    def hook(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.allowed is None:
            return
        if event in _NEVER:
            self._forbid(f"{event}{arguments!r}"[:200])
        elif event == "open":
            path, _, flags = arguments
            if isinstance(flags, int) and flags & _WRITING and not self._inside(path):
                self._forbid(f"open for writing: {path!r}")
        elif event in _CHANGING and not self._inside(arguments[0]):
            self._forbid(f"{event}: {arguments[0]!r}")

    def _inside(self, path: object) -> bool:
        if isinstance(path, int):  # a file that is open already
            return True
        real = os.path.realpath(os.fsdecode(path))  # type: ignore[arg-type]
        return self.allowed is not None and real.startswith((self.allowed, *self.also))

    def _forbid(self, what: str) -> None:
        self.seen.append(what)
        raise Forbidden(what)


_WATCH = _Watch()


@contextmanager
def watched(folder: Path) -> Iterator[list[str]]:
    """Forbid all that, but for files below ``folder``; gives what was tried all the same."""
    if not _WATCH.installed:
        sys.addaudithook(_WATCH.hook)
        _WATCH.installed = True
    _WATCH.seen = []
    _WATCH.allowed = os.path.realpath(folder)
    try:
        yield _WATCH.seen
    finally:
        _WATCH.allowed = None


def allow(folder: Path) -> None:
    """Let readers write below this folder too, for good."""
    _WATCH.also += (os.path.realpath(folder),)


@contextmanager
def unwatched() -> Iterator[None]:
    """For what the fuzzer itself does while a reader is at work."""
    allowed, _WATCH.allowed = _WATCH.allowed, None
    try:
        yield
    finally:
        _WATCH.allowed = allowed
