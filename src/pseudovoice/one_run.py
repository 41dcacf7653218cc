"""One run at a time in a folder: a lock that dies with its process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pseudovoice.errors import InputError, UsageError
from pseudovoice.private import private_folder

LOCK = "lock"


@contextmanager
def one_run(folder: Path, out: Path) -> Iterator[None]:
    """Hold ``folder``, the owner's alone, while ``out`` is filled; a second run is refused.

    The system gives a lock back when its process ends, however it ends: a crashed run never stands
    in the way of the next.
    """
    try:
        # What lies here tells whoever reads it what belongs together.
        private_folder(folder)
        descriptor = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise InputError(
            f"{folder}: what only you need is kept here, beside the output, and cannot be "
            f"({error.strerror}); choose an output in a folder that you can write."
        ) from None
    try:
        if not _locked(descriptor):
            raise UsageError(
                f"{out}: another run is filling this folder; wait until it has ended, or choose "
                "another folder."
            )
        yield
    finally:
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    try:
        import fcntl  # POSIX only
    except ImportError:
        return _locked_on_windows(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # a file system without locks: one run at a time is then the user's to see to
    return True


def _locked_on_windows(descriptor: int) -> bool:
    import msvcrt

    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined, unused-ignore]
    except OSError:
        return False
    return True
