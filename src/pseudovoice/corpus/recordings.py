"""Recordings of nobody knows whom yet: a file, a folder of files, or what a corpus lists."""

from __future__ import annotations

from pathlib import Path

from .corpus import Corpus
from .detect import is_listed, read_corpus
from .flat import is_recording, read_flat


def read_recordings(
    path: str | Path, *, layout: str = "auto", allow_commands: bool = False
) -> Corpus:
    """A file of audio, a folder of such files however they lie, or a corpus with a listing."""
    path = Path(path)
    if is_recording(path) or (layout == "auto" and path.is_dir() and not is_listed(path)):
        return read_flat(path)
    return read_corpus(path, layout=layout, allow_commands=allow_commands)
