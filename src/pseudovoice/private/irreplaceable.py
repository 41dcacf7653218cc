"""What no output may take the place of: keys, and the voices that were given with them.

Without its key nothing can be protected alike again. Every writer of ours asks here before it
replaces a file, whatever path it was told.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from pseudovoice.errors import UsageError

KEY_HEADER = "pseudovoice-key-1:"
_KEY = KEY_HEADER.encode("ascii")
VOICES = rb'\{"speaker": "[0-9a-f]{24}", "voice": \{'
"""How a line begins that holds a voice."""


def spare(path: Path) -> None:
    """Raise UsageError if a file is a key or holds voices, under whatever name or link."""
    try:
        # Only a plain file can be one, and only that can be looked at without waiting.
        if not stat.S_ISREG(path.stat().st_mode):
            return
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError:
        return
    with os.fdopen(handle, "rb") as file:
        head = file.read(64)
    if head.startswith(_KEY) or re.match(VOICES, head):
        what = "a secret key" if head.startswith(_KEY) else "the voices given with a key"
        raise UsageError(
            f"{path}: is {what}, which is never overwritten, since nothing could be protected "
            "alike again; choose another name."
        )
