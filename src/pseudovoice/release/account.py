"""The end of a run: is everything there that it claims, and nothing that it does not?"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path

from pseudovoice.corpus.paths import AUDIO
from pseudovoice.errors import InputError, Problem, few
from pseudovoice.release.listing import is_listing
from pseudovoice.release.publish import remove_empty_folders
from pseudovoice.release.record import RECORD

WRITABLE = (".wav", ".flac", ".ogg", ".oga", ".opus", ".mp3", ".aiff", ".aif", ".au", ".caf")


class Presence:
    """That the output is the folder which the run began to fill."""

    def __init__(self, out: Path) -> None:
        self._out, self._folder = out, _identity(out)

    def check(self) -> None:
        """Raise InputError if somebody has removed or replaced the folder."""
        if _identity(self._out) != self._folder or not (self._out / RECORD).is_file():
            raise InputError(
                f"{self._out}: was removed or replaced while it was being filled; see what did "
                "that, remove what is left of it, and start again."
            )


def _identity(out: Path) -> tuple[int, int] | None:
    try:
        found = out.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def strangers(out: Path, accounted: Collection[str]) -> list[str]:
    """Files below ``out``, by their places, that the run does not account for."""
    return sorted(place for place in _files(out) if place not in accounted)


def _files(out: Path) -> Iterator[str]:
    for folder, folders, files in os.walk(out):
        links = [name for name in folders if (Path(folder) / name).is_symlink()]
        yield from ((Path(folder) / name).relative_to(out).as_posix() for name in (*files, *links))


def ours(place: str, made: Collection[str]) -> bool:
    """Whether a run may have left it: in the journal, audio, a listing."""
    name = place.rsplit("/", 1)[-1]
    sound = Path(name).suffix.lower() in (*AUDIO, *WRITABLE)
    return place in made or sound or is_listing(place)


def prune(out: Path, places: Collection[str]) -> None:
    """Remove files, and folders that hold nothing any more."""
    for place in places:
        (out / place).unlink(missing_ok=True)
    remove_empty_folders(out)


def orphan_problems(out: Path, left: Collection[str], foreign: Collection[str]) -> list[Problem]:
    """A sentence on speech without an original, and one on files that are no part of a release."""
    found = []
    if left:
        what = "files come" if len(left) > 1 else "file comes"
        found.append(
            Problem(
                str(out),
                f"{len(left):,} {what} from no utterance of this corpus ({few(sorted(left))})",
                "remove what was withdrawn with `prune=True`",
            )
        )
    if foreign:
        what = "files are" if len(foreign) > 1 else "file is"
        found.append(
            Problem(
                str(out),
                f"{len(foreign):,} {what} none of ours ({few(sorted(foreign))})",
                "keep what is not protected speech in another folder",
            )
        )
    return found
