"""The folders of this machine that stand for places elsewhere, and the bytes of what is in them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pseudovoice.storage.address import address_of, spelt

if TYPE_CHECKING:
    from pseudovoice.storage.mirror import Mirror

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
def present(path: Path) -> Iterator[Path]:
    """A file with the bytes of ``path``, for as long as the block lasts."""
    mirror = mirror_of(path) if MIRRORS else None
    if mirror is None and _is_elsewhere(path):
        from pseudovoice.storage.mirror import adopted

        mirror = adopted(path)
    if mirror is None:
        yield path
        return
    with mirror.bytes_of(path) as there:
        yield there


def mirror_of(path: Path) -> Mirror | None:
    """Whose stand-in a path is, or would be."""
    return next((m for root, m in MIRRORS.items() if path.is_relative_to(root)), None)


def _is_elsewhere(path: Path) -> bool:
    """Whether another process of this machine made the stand-in: its place tells the address."""
    return STAND_INS in str(path)


def named(text: str) -> str:
    """A sentence for a person: addresses instead of the places of their stand-ins."""
    for root, mirror in MIRRORS.items():
        text = text.replace(str(root), str(mirror.address))
    return spelt(text)
