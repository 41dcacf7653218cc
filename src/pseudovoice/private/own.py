"""Folders and files that are their owner's alone: what was heard and said is personal data.

Made private from the start. What an earlier version left open to others is closed, quietly, where
it is ours to close.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path


def private_folder(path: Path) -> Path:
    """A folder that only its owner can enter (0700); those above it are as usual."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=0o700, exist_ok=True)
    close_to_others(path)
    return path


def private_file(path: Path) -> Path:
    """A file that only its owner can use (0600), empty if there was none."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    close_to_others(path)
    return path


def close_to_others(path: Path) -> None:
    """Take every permission of others away, if the file or folder is there and ours."""
    if os.name != "posix":
        return
    with suppress(OSError):
        facts = path.lstat()
        ours = facts.st_uid == os.getuid() and not stat.S_ISLNK(facts.st_mode)
        if ours and facts.st_mode & 0o077:
            path.chmod(stat.S_IMODE(facts.st_mode) & 0o700)
