"""Whether a reader did well with some bytes, whatever they are.

It returns, or refuses in a sentence; it warns of nothing, takes no longer than a few seconds of a
processor, starts nothing and writes nothing. Everything else is a finding.
"""

from __future__ import annotations

import os
import shutil
import time
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fuzz.target import Target
from fuzz.watch import watched

SECONDS = 3.0
"""Of a processor, for a few kilobytes of input."""


@dataclass(frozen=True)
class Finding:
    """What a reader did wrong: ``kind`` tells two findings apart, ``what`` explains."""

    kind: str
    what: str


class Oracle:
    """Judges one reader, in a folder that holds nothing else."""

    def __init__(self, target: Target, folder: Path) -> None:
        self.target = target
        self._root = folder
        self._place = folder / "input"
        self._place.mkdir(exist_ok=True)

    def warm(self, seeds: Sequence[bytes]) -> int:
        """Read the seeds unwatched: what is imported or compiled on first use is there then.

        Gives how many of them were read to the end.
        """
        read = 0
        for seed in seeds:
            self._clear()
            with suppress(Exception):
                self.target.read(self._place, seed)
                read += 1
        return read

    def judge(self, data: bytes) -> Finding | None:
        self._clear()
        begun = time.process_time()
        finding = self._read(data)
        spent = time.process_time() - begun
        if finding is None and spent > SECONDS:
            return Finding("slow", f"{spent:.1f} s of a processor for {len(data)} bytes")
        return finding

    def _clear(self) -> None:
        # Its content only: to remove a folder takes a disk a hundred times as long.
        for entry in os.scandir(self._place):
            if entry.is_dir(follow_symlinks=False):
                shutil.rmtree(entry.path)
            else:
                Path(entry.path).unlink()

    def _read(self, data: bytes) -> Finding | None:
        with watched(self._root) as forbidden, warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", DeprecationWarning)  # which users are not shown
            try:
                self.target.read(self._place, data)
            except self.target.refusals as error:
                if not str(error).strip():
                    return Finding(f"{type(error).__name__} without a sentence", _told(error))
            except (KeyboardInterrupt, SystemExit):
                raise
            except BaseException as error:  # whatever it is, nobody was told of it
                return Finding(f"{type(error).__name__} at {_place(error)}", _told(error))
        return Finding("forbidden", "; ".join(forbidden)) if forbidden else None


def _place(error: BaseException) -> str:
    """The last line of ours that the error passed: findings of one place are one finding."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "pseudovoice" in Path(frame.filename).parts]
    last = (ours or frames)[-1]
    return f"{Path(last.filename).name}:{last.name}:{last.lineno}"


def _told(error: BaseException) -> str:
    return "".join(traceback.format_exception(error, limit=-12))


def fast_folder() -> str | None:
    """Where to put the oracle's folder: memory if there is such a place, since a disk would be most
    of the work; None for the usual one."""
    return next((place for place in ("/dev/shm",) if os.access(place, os.W_OK)), None)
