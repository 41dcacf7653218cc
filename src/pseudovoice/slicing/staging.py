"""Slices on their way: made in any order beside the folder, then put into it by name.

What a run writes one after the other lies next to each other: in times, in inode numbers, in the
order of a careless listing. So slices are first written to a hidden folder beside the output, and
when all are there they are copied into it in the order of their names, with one and the same
time. The hidden folder also keeps the journal by which a killed run resumes; it goes when the
work is done.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from threading import Lock
from typing import Any

from pseudovoice.atomic import write_atomic
from pseudovoice.private import private_file, private_folder
from pseudovoice.slicing.algorithm import Slice
from pseudovoice.slicing.summary import Tally

_JOURNAL, _SETTINGS = "journal.jsonl", "settings.json"
SUFFIX = ".flac"
# The first second of the year 2000, for every slice: old enough not to look like a real time.
_ONE_TIME = 946_684_800


def place_of(name: str) -> Path:
    """Where a slice lies below the output: few files in each folder."""
    return Path("slices") / name.removeprefix("slice-")[:2] / f"{name}{SUFFIX}"


class Staging:
    """The hidden folder of one output."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.folder = out.parent / f".{out.name}.slicing"
        self._lock = Lock()
        self._done: dict[str, Tally] = {}

    @property
    def exists(self) -> bool:
        return self.folder.is_dir()

    def settings(self) -> Any:
        """What an earlier run was asked for; None if there was none or it left nothing."""
        try:
            return json.loads((self.folder / _SETTINGS).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def open(self, settings: Any) -> None:
        """Begin, or take up what an earlier run with the same settings left."""
        if self.exists and self.settings() != settings:
            shutil.rmtree(self.folder)
        # What lies here tells which slices belong together.
        private_folder(self.folder)
        private_file(self.folder / _JOURNAL)
        write_atomic(self.folder / _SETTINGS, json.dumps(settings, sort_keys=True), private=True)
        self._done = self._read_journal()

    def _read_journal(self) -> dict[str, Tally]:
        done = {}
        journal = self.folder / _JOURNAL
        text = journal.read_text(encoding="utf-8") if journal.exists() else ""
        if text and not text.endswith("\n"):
            # Cut short by a kill: what comes next must not be joined to it.
            write_atomic(journal, text + "\n", private=True)
        for line in text.splitlines():
            try:
                mark, slices, duration, words = json.loads(line)
                done[str(mark)] = Tally(tuple(Slice(*piece) for piece in slices), duration, words)
            except (TypeError, ValueError):
                continue
        return done

    def done(self, mark: str, names: Iterable[str] = ()) -> Tally | None:
        """What was made of an utterance before, if all its slices are still there."""
        tally = self._done.get(mark)
        return tally if tally is not None and all(map(self.has, names)) else None

    def has(self, name: str) -> bool:
        """Whether a slice is here or in its place already."""
        return self.path(name).exists() or (self.out / place_of(name)).exists()

    def path(self, name: str) -> Path:
        """Where a slice is written to."""
        return self.folder / f"{name}{SUFFIX}"

    def note(self, mark: str, tally: Tally) -> None:
        """Write down that an utterance is done; its slices must be there by now."""
        slices = [[s.start, s.end, s.first, s.last] for s in tally.slices]
        line = json.dumps([mark, slices, tally.duration, tally.words]) + "\n"
        with self._lock, (self.folder / _JOURNAL).open("a", encoding="utf-8") as journal:
            journal.write(line)

    def publish(self, names: Iterable[str]) -> None:
        """Copy the slices to their places, in the order of their names."""
        for name in sorted(names):
            target = self.out / place_of(name)
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                write_atomic(target, self.path(name).read_bytes())
            os.utime(target, (_ONE_TIME, _ONE_TIME))

    def close(self) -> None:
        """Remove the hidden folder and the journal in it."""
        shutil.rmtree(self.folder, ignore_errors=True)
