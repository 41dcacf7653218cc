"""Folders dropped onto the page: a browser hands over files, never their path.

What is dropped is therefore sent, over loopback, into a private folder that only this user can
read, and is removed when the server ends. Nothing but plain files under plain names is written
there, so a folder cannot bring links or ``..`` along.
"""

from __future__ import annotations

import os
import secrets
import shutil
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from pseudovoice.corpus.naming import quoted
from pseudovoice.errors import InputError
from pseudovoice.private import TemporaryFolder
from pseudovoice.private.temporary import PREFIX

PURPOSE = "dropped"
DROPPED = f"{PREFIX}{PURPOSE}-"
"""How the private folders of servers are called, the present one and those before it."""

LONGEST_NAME = 255
DEEPEST = 16
MOST_FILES = 100_000
MOST_BYTES = 2 << 30
"""Of one file."""

SPARE = 512 << 20
"""Bytes that stay free on the disk."""

CHUNK = 1 << 20


class Full(InputError):
    """There is no room for what was dropped."""


class Dropped:
    """The dropped folders of one server; a context that removes them all when it ends."""

    def __init__(self) -> None:
        self._private = TemporaryFolder(PURPOSE)
        self.private = self._private.path
        self.root = self.private / "files"
        self.root.mkdir(mode=0o700)
        self._lock = threading.Lock()
        self._files: dict[str, int] = {}

    def __enter__(self) -> Dropped:
        return self

    def __exit__(self, *_: object) -> None:
        self._private.remove()

    def begin(self) -> str:
        """A place for one more folder; its name is as good as secret."""
        name = secrets.token_hex(8)
        (self.root / name).mkdir(mode=0o700)
        with self._lock:
            self._files[name] = 0
        return name

    def folder(self, name: str) -> Path:
        """The folder that was dropped; the place itself where several things were."""
        place = self._place(name)
        inside = list(place.iterdir())
        if not inside:
            raise InputError("The dropped folder is empty; drop one with recordings.")
        return inside[0] if len(inside) == 1 and inside[0].is_dir() else place

    def holds(self, path: Path) -> bool:
        return path.is_relative_to(self.root)

    def again(self, path: Path) -> Path:
        """A folder that a plan of this server named; raises InputError if it is no dropped one."""
        name, *rest = path.relative_to(self.root).parts or ("",)
        if ".." in rest:
            raise InputError("This is no dropped folder; drop it again.")
        found = self.folder(name)
        if found != path:
            raise InputError("This dropped folder is not here any more; drop it again.")
        return found

    def put(self, name: str, parts: Sequence[str], body: BinaryIO, size: int) -> None:
        """Write one file of ``size`` bytes; ``parts`` is its path inside the dropped folder."""
        place = self._place(name)
        check_parts(parts)
        if size > MOST_BYTES:
            raise Full(
                f"{quoted(parts[-1])}: is larger than {MOST_BYTES >> 30} GB; type the folder's "
                "path instead, then nothing is copied."
            )
        if shutil.disk_usage(self.root).free < size + SPARE:
            raise Full(
                f"{quoted(parts[-1])}: the disk of {self.private.parent} is full; type the "
                "folder's path instead, then nothing is copied."
            )
        with self._lock:
            if self._files[name] >= MOST_FILES:
                raise Full(
                    f"More than {MOST_FILES:,} files; type the folder's path instead, then nothing "
                    "is copied."
                )
            self._files[name] += 1
        target = place.joinpath(*parts)
        try:
            for above in reversed(target.relative_to(place).parents):
                (place / above).mkdir(mode=0o700, exist_ok=True)
            handle = os.open(
                target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600
            )
        except OSError as error:
            raise InputError(
                f"{quoted('/'.join(parts), 200)}: cannot be written ({error.strerror}); drop the "
                "folder again, or rename the file."
            ) from None
        try:
            with os.fdopen(handle, "wb") as file:
                left = size
                while left and (chunk := body.read(min(CHUNK, left))):
                    file.write(chunk)
                    left -= len(chunk)
            if left:
                raise InputError(f"{quoted(parts[-1])}: only a part of it arrived; drop it again.")
        except BaseException:
            target.unlink(missing_ok=True)
            raise

    def _place(self, name: str) -> Path:
        with self._lock:
            if name not in self._files:
                raise InputError("This dropped folder is not here any more; drop it again.")
        return self.root / name


def check_parts(parts: Sequence[str]) -> None:
    """Raise InputError unless every part is a name that no file system takes for more."""
    if not 1 <= len(parts) <= DEEPEST:
        raise InputError(f"A dropped file lies 1 to {DEEPEST} folders deep, not {len(parts)}.")
    for part in parts:
        try:
            length = len(os.fsencode(part))
        except UnicodeEncodeError:
            length = 0
        # A colon names a drive or a stream on Windows, a leading dot a hidden file.
        wrong = part.startswith(".") or any(c in '/\\:*?"<>|' or not c.isprintable() for c in part)
        if wrong or not 1 <= length <= LONGEST_NAME or part != part.strip():
            raise InputError(f"{quoted(part)}: is no plain name for a dropped file; rename it.")
