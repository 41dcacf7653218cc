"""Recordings of which nobody has said who speaks in them: one file, or all below a folder.

Each is an utterance whose speaker bears its own name until somebody says who they are.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePath

from .corpus import Corpus, Utterance
from .detect import detect, read_corpus
from .folder import find_audio
from .naming import ids_from_paths, shown
from .paths import AUDIO
from .register import Register

LAYOUT = "recordings"


def is_recording(path: Path) -> bool:
    """Whether a path is one audio file and no corpus."""
    return path.is_file() and path.suffix.lower() in AUDIO


def read_recordings(
    path: str | Path, *, layout: str = "auto", allow_commands: bool = False
) -> Corpus:
    """A file of audio, a folder of such files however they lie, or a corpus with a listing."""
    path = Path(path)
    if is_recording(path):
        whole = path.resolve()
        register = Register(whole, LAYOUT)
        register.add(Utterance(path.stem, path.stem, whole), shown(path))
        one = register.corpus(nothing="give a file of audio")
        return replace(one, root=whole.parent)
    if layout != "auto" or not path.is_dir() or detect(path) != "folder":
        return read_corpus(path, layout=layout, allow_commands=allow_commands)
    root = path.resolve()
    register = Register(root, LAYOUT)
    found = find_audio(root, register)
    for place, name in zip(found, ids_from_paths(found, [_folder(p) for p in found]), strict=True):
        register.add(Utterance(name, name, root / place), shown(root / place))
    return register.corpus(nothing="put audio files into it")


def _folder(path: PurePath) -> str:
    return path.parts[0] if len(path.parts) > 1 else ""
