"""A file that is done: on the disk, known by its content, and later still what it was."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import soundfile  # type: ignore[import-untyped, unused-ignore]

from pseudovoice.atomic import unwritable
from pseudovoice.corpus.faults import Undecodable
from pseudovoice.corpus.recording import opened
from pseudovoice.models.cache import sha256_of
from pseudovoice.release.journal import Made
from pseudovoice.release.traces import without_traces

# The first second of the year 2000: old enough not to look like a real time.
ONE_TIME = 946_684_800


def sealed(path: Path, stamp: str, *, one_time: bool) -> Made:
    """What the journal keeps of a file that was just written, and is on the disk.

    With ``one_time`` nothing of the file says when it was written. Raises FileNotFoundError if it
    has gone or is no audio any more, and OutputError if it cannot be read back.
    """
    try:
        if one_time:
            without_traces(path)
            os.utime(path, (ONE_TIME, ONE_TIME))
        content = sha256_of(path)
        with path.open("rb") as file, opened(file.fileno()) as stream:
            frames, rate = int(stream.frames), int(stream.samplerate)
        found = path.stat()
    except FileNotFoundError:
        raise
    except (soundfile.LibsndfileError, Undecodable):
        raise FileNotFoundError(path) from None
    except OSError as error:
        raise unwritable(path, error) from None
    return Made(stamp, found.st_size, content, found.st_mtime_ns, frames, rate)


def intact(path: Path, made: Made, *, verify: bool = False) -> bool:
    """Whether a file is what it was: by size and time, and by content if these or ``verify`` ask.

    Reading a hundred thousand files takes as long as reading them; looking at them takes seconds.
    """
    try:
        found = path.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_size != made.size:
            return False
        if found.st_mtime_ns == made.changed and not verify:
            return True
        return sha256_of(path) == made.sha256
    except OSError:
        return False
