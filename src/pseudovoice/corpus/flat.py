"""Recordings without a listing: one file, or all below a folder, however they lie.

Each is an utterance whose speaker bears its own name until somebody says who they are; which may be
said for all of them at once.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path, PurePath

from .corpus import Corpus, Utterance
from .folder import find_audio
from .naming import ids_from_paths, shown
from .paths import AUDIO
from .register import Register

RECORDINGS = "recordings"
FLAT = "flat"
"""Layouts: recordings of nobody knows whom, and those of which it was said who speaks."""

FROM_NAME, FROM_FILE = "name", "file"


def is_recording(path: Path) -> bool:
    """Whether a path is one audio file and no corpus."""
    return path.is_file() and path.suffix.lower() in AUDIO


def read_flat(path: Path, speaker_from: str | None = None) -> Corpus:
    """A file of audio, or all such files below a folder, whatever else lies there.

    ``speaker_from`` says who speaks in each: "name" is whoever its name begins with, up to the
    first blank, ``-`` or ``_``; "file" makes everyone of each; any other text is the one person who
    speaks in all of them.
    """
    root = path.resolve()
    register = Register(root, RECORDINGS if speaker_from is None else FLAT)
    if is_recording(path):
        speaker = _speaker(speaker_from, path.stem, path.stem)
        register.add(Utterance(path.stem, speaker, root), shown(path))
        one = register.corpus(nothing="give a file of audio")
        return replace(one, root=root.parent)
    found = find_audio(root, register)
    for place, name in zip(found, ids_from_paths(found, [_folder(p) for p in found]), strict=True):
        speaker = _speaker(speaker_from, name, place.stem)
        register.add(Utterance(name, speaker, root / place), shown(root / place))
    return register.corpus(nothing="put audio files into it")


def _speaker(speaker_from: str | None, name: str, stem: str) -> str:
    """Who speaks in the file with this id and this name."""
    if speaker_from in (None, FROM_FILE):
        return name
    if speaker_from == FROM_NAME:
        return next((part for part in re.split(r"[\s_-]+", stem) if part), stem)
    return str(speaker_from)


def _folder(path: PurePath) -> str:
    return path.parts[0] if len(path.parts) > 1 else ""
