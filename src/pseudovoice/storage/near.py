"""The folders of this machine that stand for places elsewhere, and the bytes of what is in them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from pseudovoice.storage.address import Address, address_of, spelt

if TYPE_CHECKING:
    from pseudovoice.storage.mirror import Mirror

T = TypeVar("T")

STAND_INS = "pseudovoice-near-"
"""In the name of every folder of stand-ins that are read."""

MIRRORS: dict[Path, Mirror] = {}
"""By local folder; empty as long as everything lies on this machine."""


def near(place: str | Path) -> Path:
    """The folder, or the file, of this machine that stands for an address; any other path as it is.

    Listings are fetched, audio is not. A single file is fetched as a whole.
    """
    address = address_of(place)
    if address is None:
        return Path(place)
    from pseudovoice.storage.mirror import mirrored

    return mirrored(address)


@contextmanager
def whole(place: str | Path) -> Iterator[Path]:
    """A folder or file with everything that is in it; what lies elsewhere is brought for a while.

    For those who look at every byte, and write as much again.
    """
    address = address_of(place)
    if address is None:
        yield Path(place)
        return
    from pseudovoice.storage.mirror import brought

    with brought(address) as there:
        yield there


def near_all(given: T) -> T:
    """A record in which every path that is an address is the place here that stands for it."""
    if isinstance(given, Path):
        return cast(T, near(given))
    if isinstance(given, tuple):
        return cast(T, tuple(map(near_all, given)))
    if is_dataclass(given) and not isinstance(given, type):
        return replace(given, **{f.name: near_all(getattr(given, f.name)) for f in fields(given)})
    return given


@contextmanager
def present(path: Path) -> Iterator[Path]:
    """A file with the bytes of ``path``, for as long as the block lasts."""
    mirror = mirror_of(path) if MIRRORS else None
    if mirror is None and _is_elsewhere(path):
        from pseudovoice.storage.mirror import adopted

        mirror, path = adopted(path)
    if mirror is None:
        yield path
        return
    with mirror.bytes_of(path) as there:
        yield there


def facts_of(path: Path) -> os.stat_result:
    """What a file system says of a file, or the store of what it stands for."""
    try:
        return path.stat()
    except FileNotFoundError:
        if not _is_elsewhere(path) or (MIRRORS and mirror_of(path) is not None):
            raise
    from pseudovoice.storage.mirror import adopted

    _, here = adopted(path)
    return here.stat()


def mirror_of(path: Path) -> Mirror | None:
    """Whose stand-in a path is, or would be."""
    return next((m for root, m in MIRRORS.items() if path.is_relative_to(root)), None)


def lies_in(place: Path, folder: Path) -> bool:
    """Whether a place is a folder or lies in it: here, or where both of them stand for."""
    mine, theirs = address_behind(place), address_behind(folder)
    if mine is None or theirs is None:
        return place.resolve().is_relative_to(folder.resolve())
    return mine.protocol == theirs.protocol and f"{mine.path}/".startswith(f"{theirs.path}/")


def address_behind(path: Path) -> Address | None:
    """The address that a path stands for."""
    for root, mirror in MIRRORS.items():
        if path.is_relative_to(root):
            below = path.relative_to(root).as_posix()
            return mirror.address if below == "." else mirror.address.below(below)
    return None


def _is_elsewhere(path: Path) -> bool:
    """Whether another process made the stand-in, on this machine or not; its place tells of what.

    The folder itself is not asked: it may be one of a machine that cannot be seen from here.
    """
    return STAND_INS in str(path)


def named(text: str) -> str:
    """A sentence for a person: addresses instead of the places of their stand-ins."""
    for root, mirror in MIRRORS.items():
        text = text.replace(str(root), str(mirror.address))
    return spelt(text)
