"""A temporary folder of one's own: private, and removed even if its program could not do it.

Whoever is killed cleans up nothing. The folder therefore holds a lock for as long as its program
lives, and the next one removes every folder of the same user whose lock nobody holds.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from pseudovoice.private.own import private_folder

PREFIX = "pseudovoice-"
LOCK = ".pseudovoice-temporary"
_REMOVED_WITHIN = 0.1
"""Seconds after which a lock that nobody shares is its maker's, and not that of a removal."""


class TemporaryFolder:
    """``path`` is a new folder that only this user can enter (0700, as mkdtemp makes it).

    ``purpose`` is a part of its name. As a context it removes the folder at the end.
    """

    def __init__(self, purpose: str) -> None:
        remove_orphans()
        made = tempfile.mkdtemp(prefix=f"{PREFIX}{purpose}-")
        self.path = Path(os.path.realpath(made))
        self._lock: int | None = None
        if sys.platform != "win32":
            # Locked before it has its name, or another program might find it free.
            unnamed = self.path / ".unlocked"
            self._lock = os.open(unnamed, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            assert _locked(self._lock)
            unnamed.rename(self.path / LOCK)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


class SharedFolder:
    """A temporary folder that several programs of this user have together on one machine.

    ``path`` is ``theirs``, where the program that made it is on this machine and alive; else one of
    the same name, which is there as long as somebody has it, and removed by the last to leave, or
    by whoever comes when all are gone.
    """

    def __init__(self, theirs: Path) -> None:
        remove_orphans()
        here = Path(os.path.realpath(tempfile.gettempdir())) / theirs.name
        self.path = theirs if theirs.is_dir() else here
        self._lock: int | None = None
        while sys.platform != "win32":
            private_folder(self.path)
            if self.path.lstat().st_uid != os.getuid() or self.path.is_symlink():
                raise PermissionError(errno.EACCES, "is somebody else's", str(self.path))
            lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            shared = _locked(lock, shared=True)
            time.sleep(0 if shared else _REMOVED_WITHIN)
            if _is_at(lock, self.path / LOCK):
                if shared:
                    self._lock = lock
                    return
                os.close(lock)  # whoever made it holds it, for itself and for us
                return
            os.close(lock)  # somebody was just removing it

    def leave(self) -> None:
        if self._lock is not None:
            if _locked(self._lock):
                shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = None


def _is_at(handle: int, path: Path) -> bool:
    """Whether an open file is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except OSError:
        return False


def remove_orphans() -> None:
    """Remove what programs of this user that are no more have left."""
    if sys.platform == "win32":
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            if _locked(lock):
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)


def _locked(lock: int, *, shared: bool = False) -> bool:
    import fcntl  # POSIX only

    try:
        fcntl.flock(lock, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
