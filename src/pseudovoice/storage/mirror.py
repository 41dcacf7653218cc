"""A folder of stand-ins: what a store holds, by name, size and time, without its bytes."""

from __future__ import annotations

import atexit
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path

from pseudovoice.errors import InputError, Problem
from pseudovoice.private import TemporaryFolder, private_folder
from pseudovoice.storage.address import Address
from pseudovoice.storage.near import MIRRORS, STAND_INS
from pseudovoice.storage.store import Store, Stored, StoreError

KEPT_BYTES = 1 << 30
"""Of fetched audio that nobody uses at the moment: what was hashed is decoded next."""

LARGEST_LISTING = 1 << 30
_ZEROS = bytes(16)
_MIRRORED = count()
_READ = "read"


@dataclass
class _Fetched:
    """The bytes of one file while somebody uses them, and for a while after."""

    path: Path
    size: int = 0
    users: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class Mirror:
    """The stand-ins of one address in the folder ``root``, or the file, if it is one."""

    def __init__(self, address: Address, root: Path, fetched: Path) -> None:
        self.address, self.root = address, root
        self.store = Store(address)
        self._folder = private_folder(fetched)
        self._lock = threading.Lock()
        self._number = count()
        self._near: OrderedDict[tuple[Path, int, int], _Fetched] = OrderedDict()

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
        key = path, facts.st_size, facts.st_mtime_ns
        with self._lock:
            if key not in self._near:
                self._near[key] = _Fetched(self._folder / str(next(self._number)))
            one = self._near[key]
            self._near.move_to_end(key)
            one.users += 1
        try:
            with one.lock:
                if not one.path.exists():
                    self._bring(path, facts.st_size, one)
            yield one.path
        finally:
            with self._lock:
                one.users -= 1
                self._make_room()

    def _bring(self, path: Path, size: int, one: _Fetched) -> None:
        half = one.path.with_name(f"{one.path.name}.part")
        place = path.relative_to(self.root).as_posix() if path != self.root else ""
        try:
            self.store.fetch(place, half)
            if half.stat().st_size != size:
                what = "has another length than when it was listed"
                raise StoreError(Problem(str(self.address.below(place)), what, "start again"))
            half.rename(one.path)
            one.size = size
        finally:
            half.unlink(missing_ok=True)

    def _make_room(self) -> None:
        """Forget what nobody uses, the oldest first, until little is left."""
        kept = sum(one.size for one in self._near.values())
        for key, one in list(self._near.items()):
            if kept <= KEPT_BYTES:
                return
            if one.users == 0:
                one.path.unlink(missing_ok=True)
                kept -= one.size
                del self._near[key]


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
    root = _working_folder() / _READ / address.local
    mirror = Mirror(address, root, _working_folder() / "fetched" / str(next(_MIRRORED)))
    if not mirror.refresh():
        raise InputError(f"{address}: holds nothing; correct the address.")
    MIRRORS[root] = mirror
    return root


def adopted(path: Path) -> Mirror | None:
    """The mirror of a bucket whose stand-ins another process made; None where none did."""
    working = next((one for one in path.parents if one.name.startswith(STAND_INS)), None)
    if working is None or not path.is_relative_to(working / _READ):
        return None
    protocol, bucket, *_ = path.relative_to(working / _READ).parts
    root = working / _READ / protocol / bucket
    with _ADOPTING:
        if root not in MIRRORS:
            fetched = _working_folder() / "fetched" / str(next(_MIRRORED))
            MIRRORS[root] = Mirror(Address(protocol, bucket), root, fetched)
        return MIRRORS[root]


_ADOPTING = threading.Lock()


@cache
def _working_folder() -> Path:
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
