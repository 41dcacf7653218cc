"""The user's cache: one folder, content-named files, written whole or not at all."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pseudovoice.atomic import naming
from pseudovoice.errors import InputError
from pseudovoice.private import private_file, private_folder
from pseudovoice.storage.address import address_of

if TYPE_CHECKING:
    from pseudovoice.storage.shared_cache import SharedCache


def cache_directory() -> Path:
    """``$PSEUDOVOICE_CACHE``, else ``pseudovoice`` in the platform's folder for caches.

    The folder is not created: only writing does that. Where the variable is an address, this
    machine has the platform's folder, and :func:`shared_cache` what stands behind it.
    """
    own = os.environ.get("PSEUDOVOICE_CACHE")
    if own and address_of(own) is None:
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


def shared_cache(kind: str) -> SharedCache | None:
    """Entries of one kind that several machines share: None unless the cache is an address.

    What may be there is what can be computed again from speech and public weights, by its name.
    Keys, states, journals, and any audio stay in the folders of this machine.
    """
    own = os.environ.get("PSEUDOVOICE_CACHE")
    address = address_of(own) if own else None
    if address is None:
        return None
    from pseudovoice.storage.shared_cache import SharedCache

    shared = SharedCache(address, kind)
    shared.check()
    return shared


def private_cache(*parts: str) -> Path:
    """The cache, or a folder in it, for what was heard: made so that only its owner can enter.

    A folder that ``$PSEUDOVOICE_CACHE`` names may be there for others too, for the sake of the
    weights; it stays as it is, and what is private in it is so by itself.
    """
    root, own = cache_directory(), os.environ.get("PSEUDOVOICE_CACHE")
    if not root.exists() or not own or address_of(own) is not None:
        _made(root)
    return _made(root.joinpath(*parts)) if parts else root


def _made(folder: Path) -> Path:
    try:
        return private_folder(folder)
    except OSError as error:
        raise _unwritable(folder, error) from error


def sha256_of(path: Path) -> str:
    """Hex SHA-256 of a file's bytes."""
    with naming(path), path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


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
        raise _unwritable(folder, error) from error
    with holder as name:
        yield Path(name)


def _unwritable(folder: Path, error: OSError) -> InputError:
    return InputError(
        f"The cache folder {folder} cannot be written ({error.strerror or error}): "
        f"set PSEUDOVOICE_CACHE to a folder that can."
    )


def store(data: bytes, target: Path, *, private: bool = False) -> None:
    """Write ``data`` to ``target`` in one atomic step; concurrent writers are harmless."""
    with workspace(target.parent) as folder:
        partial = folder / target.name
        if private:
            private_file(partial)
        partial.write_bytes(data)
        partial.replace(target)
