"""The recordings that were opened in the page: read once, and known by their content.

A recording that is dropped again tomorrow is the same one; its turns and what was made of it are
found again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from pseudovoice.corpus import AudioError
from pseudovoice.corpus.flat import is_recording
from pseudovoice.diarisation.formats import FORMATS
from pseudovoice.errors import InputError
from pseudovoice.models.cache import sha256_of
from pseudovoice.serve.sound import Look, look_at

MOST_OPEN = 32
TURNS = "turns"
"""Folder, among the results, of the turns of recordings that lie nowhere: dropped ones."""


@dataclass(frozen=True)
class Opened:
    """A recording, and the file that says who speaks when in it.

    ``found`` is what was found before anybody corrected it, ``given`` a file of turns that came
    with a dropped recording, ``reference`` who really speaks when, if somebody said so.
    """

    id: str
    path: Path
    look: Look
    turns: Path
    found: Path
    reference: Path
    given: Path | None = None

    @property
    def name(self) -> str:
        return self.path.name


class Recordings:
    """The recordings of one server by their identifiers."""

    def __init__(self, out: Path) -> None:
        self._out = out
        self._lock = threading.Lock()
        self._opened: OrderedDict[str, Opened] = OrderedDict()

    def open(self, path: Path) -> Opened:
        """A file that lies somewhere; its turns lie beside it."""
        return self._open(path, None, None)

    def open_dropped(self, folder: Path) -> Opened:
        """The one recording of what was dropped, with a file of turns if one came with it."""
        files = (
            [folder] if folder.is_file() else sorted(p for p in folder.rglob("*") if p.is_file())
        )
        sounds = [path for path in files if is_recording(path)]
        if len(sounds) != 1:
            what = "no recording" if not sounds else f"{len(sounds)} recordings"
            raise InputError(f"There is {what} in what was dropped; drop one file of audio.")
        suffixes = {one.suffix for one in FORMATS.values()}
        given = [path for path in files if path.suffix.lower() in suffixes]
        return self._open(sounds[0], self._out / TURNS, given[0] if given else None)

    def get(self, name: object) -> Opened:
        with self._lock:
            found = self._opened.get(name) if isinstance(name, str) else None
        if found is None:
            raise InputError("This recording is not open any more; choose it again.")
        return found

    def _open(self, path: Path, apart: Path | None, given: Path | None) -> Opened:
        try:
            look = look_at(path)
            name = sha256_of(path)[:20]
        except AudioError as error:
            raise InputError(str(error.problem)) from None
        turns = path.with_suffix(".rttm") if apart is None else apart / f"{name}.rttm"
        found = self._out / TURNS / f"{name}.found.rttm"
        reference = self._out / TURNS / f"{name}.reference.rttm"
        opened = Opened(name, path, look, turns, found, reference, given)
        with self._lock:
            self._opened[name] = opened
            while len(self._opened) > MOST_OPEN:
                self._opened.popitem(last=False)
        return opened
