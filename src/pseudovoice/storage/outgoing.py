"""What is made here and goes elsewhere: whole, in the order of its names, its record last.

A folder that goes to an address is filled on this machine, in the cache, where what only the owner
needs stays for good: the journal by which a run resumes never leaves it. What has been sent is
replaced by stand-ins, so that the next run finds everything in its place and the disk is free.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import ParamSpec, TypeVar

from pseudovoice.errors import UsageError
from pseudovoice.storage.address import Address, address_of
from pseudovoice.storage.near import MIRRORS, mirror_of

P = ParamSpec("P")
R = TypeVar("R")

AT_ONCE = 4
"""Files on their way at a time: a store answers each of them late, and all of them at once."""

RECORD = "protection.json"
"""What a release says of itself: whoever finds it there finds all of the release."""


def sending(function: Callable[P, R]) -> Callable[P, R]:
    """For a function that writes into ``out``: an address will do as well."""
    known = signature(function)

    @wraps(function)
    def near_or_far(*args: P.args, **kwargs: P.kwargs) -> R:
        given = known.bind(*args, **kwargs)
        address = address_of(given.arguments["out"])
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
        going = _Outgoing(address)
        given.arguments["out"] = going.root
        done = function(*given.args, **given.kwargs)
        going.send()
        return done

    return near_or_far


def is_outgoing(path: Path) -> bool:
    """Whether a folder, or what lies beside it, goes elsewhere."""
    return bool(MIRRORS) and (
        mirror_of(path) is not None or any(root.parent == path.parent for root in MIRRORS)
    )


class _Outgoing:
    """One folder, or file, on its way."""

    def __init__(self, address: Address) -> None:
        from pseudovoice.models.cache import private_cache
        from pseudovoice.storage.mirror import Mirror, stand_in

        mark = hashlib.sha256(str(address).encode()).hexdigest()[:16]
        place = private_cache("outgoing", mark)
        self.root = (place / address.path.rsplit("/", 1)[-1]).resolve()
        self._mirror = Mirror(address, self.root, place / "fetched")
        self._mirror.store.check()
        self._sent = {one.place: one.size for one in self._mirror.store.listed()}
        MIRRORS[self.root] = self._mirror
        for path in self._files():
            # Sent before, and no longer there, or no longer so: it has to be made again.
            if self._is_sent(path) and self._sent.get(self._place(path)) != path.stat().st_size:
                path.unlink()
        for name, size in self._sent.items():
            path = self.root / name if name else self.root
            if not path.exists():
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
            for _ in pool.map(send, (place for place in new if place != RECORD)):
                pass
        finally:
            pool.shutdown(cancel_futures=True)
        if RECORD in new:
            send(RECORD)
        for place in sorted(self._sent.keys() - files.keys()):
            self._mirror.store.remove(place)

    def _files(self) -> list[Path]:
        if self.root.is_file():
            return [self.root]
        return [Path(folder) / name for folder, _, names in os.walk(self.root) for name in names]

    def _place(self, path: Path) -> str:
        return "" if path == self.root else path.relative_to(self.root).as_posix()

    def _is_sent(self, path: Path) -> bool:
        from pseudovoice.storage.mirror import is_stand_in

        return is_stand_in(path)

    def _is_audio(self, path: Path) -> bool:
        from pseudovoice.storage.mirror import is_audio

        return is_audio(path)
