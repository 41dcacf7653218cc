"""Read a Hugging Face AudioFolder: ``metadata.csv`` or ``metadata.jsonl`` with ``file_name``.

The metadata file lies in the root, or one in each split (``train/metadata.csv``); file names are
relative to it and may not leave the root.
"""

from __future__ import annotations

from pathlib import Path

from ..errors import InputError
from .corpus import Corpus
from .faults import ListingError
from .naming import shown
from .register import Register
from .rows import header_of, read_rows
from .table import add_rows

NAMES = ("metadata.csv", "metadata.jsonl", "metadata.parquet")


def metadata_files(root: Path) -> list[Path]:
    """The metadata files in the root and its folders that have a column ``file_name``."""
    found = []
    for folder in (root, *sorted(path for path in root.iterdir() if path.is_dir())):
        for name in NAMES:
            path = folder / name
            if path.is_file() and "file_name" in header_of(path):
                found.append(path)
                break
    return found


def read_audiofolder(root: Path) -> Corpus:
    """The corpus of an AudioFolder; the metadata must have a column for the speaker."""
    root = root.resolve()
    if not root.is_dir():
        raise InputError(f"{shown(root)}: is not a folder; an AudioFolder is read by its folder.")
    register = Register(root, "audiofolder")
    files = metadata_files(root)
    if not files:
        raise InputError(
            f"{shown(root)}: has no metadata.csv or metadata.jsonl with a column file_name; "
            "add one, or name another layout with `layout`."
        )
    for path in files:
        try:
            rows = list(read_rows(path, register))
        except ListingError as error:
            # One unreadable split must not lose the others.
            register.problems.append(error.problem)
            continue
        add_rows(rows, path.parent, root, register, absolute_allowed=False)
    return register.corpus(nothing="its metadata should have the columns file_name and speaker")
