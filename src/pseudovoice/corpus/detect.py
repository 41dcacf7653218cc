"""Find out how a corpus is laid out, and read it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..choices import LAYOUTS
from ..errors import InputError, UsageError
from ..storage.address import address_of
from .audiofolder import metadata_files, read_audiofolder
from .corpus import Corpus
from .flat import is_recording, read_flat
from .folder import read_folder
from .kaldi import read_kaldi
from .lhotse import manifests, read_lhotse
from .librispeech import read_librispeech
from .naming import shown
from .paths import AUDIO
from .rows import SUFFIXES, WORKBOOKS
from .table import read_table

_READERS: dict[str, Callable[[Path], Corpus]] = {
    "folder": read_folder,
    "librispeech": read_librispeech,
    "audiofolder": read_audiofolder,
    "table": read_table,
}
_READERS_OF_COMMANDS = {"kaldi": read_kaldi, "lhotse": read_lhotse}
TABLE_NAME = "corpus"
"""Name, without suffix, of the table that describes the folder it lies in."""


def read_corpus(
    path: str | Path,
    *,
    layout: str = "auto",
    allow_commands: bool = False,
    speaker_from: str | None = None,
) -> Corpus:
    """Read a corpus in any of the known layouts; ``Corpus.layout`` says which one it was.

    ``layout`` is one of ``LAYOUTS``. With "auto" the files that mark a layout decide; if they
    mark two, InputError asks for ``layout``. Bad items are in ``Corpus.problems``; InputError
    is raised only if nothing can be used. ``allow_commands`` lets Kaldi and lhotse entries run
    programs, without a shell. ``speaker_from`` says who speaks in a file, or in all below a folder
    without a listing (:func:`pseudovoice.corpus.flat.read_flat`).
    """
    path = Path(path)
    if layout not in LAYOUTS:
        raise InputError(f"There is no layout {layout!r}; use one of {', '.join(LAYOUTS)}.")
    if (address := address_of(path)) is not None:
        raise InputError(
            f"{address}: lies elsewhere, and this is read on this machine only; bring it here "
            "first."
        )
    if not path.exists():
        raise InputError(f"{shown(path)}: does not exist; give the folder or table of the corpus.")
    try:
        if speaker_from is not None:
            return _read_flat(path, layout, speaker_from)
        return _read(path, detect(path) if layout == "auto" else layout, allow_commands)
    except OSError as error:
        raise InputError(
            f"{shown(error.filename or path)}: cannot be read ({error.strerror}); "
            "check its permissions."
        ) from None


def _read(path: Path, layout: str, allow_commands: bool) -> Corpus:
    if layout in _READERS_OF_COMMANDS:
        return _READERS_OF_COMMANDS[layout](path, allow_commands=allow_commands)
    if layout == "table" and path.is_dir():
        path = _table_in(path) or path
    elif layout != "table" and not path.is_dir():
        raise InputError(f"{shown(path)}: is a file, but the layout {layout} is a folder.")
    return _READERS[layout](path)


def _read_flat(path: Path, layout: str, speaker_from: str) -> Corpus:
    if not is_recording(path) and (layout != "auto" or not path.is_dir() or is_listed(path)):
        raise UsageError(
            f"{shown(path)}: its listing says who speaks; leave out `speaker_from`, or give a "
            "folder without a listing."
        )
    return read_flat(path, speaker_from)


def is_listed(path: Path) -> bool:
    """Whether files beside the speech say who speaks in it."""
    return not is_recording(path) and detect(path) != "folder"


def detect(path: Path) -> str:
    """The name of the layout of a folder or file that exists."""
    if path.is_file():
        return _of_file(path)
    marks = {
        "kaldi": _first(path, "wav.scp"),
        "audiofolder": next((file.name for file in metadata_files(path)), None),
        "lhotse": _lhotse_mark(path),
        "librispeech": _first(path, "SPEAKERS.TXT", "*/*/*.trans.txt", "*/*/*/*.trans.txt"),
        "table": table.name if (table := _table_in(path)) is not None else None,
    }
    found = {layout: mark for layout, mark in marks.items() if mark is not None}
    if len(found) > 1:
        listed = " and ".join(f"{layout} ({mark})" for layout, mark in found.items())
        choices = " or ".join(f'`layout="{layout}"`' for layout in found)
        raise InputError(f"{shown(path)}: could be read as {listed}; say which with {choices}.")
    # A tree of speaker folders needs no marker, so it is what remains.
    return next(iter(found), "folder")


def _of_file(path: Path) -> str:
    name = path.name.lower()
    if "cuts" in name and name.endswith((".jsonl", ".jsonl.gz")):
        return "lhotse"
    if path.suffix.lower() in SUFFIXES:
        return "table"
    if path.suffix.lower() in AUDIO:
        raise InputError(
            f"{shown(path)}: is a single audio file; give the folder that holds the corpus."
        )
    if path.suffix.lower() in WORKBOOKS:
        raise InputError(
            f"{shown(path)}: is a workbook; save the sheet as CSV, with the columns path and "
            "speaker, and give that file."
        )
    raise InputError(
        f"{shown(path)}: is neither a folder nor a table ({', '.join(SUFFIXES)}) nor a manifest "
        "of cuts; give one of these, or name the layout with `layout`."
    )


def _table_in(folder: Path) -> Path | None:
    """The table that describes a folder, as `protect` writes it for a corpus that was a table."""
    places = (folder / f"{TABLE_NAME}{suffix}" for suffix in SUFFIXES)
    return next((place for place in places if place.is_file()), None)


def _first(path: Path, *patterns: str) -> str | None:
    for pattern in patterns:
        found = next(path.glob(pattern), None)
        if found is not None:
            return found.name
    return None


def _lhotse_mark(path: Path) -> str | None:
    supervisions = manifests(path, "supervisions")
    found = manifests(path, "recordings") if supervisions else manifests(path, "cuts")
    return found[0].name if found else None
