"""What is made here and goes elsewhere: whole, in the order of its names, its record last.

A folder that goes to an address is filled on this machine, in the cache, where what only the owner
needs stays for good: the journal by which a run resumes never leaves it. What has been sent is
replaced by stand-ins, so that the next run finds everything in its place and the disk is free.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import wraps
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ParamSpec, TypeVar

from pseudovoice.engines.chosen import chosen
from pseudovoice.errors import UsageError
from pseudovoice.storage.address import Address, address_of
from pseudovoice.storage.near import MIRRORS, mirror_of
from pseudovoice.storage.store import Store

P = ParamSpec("P")
R = TypeVar("R")

AT_ONCE = 4
"""Files on their way at a time: a store answers each of them late, and all of them at once."""

RECORDS = ("protection.json", "provenance.json")
"""What a release says of itself, and a study of all it wrote, in the order in which they go:
whoever finds one there finds everything that it speaks of.
"""


def sending(function: Callable[P, R]) -> Callable[P, R]:
    """For a function that writes into ``out``: an address will do as well."""
    return sending_but()(function)


def sending_but(*stays: str, into: str = "out") -> Callable[[Callable[P, R]], Callable[P, R]]:
    """For a function that writes into ``into``, of which some never leaves this machine.

    ``stays`` are patterns of places below it: what only the owner needs.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        return _near_or_far(function, into, stays)

    return decorate


def _near_or_far(function: Callable[P, R], into: str, stays: tuple[str, ...]) -> Callable[P, R]:
    known = signature(function)

    @wraps(function)
    def near_or_far(*args: P.args, **kwargs: P.kwargs) -> R:
        given = known.bind(*args, **kwargs)
        address = address_of(given.arguments[into])
        if address is None:
            return function(*args, **kwargs)
        if given.arguments.get("verify"):
            raise UsageError(
                f"{address}: what is there is compared by size; leave out `verify`, or verify a "
                "copy on this machine."
            )
        if given.arguments.get("shard"):
            raise UsageError(
                f"{address}: what a shard keeps for whoever merges it does not leave this machine; "
                "write shards into a folder that all machines share, and merge them into "
                f"{address.protocol}://."
            )
        going = _Outgoing(address, stays)
        given.arguments[into] = going.root
        done = function(*given.args, **given.kwargs)
        going.send()
        return done

    return near_or_far


def is_outgoing(path: Path) -> bool:
    """Whether a folder, or what lies beside it, goes elsewhere."""
    return bool(MIRRORS) and (
        mirror_of(path) is not None or any(root.parent == path.parent for root in MIRRORS)
    )


@dataclass(frozen=True)
class Destination:
    """A folder on its way, for workers who may be on other machines: they send what they make."""

    address: Address

    @contextmanager
    def making(self, place: str) -> Iterator[Path]:
        """Where to make the file that goes to a place, on whichever machine this is."""
        from pseudovoice.storage.mirror import working_folder

        with TemporaryDirectory(dir=working_folder()) as folder:
            yield Path(folder) / place.rsplit("/", 1)[-1]

    def send(self, path: Path, place: str) -> None:
        Store(self.address).send(path, place)


def destination_of(out: Path) -> Destination | None:
    """Where a folder goes; None if it stays on this machine."""
    mirror = MIRRORS.get(out)
    return None if mirror is None else Destination(mirror.address)


def is_sent(path: Path, size: int, changed: int) -> None:
    """Note that a worker sent what belongs to this place: so many bytes, made at that time."""
    from pseudovoice.storage.mirror import stand_in

    path.parent.mkdir(parents=True, exist_ok=True)
    stand_in(path, size)
    os.utime(path, ns=(changed, changed))


def check_reach(out: Path) -> None:
    """Raise UsageError if workers on other machines could not write what goes to a store."""
    if (there := destination_of(out)) is not None and not chosen().alone:
        raise UsageError(
            f"{there.address}: pseudonyms, slices and studies are put in order on one machine "
            "before they are sent, and workers on other machines do not see it; name a folder that "
            "all machines see as `out`, or leave out `engine`."
        )


def home_of(place: str | Path) -> Path:
    """Where what goes to an address is made, on this machine; any other path as it is, resolved."""
    address = address_of(place)
    if address is None:
        return Path(place).resolve()
    from pseudovoice.models.cache import private_cache

    mark = hashlib.sha256(str(address).encode()).hexdigest()[:16]
    return (private_cache("outgoing", mark) / address.path.rsplit("/", 1)[-1]).resolve()


class _Outgoing:
    """One folder, or file, on its way."""

    def __init__(self, address: Address, stays: tuple[str, ...]) -> None:
        from pseudovoice.storage.mirror import Mirror, stand_in

        self._stays = stays
        self.root = home_of(str(address))
        self._mirror = Mirror(address, self.root)
        self._mirror.store.check()
        listed = {one.place: one.size for one in self._mirror.store.listed()}
        self._sent = {place: size for place, size in listed.items() if not self._stays_here(place)}
        MIRRORS[self.root] = self._mirror
        for path in self._files():
            # Sent before, and no longer there, or no longer so: it has to be made again.
            if self._is_sent(path) and self._sent.get(self._place(path)) != path.stat().st_size:
                path.unlink()
        for name, size in self._sent.items():
            path = self.root / name
            if name and not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                if self._is_audio(path):
                    stand_in(path, size)
                else:
                    self._mirror.store.fetch(name, path)

    def send(self) -> None:
        """Send what is new, the record last; remove there what is no longer here."""
        from pseudovoice.storage.mirror import stand_in

        def send(place: str) -> None:
            path = files[place]
            self._mirror.store.send(path, place)
            if self._is_audio(path):
                facts = path.stat()
                stand_in(path, facts.st_size)
                os.utime(path, ns=(facts.st_mtime_ns, facts.st_mtime_ns))

        files = {self._place(path): path for path in self._files()}
        new = sorted(place for place, path in files.items() if not self._is_sent(path))
        pool = ThreadPoolExecutor(AT_ONCE)
        try:
            for _ in pool.map(send, (place for place in new if _record(place) < 0)):
                pass
        finally:
            pool.shutdown(cancel_futures=True)
        for place in sorted((one for one in new if _record(one) >= 0), key=_record):
            send(place)
        for place in sorted(self._sent.keys() - files.keys()):
            self._mirror.store.remove(place)
        if "" in files:
            self.root.unlink()  # a single file is made anew each time

    def _files(self) -> list[Path]:
        if self.root.is_file():
            return [self.root]
        all_of_it = (
            Path(folder) / name for folder, _, names in os.walk(self.root) for name in names
        )
        return [path for path in all_of_it if not self._stays_here(self._place(path))]

    def _stays_here(self, place: str) -> bool:
        return any(fnmatchcase(place, pattern) for pattern in self._stays)

    def _place(self, path: Path) -> str:
        return "" if path == self.root else path.relative_to(self.root).as_posix()

    def _is_sent(self, path: Path) -> bool:
        from pseudovoice.storage.mirror import is_stand_in

        return is_stand_in(path)

    def _is_audio(self, path: Path) -> bool:
        from pseudovoice.storage.mirror import is_audio

        return is_audio(path)


def _record(place: str) -> int:
    """The rank of a record among records; -1 for everything else."""
    name = place.rsplit("/", 1)[-1]
    return RECORDS.index(name) if name in RECORDS else -1
