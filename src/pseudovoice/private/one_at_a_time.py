"""A file that one program at a time may change, here and on machines that share its folder.

The lock is the kernel's (POSIX record locks, which NFS passes on to its server), so whoever is
killed lets go of it, and nobody has to guess whether a lock file is still somebody's.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pseudovoice.errors import InputError

# Record locks keep programs apart, not the threads of one.
_THREADS: defaultdict[Path, threading.Lock] = defaultdict(threading.Lock)
_AFAR = 1 << 62
"""Where Windows locks a byte, since others could not read a byte that is locked."""


@contextmanager
def one_at_a_time(handle: int, path: Path) -> Iterator[None]:
    """Wait until nobody else holds the open file, and hold it."""
    with _THREADS[path]:
        try:
            _lock(handle)
        except OSError as error:
            raise InputError(
                f"{path}: cannot be locked ({error.strerror}), so two runs at once could give one "
                "speaker two voices; keep the key in a folder whose file system has locks."
            ) from None
        try:
            yield
        finally:
            _unlock(handle)


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        while True:
            os.lseek(handle, _AFAR, os.SEEK_SET)
            try:
                msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            except PermissionError:
                time.sleep(0.05)
            else:
                return

    def _unlock(handle: int) -> None:
        os.lseek(handle, _AFAR, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.lockf(handle, fcntl.LOCK_EX)

    def _unlock(handle: int) -> None:
        fcntl.lockf(handle, fcntl.LOCK_UN)
