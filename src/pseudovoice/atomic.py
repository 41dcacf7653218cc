"""Files that are whole or not there: written beside their place, then moved into it."""

from __future__ import annotations

import errno
import os
import re
import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from pseudovoice.errors import DiskError, OutputError, Problem
from pseudovoice.private import spare

_FULL = frozenset({errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)})
_FAILING = frozenset(
    {errno.EIO, errno.EROFS, errno.ENODEV, errno.ENXIO}
    | {getattr(errno, name, errno.EIO) for name in ("ESTALE", "ENOTCONN", "ESHUTDOWN")}
)
_UNDER_WAY: set[Path] = set()
_AGAIN = "and run it again: what was finished before is kept"
# Names of halves: ours, and those of earlier versions.
_HALF = re.compile(r"\.([0-9a-f]{16}\.(part|tmp)|[0-9a-z_]{8}\.part)")


def write_atomic(path: Path, content: bytes | str, *, private: bool = False) -> None:
    """Write a file so that neither a killed run nor a full disk leaves half of it."""
    with replacing(path, private=private) as stream:
        stream.write(content.encode("utf-8") if isinstance(content, str) else content)


@contextmanager
def replacing(path: Path, *, private: bool = False) -> Iterator[IO[bytes]]:
    """A binary file that takes the place of ``path`` when the block ends without an error.

    It is written in the same folder, since only a move within one file system is atomic, under
    a hidden name that no reader takes for audio, should a killed run leave it behind. It is on the
    disk before it is moved: a file system may keep the move and lose the contents in a power cut.
    A ``private`` file can be read by its owner only. Raises :class:`OutputError`, or
    :class:`DiskError` where nothing else can be written either; and UsageError if ``path`` is a
    key, which nothing takes the place of.
    """
    spare(path)
    temporary = path.parent / f".{secrets.token_hex(8)}.part"
    _UNDER_WAY.add(temporary)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(temporary, "x+b", opener=_owners if private else None) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
        _settle(path.parent)
    except OSError as error:
        raise unwritable(path, error) from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        _UNDER_WAY.discard(temporary)


def check_there(files: Iterable[Path]) -> None:
    """Raise OutputError unless all files that a run has written are still where it wrote them."""
    for file in files:
        if not file.is_file():
            what = "has gone while other files were written"
            raise OutputError(Problem(str(file), what, "see what removed it, and run it again"))


def remove_unfinished() -> None:
    """Remove what is being written, for a program that ends without waiting for its threads."""
    for temporary in list(_UNDER_WAY):
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def remove_halves(folder: Path) -> None:
    """Remove what killed runs left half written below a folder that this run holds alone."""
    for place, _, files in os.walk(folder):
        for name in files:
            if _HALF.fullmatch(name):
                (Path(place) / name).unlink(missing_ok=True)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """What fails while an open file is read or written does not know its name: it is given it."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


def unwritable(path: Path, error: OSError) -> OutputError:
    """The error for a file that cannot be written, by what the system said."""
    reason = error.strerror or str(error)
    if error.errno in _FULL:
        what, remedy = f"cannot be written, because the disk is full ({reason})", "make room"
        return DiskError(Problem(str(path), what, f"{remedy} {_AGAIN}"))
    if error.errno in _FAILING:
        what = f"cannot be written, because the disk fails or is gone ({reason})"
        return DiskError(Problem(str(path), what, f"put that right {_AGAIN}"))
    if error.errno == errno.EFBIG:
        remedy = "its system allows no file so large; choose another disk or a smaller format"
    else:
        remedy = "check its folder and the permissions"
    return OutputError(Problem(str(path), f"cannot be written ({reason})", remedy))


def _owners(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _settle(folder: Path) -> None:
    """Bring the move itself to the disk, where a system has a way to."""
    if os.name != "posix":
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        # Some file systems cannot do it for folders, and some folders cannot be read.
        if error.errno in _FULL | _FAILING - {errno.EROFS}:
            raise
