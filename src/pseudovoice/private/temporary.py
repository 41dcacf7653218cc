"""A temporary folder of one's own: private, and removed even if its program could not do it.

Whoever is killed cleans up nothing. The folder therefore holds a lock for as long as its program
lives, and the next one removes every folder of the same user whose lock nobody holds.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path

PREFIX = "pseudovoice-"
LOCK = ".pseudovoice-temporary"


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


def _locked(lock: int) -> bool:
    import fcntl  # POSIX only

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
