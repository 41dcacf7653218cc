"""A folder of stand-ins: what a store holds, by name, size and time, without its bytes."""

from __future__ import annotations

import atexit
import hashlib
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from threading import Lock

from pseudovoice.errors import InputError, Problem
from pseudovoice.private import SharedFolder, TemporaryFolder
from pseudovoice.storage.address import Address
from pseudovoice.storage.near import MIRRORS, STAND_INS
from pseudovoice.storage.pool import Pool
from pseudovoice.storage.store import Store, Stored, StoreError

LARGEST_LISTING = 1 << 30
_ZEROS = bytes(16)
_READ, _FETCHED = "read", "fetched"


class Mirror:
    """The stand-ins of one address in the folder ``root``, or the file, if it is one."""

    def __init__(self, address: Address, root: Path, pool: Pool | None = None) -> None:
        self.address, self.root = address, root
        self.store = Store(address)
        self._pool = pool or _pool(working_folder() / _FETCHED)

    def refresh(self) -> list[Stored]:
        """Make the folder what the store lists: stand-ins for audio, the rest as it is."""
        found = self.store.listed()
        if len(found) == 1 and not found[0].place:
            self.root.parent.mkdir(parents=True, exist_ok=True)
            self.store.fetch("", self.root)
            return found
        there = {self.root / one.place: one for one in found}
        for path in _files(self.root):
            if path not in there:
                path.unlink()
        for path, one in there.items():
            if not _stands(path, one):
                self._place(path, one)
        return found

    def _place(self, path: Path, one: Stored) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if is_audio(path) or one.size > LARGEST_LISTING:
            stand_in(path, one.size)
        else:
            self.store.fetch(one.place, path)
        os.utime(path, (one.changed, one.changed))

    @contextmanager
    def bytes_of(self, path: Path) -> Iterator[Path]:
        """A file with what the store holds there; files that are whole here, as they are."""
        if not is_stand_in(path):
            yield path
            return
        facts = path.stat()
        place = path.relative_to(self.root).as_posix() if path != self.root else ""
        what = f"{self.address.below(place)} {facts.st_size} {facts.st_mtime_ns}"
        name = hashlib.sha256(what.encode()).hexdigest()[:32]
        with self._pool.holding(name, partial(self._bring, place, facts.st_size)) as there:
            yield there

    def _bring(self, place: str, size: int, target: Path) -> None:
        self.store.fetch(place, target)
        if target.stat().st_size != size:
            what = "has another length than when it was listed"
            raise StoreError(Problem(str(self.address.below(place)), what, "start again"))

    def stand_for(self, path: Path) -> None:
        """Make one stand-in, of what was listed on another machine."""
        if path.exists():
            return
        one = self.store.facts(path.relative_to(self.root).as_posix())
        half = path.with_name(f".{secrets.token_hex(8)}{path.suffix}")
        try:
            self._place(half, one)
            half.rename(path)
        finally:
            half.unlink(missing_ok=True)


def stand_in(path: Path, size: int) -> None:
    """A file of so many bytes that takes no room."""
    with path.open("wb") as stream:
        stream.truncate(size)


def is_stand_in(path: Path) -> bool:
    """Whether a file is one: no audio file begins with zeros alone."""
    if not is_audio(path):
        return False
    with path.open("rb") as stream:
        start = stream.read(len(_ZEROS))
    return bool(start) and not start.strip(b"\0")


def is_audio(path: Path) -> bool:
    from pseudovoice.corpus.paths import AUDIO, OTHER_AUDIO  # which asks for what is present

    return path.suffix.lower() in AUDIO | OTHER_AUDIO


def mirrored(address: Address) -> Path:
    """The stand-ins of what an address holds now; InputError if it holds nothing."""
    root = working_folder() / _READ / address.local
    mirror = Mirror(address, root)
    if not mirror.refresh():
        raise InputError(f"{address}: holds nothing; correct the address.")
    MIRRORS[root] = mirror
    return root


@contextmanager
def brought(address: Address) -> Iterator[Path]:
    """All of what an address holds, bytes and all, for as long as the block lasts."""
    with TemporaryFolder("whole") as folder:
        root = folder / address.path.rsplit("/", 1)[-1]
        mirror = MIRRORS[root] = Mirror(address, root)
        found = mirror.store.listed()
        if not found:
            raise InputError(f"{address}: holds nothing; correct the address.")
        for one in found:
            path = root / one.place if one.place else root
            path.parent.mkdir(parents=True, exist_ok=True)
            mirror.store.fetch(one.place, path)
        yield root


def adopted(path: Path) -> tuple[Mirror, Path]:
    """The mirror of a bucket whose stand-ins another process made, and the stand-in to take.

    Where that process is on another machine there is none of its folder here: all processes of this
    machine that work for it share one of the same name, and ask the store.
    """
    theirs = next(one for one in path.parents if one.name.startswith(STAND_INS))
    below = path.relative_to(theirs / _READ)
    with _ADOPTING:
        ours = _shared_folder(theirs)
        root = ours / _READ / Path(*below.parts[:2])
        if root not in MIRRORS:
            address = Address(below.parts[0], below.parts[1])
            MIRRORS[root] = Mirror(address, root, _pool(ours / _FETCHED))
        mirror = MIRRORS[root]
    mirror.stand_for(ours / _READ / below)
    return mirror, ours / _READ / below


_ADOPTING = Lock()


@cache
def _pool(folder: Path) -> Pool:
    return Pool(folder)


@cache
def _shared_folder(theirs: Path) -> Path:
    folder = SharedFolder(theirs)
    atexit.register(folder.leave)
    return folder.path


@cache
def working_folder() -> Path:
    """For stand-ins and what is fetched for a while; gone when the program ends, or the next."""
    folder = TemporaryFolder("near")
    atexit.register(folder.remove)
    return folder.path


def _stands(path: Path, one: Stored) -> bool:
    try:
        facts = path.stat()
    except OSError:
        return False
    return facts.st_size == one.size and int(facts.st_mtime) == one.changed


def _files(root: Path) -> list[Path]:
    return [Path(folder) / name for folder, _, names in os.walk(root) for name in names]
