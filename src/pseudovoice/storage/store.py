"""A store behind fsspec: list, fetch, send, remove; what goes wrong is one sentence.

A sentence says what kind of thing went wrong and never quotes the store's own words: those may hold
keys, signatures or whatever a server answers.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pseudovoice.errors import InputError, MissingExtraError, Problem
from pseudovoice.storage.address import Address

# Where an object appears whole or not at all, whatever becomes of whoever sends it.
_WHOLE = frozenset({"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "memory"})

_REASONS = {
    "NoCredentialsError": "no credentials are set",
    "PartialCredentialsError": "the credentials lack a part",
    "EndpointConnectionError": "the store does not answer",
    "ConnectTimeoutError": "the store does not answer",
    "ConnectionError": "the store does not answer",
    "ConnectionRefusedError": "the store does not answer",
    "ClientConnectorError": "the store does not answer",
    "ReadTimeoutError": "the store stopped answering",
    "TimeoutError": "the store stopped answering",
    "FileNotFoundError": "there is no such bucket or folder",
    "NoSuchBucket": "there is no such bucket or folder",
    "PermissionError": "access is denied",
    "InvalidAccessKeyId": "access is denied",
    "SignatureDoesNotMatch": "access is denied",
}
_REMEDIES = {
    "no credentials are set": "set them in the way of the store's own programs",
    "the credentials lack a part": "set them in the way of the store's own programs",
    "there is no such bucket or folder": "correct the address",
    "access is denied": "check the credentials and what they may do",
}


class StoreError(InputError):
    """A store, or one file of it, that cannot be had; ``problem`` is the sentence in its parts."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.problem = problem


@dataclass(frozen=True)
class Stored:
    """What a store says of one file: its place below a folder, bytes, and time of change."""

    place: str
    size: int
    changed: int


class Store:
    """One place of a store and all below it."""

    def __init__(self, address: Address) -> None:
        self.address = address
        with self._said():
            self._fs = _filesystem(address.protocol)

    def listed(self) -> list[Stored]:
        """All files below the address; itself, with an empty place, if it is a file."""
        root = self.address.path
        with self._said():
            # What was listed before may have changed since.
            self._fs.invalidate_cache()
            found: dict[str, Any] = self._fs.find(root, detail=True)
        files = []
        for name, facts in found.items():
            path = name.lstrip("/") if not root.startswith("/") else name
            place = path.removeprefix(root).lstrip("/")
            if facts.get("type") != "file" or path.endswith("/") or not path.startswith(root):
                continue
            if place and any(part in ("", ".", "..") for part in place.split("/")):
                continue  # no file of a folder: it would lead out of it
            if place and path[len(root)] != "/":
                continue  # another folder, whose name begins alike
            files.append(Stored(place, int(facts.get("size") or 0), _changed(facts)))
        return files

    def facts(self, place: str) -> Stored:
        """What the store says of one file."""
        with self._said(place):
            told: dict[str, Any] = self._fs.info(self._path(place))
        return Stored(place, int(told.get("size") or 0), _changed(told))

    def check(self) -> None:
        """Raise InputError unless the bucket or host is there and may be used."""
        bucket = self.address.path.split("/", 1)[0]
        with self._said():
            self._fs.invalidate_cache()
            self._fs.ls(bucket, detail=False)

    def fetch(self, place: str, target: Path) -> None:
        """Bring one file to ``target``."""
        with self._said(place):
            self._fs.get_file(self._path(place), str(target))

    def send(self, source: Path, place: str) -> None:
        """Make a file appear at a place, whole or not at all."""
        with self._said(place), self._published(place) as path:
            self._fs.put_file(str(source), path)

    def holds(self, place: str) -> bool:
        """Whether there is such a file now."""
        with self._said(place):
            self._fs.invalidate_cache()
            there: bool = self._fs.isfile(self._path(place))
            return there

    def read(self, places: Iterable[str]) -> dict[str, bytes]:
        """The bytes of small files, many at a time; those that are not there are left out."""
        paths = {self._path(place): place for place in places}
        if not paths:
            return {}
        with self._said():
            found = self._fs.cat(list(paths), on_error="return")
            if isinstance(found, bytes):  # some give no table where one was asked for
                found = dict.fromkeys(paths, found)
            for error in found.values():
                if isinstance(error, Exception) and not isinstance(error, FileNotFoundError):
                    raise error
        return {paths[name]: one for name, one in found.items() if isinstance(one, bytes)}

    def write(self, files: Mapping[str, bytes]) -> None:
        """Make small files appear, many at a time, each whole or not at all."""
        if not files:
            return
        if self.address.protocol in _WHOLE:
            with self._said():
                self._fs.pipe({self._path(place): data for place, data in files.items()})
            return
        for place, data in files.items():
            with self._said(place), self._published(place) as path:
                self._fs.pipe_file(path, data)

    @contextmanager
    def _published(self, place: str) -> Iterator[str]:
        """Where to write to: another path that then takes its place, if a half would be seen."""
        path = self._path(place)
        if self.address.protocol in _WHOLE:
            yield path
            return
        folder, _, name = path.rpartition("/")
        half = f"{folder}/.{secrets.token_hex(8)}.part"
        self._fs.makedirs(folder, exist_ok=True)
        try:
            yield half
            self._fs.mv(half, f"{folder}/{name}")
        finally:
            if self._fs.exists(half):
                self._fs.rm_file(half)

    def remove(self, place: str) -> None:
        with self._said(place):
            self._fs.rm_file(self._path(place))

    def _path(self, place: str) -> str:
        return f"{self.address.path}/{place}" if place else self.address.path

    @contextmanager
    def _said(self, place: str = "") -> Iterator[None]:
        """Whatever a store raises as one sentence that names the address and tells no secret."""
        where = self.address.below(place) if place else self.address
        try:
            yield
        except (InputError, MissingExtraError):
            raise
        except Exception as error:  # each store has errors of its own, without a common base
            raise unreachable(where, error) from None


def unreachable(where: Address, error: Exception) -> StoreError:
    """The sentence for what a store raised, by its kind and never in its words."""
    kinds = [kind.__name__ for one in _causes(error) for kind in type(one).__mro__]
    reason = next((_REASONS[kind] for kind in kinds if kind in _REASONS), None)
    code = _code(error)
    reason = _REASONS.get(code, reason) or f"{type(error).__name__}"
    remedy = _REMEDIES.get(reason, "check the network and the address, and run it again")
    return StoreError(Problem(str(where), f"cannot be reached ({reason})", remedy))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _code(error: Exception) -> str:
    """The store's own code for what went wrong, where it gives one."""
    for one in _causes(error):
        told = getattr(one, "response", None)
        if isinstance(told, dict):
            return str(told.get("Error", {}).get("Code", ""))
    return ""


def _changed(facts: dict[str, Any]) -> int:
    """Time of change in whole seconds; 0 where a store does not tell."""
    for name in ("LastModified", "last_modified", "updated", "mtime", "created"):
        told = facts.get(name)
        if isinstance(told, datetime):
            return int(told.timestamp())
        if isinstance(told, int | float):
            return int(told)
    return 0


def _filesystem(protocol: str) -> Any:
    try:
        import fsspec
    except ImportError:
        raise MissingExtraError("fsspec", "storage", f"{protocol}://") from None
    try:
        return fsspec.filesystem(protocol)
    except ImportError:
        package = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs"}.get(protocol)
        if package == "s3fs":
            raise MissingExtraError("s3fs", "storage", f"{protocol}://") from None
        raise InputError(
            f"{protocol}://: needs a package that is not installed; install "
            f"{package or 'the one that fsspec asks for'} beside pseudovoice[storage]."
        ) from None
    except ValueError:
        raise InputError(
            f"{protocol}://: is no kind of address that fsspec knows; check how it is spelt."
        ) from None
