"""Read a plain tree ``speaker/…/utterance.wav``.

The first folder below the root is the speaker, the second one, if any, the session.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePath

from .columns import find_columns
from .corpus import Corpus, Utterance
from .faults import ItemFault
from .metadata import read_metadata
from .naming import ids_from_paths, quoted, shown
from .paths import AUDIO, OTHER_AUDIO, inside
from .register import Register
from .rows import SUFFIXES, WORKBOOKS, header_of


def read_folder(root: Path) -> Corpus:
    """The corpus in a tree of speaker folders; see :func:`ids_from_paths` for the ids."""
    root = root.resolve()
    register = Register(root, "folder")
    metadata = read_metadata(root, register)
    found = find_audio(root, register)
    loose = [str(path) for path in found if len(path.parts) < 2]
    register.problem_of_many(
        shown(root),
        loose,
        "audio file lies outside any speaker's folder",
        "audio files lie outside any speaker's folder",
        f"{_table_beside(root) if loose else ''}make a folder for each speaker, list the files in "
        "a table, or say who speaks with `speaker_from`; if several people speak in a file, "
        "`pseudovoice diarise` finds who speaks when",
    )
    paths = [path for path in found if len(path.parts) >= 2]
    speakers = [path.parts[0] for path in paths]
    for path, speaker, name in zip(paths, speakers, ids_from_paths(paths, speakers), strict=True):
        file = root / path
        utterance = Utterance(
            id=name,
            speaker=speaker,
            path=file,
            session=path.parts[1] if len(path.parts) > 2 else None,
        )
        register.add(metadata.complete(utterance), shown(file))
    metadata.report(register)
    return register.corpus(
        nothing="put audio files into one folder per speaker, or name the layout with `layout`"
    )


def _table_beside(root: Path) -> str:
    """What to do with a table that lies there and seems to say who speaks, for a sentence."""
    for path in sorted(root.iterdir()):
        suffix = path.suffix.lower()
        if suffix in SUFFIXES and {"path", "speaker"} <= find_columns(header_of(path)).keys():
            return f"give the table {quoted(path.name)}, which says who speaks, not its folder; or "
        if suffix in WORKBOOKS:
            return f"save {quoted(path.name)} as CSV, if it says who speaks, and give that; or "
    return ""


def find_audio(root: Path, register: Register) -> list[PurePath]:
    """The audio files below a resolved root, as sorted relative paths.

    Other files are passed over; audio in a format that cannot be read, links that leave the
    root and links to folders become problems.
    """
    found: list[PurePath] = []

    def unreadable(error: OSError) -> None:
        register.problem(
            shown(error.filename), f"cannot be listed ({error.strerror})", "check its permissions"
        )

    for folder, subfolders, files in os.walk(root, onerror=unreadable):
        for name in sorted(subfolders):
            if (Path(folder) / name).is_symlink():
                # Following links could go round in circles or count a speaker twice.
                register.problem(
                    shown(Path(folder) / name),
                    "is a link to a folder, and such links are not followed",
                    "put the folder itself into the corpus",
                )
        # Hidden folders (.git, .cache) belong to programs, not to the corpus.
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        below = PurePath(folder).relative_to(root)
        for name in sorted(files):
            relative = below / name
            suffix = relative.suffix.lower()
            if suffix in OTHER_AUDIO:
                register.problem(
                    shown(root / relative),
                    f"is {suffix} audio, which cannot be read here",
                    "convert it to WAV or FLAC",
                )
            elif suffix in AUDIO:
                try:
                    # Folders that are links are not entered, so only a link can lead outside.
                    if (root / relative).is_symlink():
                        inside(root, str(relative))
                except ItemFault as fault:
                    register.fault(shown(root / relative), fault)
                    continue
                found.append(relative)
    return sorted(found)
