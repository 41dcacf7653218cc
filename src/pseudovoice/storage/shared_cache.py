"""What was computed once, by any of several machines: entries in a store, found by their names.

A name is the hash of all that an entry follows from, so whoever makes it makes the same, and it
does not matter who is last. An entry appears whole or not at all, and begins with a hash of its
name and of what is in it: one that is damaged, or is no entry of this name, is as good as not
there, and is written anew by whoever computes it again. Nothing here is the only copy of anything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import TypeVar

from pseudovoice.storage.address import Address
from pseudovoice.storage.store import Store

Value = TypeVar("Value", bytes, str)

AT_ONCE = 1000
"""Entries that are asked for together: the store answers them side by side."""

_MARK = b"pseudovoice cache 1\n"
_HASH = hashlib.sha256().digest_size
_KINDS: dict[type, bytes] = {bytes: b"b", str: b"t"}
_WHOLE = "whole"
"""The folder of files that are too large for an entry, each under its own hash."""


class SharedCache:
    """The entries of one kind at an address; safe to use from any number of machines at once."""

    def __init__(self, address: Address, kind: str) -> None:
        self._kind = kind
        self._store = Store(address.below(kind))

    def check(self) -> None:
        """Raise InputError unless the bucket is there and may be used."""
        self._store.check()

    def get(self, keys: Iterable[str], kind: type[Value]) -> dict[str, Value]:
        """The values that are there, are sound and are of this kind."""
        wanted = iter(keys)
        found: dict[str, Value] = {}
        while places := {_place(key): key for key in islice(wanted, AT_ONCE)}:
            for place, entry in self._store.read(places).items():
                value = self._opened(places[place], entry, kind)
                if value is not None:
                    found[places[place]] = value
        return found

    def put(self, values: Mapping[str, bytes] | Mapping[str, str]) -> None:
        """Publish some values, each whole or not at all."""
        self._store.write({_place(key): self._sealed(key, of) for key, of in values.items()})

    def fetch(self, key: str, target: Path) -> bool:
        """Bring the file of a name to ``target``; False where there is none that is sound."""
        named = self.get([key], str).get(key, "")
        place = f"{_WHOLE}/{named}"
        if not named or not self._store.holds(place):
            return False
        self._store.fetch(place, target)
        with target.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest() == named

    def send(self, key: str, source: Path) -> None:
        """Publish a file: its bytes first, then the entry that leads to them."""
        with source.open("rb") as stream:
            named = hashlib.file_digest(stream, "sha256").hexdigest()
        self._store.send(source, f"{_WHOLE}/{named}")
        self.put({key: named})

    def _sealed(self, key: str, value: bytes | str) -> bytes:
        content = _KINDS[type(value)] + (value.encode() if isinstance(value, str) else value)
        return _MARK + self._hash(key, content) + content

    def _opened(self, key: str, entry: bytes, kind: type[Value]) -> Value | None:
        start = len(_MARK) + _HASH
        told, content = entry[len(_MARK) : start], entry[start:]
        if not entry.startswith(_MARK) or told != self._hash(key, content):
            return None
        if not content.startswith(_KINDS[kind]):
            return None
        value = content[1:]
        return value.decode() if kind is str else value  # type: ignore[return-value]

    def _hash(self, key: str, content: bytes) -> bytes:
        return hashlib.sha256(f"{self._kind} {key}\n".encode() + content).digest()


def _place(key: str) -> str:
    """Where an entry lies: no folder gets so many that it is slow to list."""
    assert key.isalnum(), "names are hashes"
    return f"{key[:2]}/{key}"
