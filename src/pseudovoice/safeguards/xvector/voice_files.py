"""Where the files of a neural voice lie: a folder, or a repository of the Hugging Face Hub.

What comes from the Hub is kept in one folder of the cache, and trusted on first use; so both are
read alike.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from pseudovoice.errors import InputError, UsageError
from pseudovoice.models.cache import sha256_of
from pseudovoice.models.download import DownloadError
from pseudovoice.models.hub import REPOSITORY, HubRepository
from pseudovoice.safeguards.xvector.declaration import DECLARATION_FILE, read_declaration
from pseudovoice.safeguards.xvector.neural_voice import ABOUT_FILE, GRAPH_FILE, shipped_folder

HUB = "hf:"
_FORM = re.compile(REPOSITORY)

MANNER = 2
"""Raised whenever the same files speak otherwise than before: see :func:`speaking_mark`."""


def folder_of(voice: str) -> Path:
    """The folder of a voice; that of ``hf:org/name[@revision]`` is filled first."""
    if not voice.startswith(HUB):
        return Path(voice)
    match = _FORM.fullmatch(voice)
    if match is None:
        raise UsageError(f"xvector: {voice!r} is no repository; write hf:org/name@revision.")
    repository = HubRepository(match["repo"], match["revision"] or "main")
    try:
        # What says what the voice is: somebody else's declaration, or one of ours.
        said = repository.first_of((DECLARATION_FILE, ABOUT_FILE))
        theirs = said.name == DECLARATION_FILE
        for name in read_declaration(said).sha256 if theirs else (GRAPH_FILE,):
            repository.fetched(name)
    except DownloadError as error:
        raise InputError(
            f"The voice {repository.repo} cannot be fetched: {error}. Check its name and the "
            "network, or download its files elsewhere and name their folder (voice=FOLDER)."
        ) from None
    return said.parent


def described(folder: Path) -> Path:
    """The file of a folder that says what its voice is, whether or not it is there."""
    declaration = folder / DECLARATION_FILE
    return declaration if declaration.is_file() else folder / ABOUT_FILE


def mark_of(voice: str) -> str:
    """What a voice is called where a path would tell where one works: by its content.

    The package's own, too, which another version may have trained further. One of the Hub by its
    name, which says which it is before anything was fetched.
    """
    if not voice:
        return _shipped_mark()
    return voice if voice.startswith(HUB) else sha256_of(described(Path(voice)))[:16]


def speaking_mark(voice: str) -> str:
    """What speech is marked with: the voice, and the manner in which this version speaks with it.

    What was begun in one manner is not gone on with in another; targets that were given stay.
    """
    return f"{mark_of(voice)}/{MANNER}"


@cache
def _shipped_mark() -> str:
    with shipped_folder() as folder:
        return sha256_of(described(folder))[:16]
