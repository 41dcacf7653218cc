"""Hashes of audio files, each read once, by whoever stands nearest.

A name made of a file's content is needed where results are collected, and the file is best read
where the work is done. So where other machines work, they hash ahead, and only the hashes travel.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from threading import Lock

from pseudovoice.corpus.corpus import Utterance
from pseudovoice.engines import Lost, chosen, in_parallel
from pseudovoice.storage.near import facts_of, present
from pseudovoice.storage.store import StoreError

ROOM = 1 << 15
"""Hashes that are kept: a thousand segments of one long recording must not read it so often."""

AHEAD = 1 << 13
"""Utterances that are hashed before the first of them is needed."""

State = tuple[Path, int, int]
"""A file with its size and time of change: one that was replaced is read again."""

_KNOWN: OrderedDict[State, str] = OrderedDict()
_LOCK = Lock()


def file_hash(path: Path, size: int, changed: int) -> str:
    """SHA-256 of the bytes of a file that is in this state."""
    state = path, size, changed
    with _LOCK:
        if state in _KNOWN:
            _KNOWN.move_to_end(state)
            return _KNOWN[state]
    with present(path) as near, near.open("rb") as stream:
        found = hashlib.file_digest(stream, "sha256").hexdigest()
    _keep(state, found)
    return found


def hashed_ahead(
    utterances: Iterable[Utterance], workers: int | None = None
) -> Iterator[Utterance]:
    """The same utterances, whose hashes are known by the time they come."""
    if not chosen().ships:
        yield from utterances
        return
    waiting = iter(utterances)
    while some := list(islice(waiting, AHEAD)):
        files = dict.fromkeys(u.path for u in some if u.command is None and not _known(u.path))
        for _, told in in_parallel(_told, files, workers, _unknown):
            if told is not None:
                _keep(*told)
        yield from some


def _told(path: Path) -> tuple[State, str] | None:
    """None where it cannot be read: whoever needs it finds out, and says so."""
    try:
        state = _state(path)
        return state, file_hash(*state)
    except (OSError, StoreError):
        return None


def _known(path: Path) -> bool:
    try:
        return _state(path) in _KNOWN
    except OSError:
        return True  # there is nothing to be hashed


def _state(path: Path) -> State:
    found = facts_of(path)
    return path, found.st_size, found.st_mtime_ns


def _unknown(_path: Path, _lost: Lost) -> None:
    return None


def _keep(state: State, found: str) -> None:
    with _LOCK:
        _KNOWN[state] = found
        while len(_KNOWN) > ROOM:
            _KNOWN.popitem(last=False)
