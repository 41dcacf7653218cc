"""Files that are as secret as a key: plain ones, which nobody but their owner may use.

A path that a user names may be anything. What is no plain file is refused before it is read: a
device or a pipe would keep us waiting for ever.
"""

from __future__ import annotations

import os
import shlex
import stat
from pathlib import Path

from pseudovoice.errors import InputError


def open_plain(path: Path, flags: int, *, largest: int | None = None) -> int:
    """A descriptor of a plain file; raises InputError for another kind, OSError as ``os.open``.

    ``flags`` are those of ``os.open``; a file that they make is private.
    """
    # Not to wait for whoever writes into a pipe, nor to be governed by a terminal.
    waits = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
    handle = os.open(path, flags | waits | getattr(os, "O_BINARY", 0), 0o600)
    try:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode):
            raise InputError(f"{path}: is no plain file, so it is not read; name the file itself.")
        if largest is not None and facts.st_size > largest:
            raise InputError(
                f"{path}: has {facts.st_size:,} bytes, which no such file has; check the path."
            )
    except BaseException:
        os.close(handle)
        raise
    return handle


def check_private(handle: int, path: Path) -> None:
    """Raise InputError if others on this machine may use the open file."""
    if os.name == "posix" and os.fstat(handle).st_mode & 0o077:
        raise InputError(
            f"{path}: others on this machine may use this secret file; keep it to yourself: "
            f"chmod 600 {shlex.quote(str(path))}"
        )
