"""What only the owner of a release needs: beside it like its key, and never in it.

``OUT.pseudovoice`` holds the journal by which a run resumes, files on their way, and a lock. Names
in it are relative, so a folder and its state that are moved or renamed together go on as before.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pseudovoice.errors import Problem
from pseudovoice.one_run import LOCK, one_run
from pseudovoice.release.journal import count_made

SUFFIX = ".pseudovoice"


class OwnerState:
    """The owner's folder of one output."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.folder = out.with_name(out.name + SUFFIX)

    @property
    def journal(self) -> Path:
        return self.folder / "journal.sqlite"

    @property
    def staged(self) -> Path:
        """Renamed files, until all are there and their order tells nothing."""
        return self.folder / "files"

    @property
    def speech(self) -> Path:
        """Protected speech on its way to slices, under the names that those lose."""
        return self.folder / "speech"

    @contextmanager
    def held(self) -> Iterator[None]:
        """For this run alone."""
        with one_run(self.folder, self.out):
            yield

    def forget_speech(self) -> list[Problem]:
        """Remove the speech on its way to slices; it is a problem if it stays.

        It is first moved out of its place: a run that is killed meanwhile leaves nothing there that
        the next would take for its own, or for somebody else's.
        """
        gone = self.folder / "gone"
        try:
            for folder in (OwnerState(self.speech).folder, self.speech):
                if folder.is_dir():
                    gone.mkdir(exist_ok=True)
                    folder.rename(gone / secrets.token_hex(8))
            if gone.is_dir():
                shutil.rmtree(gone)
        except OSError as error:
            what = f"holds speech under its names and cannot be removed ({error.strerror})"
            return [Problem(str(self.folder), what, "remove it: it is no part of the release")]
        return []

    def close_empty(self) -> None:
        """Leave nothing where nothing is needed any more."""
        try:
            if {path.name for path in self.folder.iterdir()} <= {LOCK}:
                (self.folder / LOCK).unlink(missing_ok=True)
                self.folder.rmdir()
        except OSError:
            pass  # something of the user's lies there, or it has gone


def begun(out: Path) -> int:
    """How many files of an output are made."""
    return count_made(OwnerState(out.resolve()).journal)
