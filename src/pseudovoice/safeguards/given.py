"""The voices a session has given, kept beside the key.

A voice once given stays: whoever comes later, alone or with others, never changes it. The file has
one line a speaker, under a keyed tag instead of the name; who reads it can undo the voices as if
the key were leaked, so only its owner can. Runs at the same time, also on machines that share the
folder, give voices in turn, and each first reads what the others gave.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from pseudovoice.atomic import naming
from pseudovoice.errors import InputError
from pseudovoice.json_tree import json_tree
from pseudovoice.keys import Key
from pseudovoice.private import check_private, open_plain
from pseudovoice.private.one_at_a_time import one_at_a_time

Vectors = dict[str, NDArray[np.float32]]


class Kept(Protocol):
    """A voice as numbers that JSON can hold."""

    def to_dict(self) -> dict[str, Any]: ...


Given = TypeVar("Given", bound=Kept)

_TAG = re.compile("[0-9a-f]{24}")
_LONGEST = 1.001
"""Of a direction, whose numbers are rounded."""


@dataclass
class SessionState(Generic[Given]):
    """Pseudo-voices by tag, with where each lies in the space of each encoder that chose it.

    ``known`` reads one from what was kept; ValueError or TypeError where it cannot be one.
    """

    path: Path | None
    known: Callable[[dict[str, Any]], Given]
    voices: dict[str, Given] = field(default_factory=dict)
    places: dict[str, Vectors] = field(default_factory=dict)
    _lines: dict[str, int] = field(default_factory=dict)
    _count: int = 0
    _read: int = 0
    _handle: int | None = None

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else gives a voice meanwhile, and all that others gave before are here."""
        if self.path is None:
            yield
            return
        handle = _open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            with one_at_a_time(handle, self.path):
                self._catch_up(handle)
                # What follows the last whole line was cut short: whoever wrote it is no more.
                with naming(self.path):
                    os.ftruncate(handle, self._read)
                self._handle = handle
                yield
        finally:
            self._handle = None
            os.close(handle)

    def give(self, tag: str, voice: Given, place: Vectors) -> None:
        """Remember a voice; on disk at once, so that a killed search goes on where it was."""
        line = json.dumps(
            {
                "speaker": tag,
                "voice": voice.to_dict(),
                "place": {name: [round(float(v), 5) for v in row] for name, row in place.items()},
            }
        )
        # As it will be read: a search that goes on must find what this one would have.
        self._take(json.loads(line))
        if self.path is None:
            return
        assert self._handle is not None, "a voice is given alone"
        data = line.encode() + b"\n"
        with naming(self.path):
            with os.fdopen(self._handle, "ab", closefd=False) as file:
                file.write(data)
            os.fsync(self._handle)  # before others, perhaps elsewhere, are let in
        self._read += len(data)

    def _catch_up(self, handle: int) -> None:
        """Read the whole lines that have come since."""
        if os.fstat(handle).st_size < self._read:
            raise _damaged(f"{self.path}: lost lines while it was in use")
        os.lseek(handle, self._read, os.SEEK_SET)
        assert self.path is not None
        with naming(self.path), os.fdopen(handle, "rb", closefd=False) as file:
            new = file.read()
        new = new[: new.rfind(b"\n") + 1]
        for line in new.splitlines():
            number = self._count + 1
            try:
                self._take(json_tree(line))
            except _Again as again:
                raise InputError(
                    f"{self.path}:{number}: gives the speaker of line {again.line} another voice; "
                    "keep the line of the voice that was released, and remove the other."
                ) from None
            except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
                raise _damaged(f"{self.path}:{number}: the line is damaged") from None
        self._read += len(new)

    def _take(self, entry: dict[str, Any]) -> None:
        tag, voice = entry["speaker"], self.known(entry["voice"])
        if not isinstance(tag, str) or not _TAG.fullmatch(tag):
            raise ValueError(tag)
        if self.voices.get(tag, voice) != voice:
            raise _Again(self._lines[tag])
        place = {name: np.array(row, np.float32) for name, row in entry["place"].items()}
        for name, row in place.items():
            known = next((p[name] for p in self.places.values() if name in p), row)
            if row.ndim != 1 or row.shape != known.shape or not np.linalg.norm(row) < _LONGEST:
                raise ValueError(name)
        self.voices[tag], self.places[tag] = voice, place
        self._count += 1
        self._lines.setdefault(tag, self._count)


@contextmanager
def in_turn(beside: Path) -> Iterator[None]:
    """Whoever gives voices from here on does so alone, for as long as it takes.

    For runs that are to give the same voices to the same people: one of them searches, the others
    wait and find what it gave. ``beside`` is the key file.
    """
    path = beside.resolve().with_name(f"{beside.name}.turn")
    handle = _open(path, os.O_RDWR | os.O_CREAT)
    try:
        with one_at_a_time(handle, path):
            yield
    finally:
        os.close(handle)


def tag_of(kind: str, key: Key, key_session: str, name: str) -> str:
    """What stands in the state of a safeguard for the name that a speaker's draws are made for."""
    return key.derive(key_session, f"{kind}/state", name).hex()[:24]


def state_path(
    kind: str, parameters: dict[str, Any], key: Key, key_session: str, beside: Path | None
) -> Path | None:
    """One file a session and set of parameters, beside the key; its name tells neither."""
    if beside is None:
        return None
    what = hashlib.sha256(json.dumps(parameters, sort_keys=True).encode()).hexdigest()
    mark = key.derive(key_session, f"{kind}/state file", what).hex()[:12]
    return beside.with_name(f"{beside.name}.{kind}-{mark}.jsonl")


def read_state(path: Path | None, known: Callable[[dict[str, Any]], Given]) -> SessionState[Given]:
    """The state as far as it goes."""
    state = SessionState(path, known)
    if path is None or not path.exists():
        return state
    handle = _open(path, os.O_RDONLY)
    try:
        state._catch_up(handle)
    finally:
        os.close(handle)
    return state


def _open(path: Path, flags: int) -> int:
    try:
        handle = open_plain(path, flags)
    except OSError as error:
        raise InputError(
            f"{path}: the voices given before cannot be read and added to ({error.strerror}); "
            "check its permissions."
        ) from None
    try:
        check_private(handle, path)
    except InputError:
        os.close(handle)
        raise
    return handle


class _Again(Exception):
    """A speaker of an earlier line has another voice."""

    def __init__(self, line: int) -> None:
        super().__init__(line)
        self.line = line


def _damaged(what: str) -> InputError:
    return InputError(
        f"{what}; put back a copy of this file, or remove it and protect everything anew: voices "
        "given before would otherwise change."
    )
