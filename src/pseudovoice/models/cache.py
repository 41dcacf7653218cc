"""The user's cache: one folder, content-named files, written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pseudovoice.errors import InputError


def cache_directory() -> Path:
    """``$PSEUDOVOICE_CACHE``, else ``pseudovoice`` in the platform's folder for caches.

    The folder is not created: only writing does that.
    """
    if own := os.environ.get("PSEUDOVOICE_CACHE"):
        return Path(own).expanduser()
    # The XDG variable is honoured everywhere: whoever sets it means it.
    if xdg := os.environ.get("XDG_CACHE_HOME"):
        return Path(xdg).expanduser() / "pseudovoice"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "pseudovoice"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "pseudovoice"
    return Path.home() / ".cache" / "pseudovoice"


def sha256_of(path: Path) -> str:
    """Hex SHA-256 of a file's bytes."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        error.filename = str(path)  # a failed read does not know it, and a person has to
        raise


@contextmanager
def workspace(folder: Path) -> Iterator[Path]:
    """A temporary folder inside ``folder``, removed afterwards.

    It lies on the same file system as its destination, so that the final move is one atomic
    rename: a killed run leaves no half file under a good name.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        holder = tempfile.TemporaryDirectory(prefix=".partial-", dir=folder)
    except OSError as error:
        raise InputError(
            f"The cache folder {folder} cannot be written ({error.strerror or error}): "
            f"set PSEUDOVOICE_CACHE to a folder that can."
        ) from error
    with holder as name:
        yield Path(name)


def store(data: bytes, target: Path) -> None:
    """Write ``data`` to ``target`` in one atomic step; concurrent writers are harmless."""
    with workspace(target.parent) as folder:
        partial = folder / target.name
        partial.write_bytes(data)
        partial.replace(target)
