"""Slices on their way: made in any order beside the folder, then put into it by name.

What a run writes one after the other lies next to each other: in times, in inode numbers, in the
order of a careless listing. So slices are first written to a hidden folder beside the output, and
when all are there they are copied into it in the order of their names, with one and the same
time. The hidden folder also keeps the journal by which a killed run resumes, with the hash of every
slice; it goes when the work is done.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pseudovoice.atomic import naming, remove_halves, write_atomic
from pseudovoice.errors import InputError, Problem
from pseudovoice.json_tree import json_tree
from pseudovoice.models.cache import sha256_of
from pseudovoice.one_run import LOCK, one_run
from pseudovoice.private import private_file
from pseudovoice.release.seal import ONE_TIME
from pseudovoice.slicing.algorithm import Slice
from pseudovoice.slicing.summary import SliceTally

_JOURNAL, _SETTINGS = "journal.jsonl", "settings.json"
SUFFIX = ".flac"


def place_of(name: str) -> Path:
    """Where a slice lies below the output: few files in each folder."""
    return Path("slices") / name.removeprefix("slice-")[:2] / f"{name}{SUFFIX}"


def unnamed(folder: Path, mark: str, position: int) -> Path:
    """Where a slice is written to by whoever does not have the key."""
    return folder / f"{mark}-{position}{SUFFIX}"


class Staging:
    """The hidden folder of one output."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.folder = out.parent / f".{out.name}.slicing"
        self._done: dict[str, tuple[SliceTally, tuple[str, ...]]] = {}

    @property
    def exists(self) -> bool:
        """Whether an earlier run was killed before its slices were all in place."""
        return (self.folder / _SETTINGS).is_file()

    @contextmanager
    def held(self) -> Iterator[None]:
        """For this run alone; nothing is left of it that was refused before it began."""
        with one_run(self.folder, self.out):
            for folder in (self.folder, self.out):
                remove_halves(folder)
            try:
                yield
            finally:
                if {path.name for path in self.folder.glob("*")} <= {LOCK}:
                    self.close()

    def settings(self) -> Any:
        """What an earlier run was asked for; None if there was none or it left nothing."""
        try:
            return json_tree((self.folder / _SETTINGS).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def open(self, settings: Any) -> None:
        """Begin, or take up what an earlier run with the same settings left."""
        if self.settings() != settings:
            for path in self.folder.iterdir():
                if path.name != LOCK:
                    path.unlink()
        # What lies here tells which slices belong together.
        private_file(self.folder / _JOURNAL)
        write_atomic(self.folder / _SETTINGS, json.dumps(settings, sort_keys=True), private=True)
        self._done = self._read_journal()

    def _read_journal(self) -> dict[str, tuple[SliceTally, tuple[str, ...]]]:
        done: dict[str, tuple[SliceTally, tuple[str, ...]]] = {}
        journal = self.folder / _JOURNAL
        text = journal.read_text(encoding="utf-8", errors="replace") if journal.exists() else ""
        if text and not text.endswith("\n"):
            # Cut short by a kill: what comes next must not be joined to it.
            write_atomic(journal, text + "\n", private=True)
        for line in text.splitlines():
            try:
                mark, slices, duration, words, contents = json_tree(line)
                tally = SliceTally(tuple(Slice(*piece) for piece in slices), duration, words)
                done[str(mark)] = tally, tuple(map(str, contents))
            except (TypeError, ValueError):
                continue
        return done

    def tally(self, mark: str) -> SliceTally | None:
        """What was made of an utterance before; whether it still stands, says ``stands``."""
        return self._done[mark][0] if mark in self._done else None

    def stands(self, mark: str, names: Sequence[str]) -> bool:
        """Whether all slices of an utterance are what they were when it was done."""
        contents = self._done[mark][1]
        return len(contents) == len(names) and all(
            _is(self.path(name), content) or _is(self.out / place_of(name), content)
            for name, content in zip(names, contents, strict=True)
        )

    def path(self, name: str) -> Path:
        """Where a slice lies until all are there."""
        return self.folder / f"{name}{SUFFIX}"

    def note(
        self, mark: str, tally: SliceTally, names: Iterable[str], contents: Sequence[str]
    ) -> None:
        """Write down that an utterance is done, and give its slices their names."""
        slices = [[s.start, s.end, s.first, s.last] for s in tally.slices]
        for k, name in enumerate(names):
            try:
                unnamed(self.folder, mark, k).replace(self.path(name))
            except FileNotFoundError:
                raise self._vanished(self.path(name)) from None
        line = json.dumps([mark, slices, tally.duration, tally.words, [*contents]]) + "\n"
        self._done[mark] = tally, tuple(contents)
        with (self.folder / _JOURNAL).open("a", encoding="utf-8") as journal:
            journal.write(line)

    def contents(self, mark: str, names: Iterable[str]) -> dict[str, str]:
        """The hash of each slice of an utterance that is done."""
        return dict(zip(names, self._done[mark][1], strict=True))

    def publish(self, contents: Mapping[str, str]) -> None:
        """Copy the slices to their places, in the order of their names, and look at them there."""
        try:
            for name in sorted(contents):
                target = self.out / place_of(name)
                if not _is(target, contents[name]):
                    target.parent.mkdir(parents=True, exist_ok=True)
                    with naming(self.path(name)):
                        whole = self.path(name).read_bytes()
                    write_atomic(target, whole)
                with naming(target):  # utime tells no name
                    os.utime(target, (ONE_TIME, ONE_TIME))
        except FileNotFoundError as error:
            raise self._vanished(Path(error.filename)) from None
        for name, content in contents.items():
            if not _is(self.out / place_of(name), content):
                raise self._vanished(self.out / place_of(name))

    def _vanished(self, path: Path) -> InputError:
        return InputError(
            f"{path}: has gone or was changed while {self.out} was being filled; start again, and "
            "what is missing is made anew."
        )

    def close(self) -> list[Problem]:
        """Remove the hidden folder and the journal in it; it is a problem if it stays."""
        try:
            shutil.rmtree(self.folder)
        except OSError as error:
            if {path.name for path in self.folder.glob("*")} <= {LOCK}:
                return []  # some systems keep a file that is open
            what = f"tells which slices belong together and cannot be removed ({error.strerror})"
            return [Problem(str(self.folder), what, "remove it before you give anything away")]
        return []


def _is(path: Path, content: str) -> bool:
    """Whether a file has this hash."""
    try:
        return not path.is_symlink() and sha256_of(path) == content
    except OSError:
        return False
