"""What was fetched, for a while: shared by all processes of one run on one machine.

Whoever uses a file has a name of its own for it, a link, so that anybody may forget what is kept
under the common name: the bytes go when nobody uses them any more.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from pseudovoice.private import private_folder

KEPT_BYTES = 1 << 30
"""Of fetched audio that nobody uses at the moment: what was hashed is decoded next."""

_OFTEN = 8
"""What is kept is looked through after each so-manieth part of that was fetched."""

_OWN = "."
"""In the name of a file that one user has; common names have none."""


class Pool:
    """A folder of fetched files, each under the hash of what it is; the oldest go first."""

    def __init__(self, folder: Path) -> None:
        self._folder = private_folder(folder)
        self._numbers = count()
        # Few, and shared: two threads that want one file shall not both fetch it.
        self._locks = [threading.Lock() for _ in range(64)]
        self._lock, self._fetched = threading.Lock(), 0

    @contextmanager
    def holding(self, name: str, fetch: Callable[[Path], None]) -> Iterator[Path]:
        """The file of that name, fetched unless it is there, for as long as the block lasts."""
        kept = self._folder / name
        own = self._folder / f"{name}{_OWN}{os.getpid()}{_OWN}{next(self._numbers)}"
        try:
            with self._locks[hash(name) % len(self._locks)]:
                try:
                    os.link(kept, own)
                    os.utime(own)
                except FileNotFoundError:
                    fetch(own)
                    with suppress(OSError):  # another process was faster, or there are no links
                        os.link(own, kept)
                    with self._lock:
                        self._fetched += own.stat().st_size
            yield own
        finally:
            own.unlink(missing_ok=True)
            if self._fetched > KEPT_BYTES // _OFTEN:
                with self._lock:
                    self._fetched = 0
                self._make_room()

    def _make_room(self) -> None:
        """Forget the oldest until little is left."""
        found = []
        for path in self._folder.iterdir():
            with suppress(OSError):  # forgotten by another process
                if _OWN not in path.name:
                    facts = path.stat()
                    found.append((facts.st_mtime_ns, facts.st_size, path))
        kept = sum(size for _, size, _ in found)
        for _, size, path in sorted(found):
            if kept <= KEPT_BYTES:
                return
            path.unlink(missing_ok=True)
            kept -= size
