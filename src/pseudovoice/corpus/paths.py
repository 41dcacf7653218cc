"""Where the audio files are: inside the corpus, and really files.

A folder, an AudioFolder or a table with relative paths is data from elsewhere; it must not be
able to name files outside itself, by ``..``, by an absolute path or by a link.
"""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from pathlib import Path

from ..storage.near import facts_of
from .faults import ItemFault
from .naming import quoted, shown

# What libsndfile and, below, FFmpeg read, by extension; the contents decide in the end.
AUDIO = frozenset((".wav", ".flac", ".opus", ".ogg", ".oga", ".mp3", ".aiff", ".aif", ".aifc"))
AUDIO |= frozenset((".au", ".snd", ".caf", ".w64", ".rf64", ".sph", ".nist"))
AUDIO |= frozenset((".m4a", ".m4b", ".mp4", ".m4v", ".mov", ".3gp", ".3g2", ".aac", ".amr", ".awb"))
AUDIO |= frozenset((".wma", ".wmv", ".asf", ".webm", ".mkv", ".mka"))
# Audio that users have and neither reads: worth a sentence instead of being passed over.
OTHER_AUDIO = frozenset((".ape", ".wv", ".ac3", ".spx"))


def inside(root: Path, name: str, folder: Path | None = None) -> Path:
    """The file ``name`` in ``folder`` (or ``root``); raises :class:`ItemFault` if outside ``root``.

    ``root`` must be resolved. The file need not exist.
    """
    if "\0" in name:
        raise ItemFault(f"the path {quoted(name)} contains a NUL character", "correct the path")
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        # JSON can spell half of a pair of surrogates, which no file system holds.
        what = f"the path {quoted(name)} contains half a character"
        raise ItemFault(what, "correct the path") from None
    path = as_spelt((folder or root) / name)
    target = Path(os.path.realpath(path))
    if target.is_relative_to(root):
        return path
    if Path(os.path.normpath(path)).is_relative_to(root):
        raise ItemFault(
            f"{quoted(name)} is a link that leaves the corpus, to {shown(target)}",
            "put the file itself into the corpus",
        )
    raise ItemFault(
        f"the path {quoted(name)} leaves the corpus folder {shown(root)}",
        "move the file into the corpus or correct the path",
    )


def as_spelt(path: Path) -> Path:
    """The path as the disk spells its accents, where it is there under another spelling only.

    A listing that was written on one system may name files that were written on another.
    """
    if str(path).isascii() or os.path.lexists(path):
        return path
    found = Path(path.anchor)
    for part in path.parts[len(found.parts) :]:
        spellings = (part, unicodedata.normalize("NFC", part), unicodedata.normalize("NFD", part))
        there = (one for one in spellings if os.path.lexists(found / one))
        found /= next(there, part)
    return found


def check_file(path: Path) -> int:
    """The size in bytes of a regular file; raises :class:`ItemFault` with what else it is.

    The sentence leaves out the name, for the caller to put before it.
    """
    try:
        found = facts_of(path)
    except FileNotFoundError:
        if path.is_symlink():
            what = "is a link to a file that does not exist"
            raise ItemFault(what, "restore the file") from None
        raise ItemFault("does not exist", "correct the path or restore the file") from None
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno == errno.ELOOP:
            raise ItemFault("is a link that leads back to itself", "replace it") from None
        reason = getattr(error, "strerror", None) or str(error)
        raise ItemFault(f"cannot be opened ({reason})", "correct the path") from None
    if stat.S_ISDIR(found.st_mode):
        raise ItemFault("is a folder, not an audio file", "name the file inside it")
    if not stat.S_ISREG(found.st_mode):
        # Opening a named pipe would wait for ever.
        raise ItemFault("is not a regular file", "replace it by an audio file")
    return found.st_size
