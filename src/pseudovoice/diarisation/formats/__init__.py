"""Files of turns: RTTM, Audacity's labels, lhotse's supervisions and ELAN, told by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pseudovoice.atomic import write_atomic
from pseudovoice.diarisation.formats.audacity import read_audacity, write_audacity
from pseudovoice.diarisation.formats.elan import read_elan, write_elan
from pseudovoice.diarisation.formats.faults import FormatFault
from pseudovoice.diarisation.formats.lhotse import read_supervisions, write_supervisions
from pseudovoice.diarisation.formats.rttm import read_rttm, write_rttm
from pseudovoice.diarisation.turns import Turns
from pseudovoice.errors import InputError, UsageError

MOST_BYTES = 1 << 27
"""A file of turns of a year's recordings is smaller."""


@dataclass(frozen=True)
class Format:
    """How turns stand in a file; ``several`` says that one file may hold several recordings."""

    suffix: str
    several: bool
    read: Callable[[str, str], list[Turns]]
    write: Callable[[Iterable[Turns]], str]


FORMATS = {
    "rttm": Format(".rttm", True, read_rttm, write_rttm),
    "audacity": Format(".txt", False, read_audacity, write_audacity),
    "lhotse": Format(".jsonl", True, read_supervisions, write_supervisions),
    "elan": Format(".eaf", False, read_elan, write_elan),
}
"""By the names that can be asked for."""

_KNOWN = ", ".join(f"{one.suffix} ({name})" for name, one in FORMATS.items())


def format_of(path: Path) -> Format:
    """The format that a file's name tells."""
    for one in FORMATS.values():
        if path.suffix.lower() == one.suffix:
            return one
    raise UsageError(f"{path}: turns are kept in files that end in {_KNOWN}; name it so.")


def read_turns(path: Path) -> dict[str, Turns]:
    """The turns of each recording in a file, or in all files of a folder."""
    if path.is_dir():
        suffixes = {one.suffix for one in FORMATS.values()}
        files = sorted(p for p in path.iterdir() if p.suffix.lower() in suffixes)
        if not files:
            raise InputError(f"{path}: the folder holds no file of turns; they end in {_KNOWN}.")
    else:
        files = [path]
    found: dict[str, Turns] = {}
    for file in files:
        for one in _read(file):
            if one.recording in found:
                raise InputError(
                    f"{file}: the turns of {one.recording} are in another file of the folder as "
                    "well; leave one of the two."
                )
            found[one.recording] = one
    return found


def _read(path: Path) -> list[Turns]:
    format_of(path)  # what ends otherwise is not even opened
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"{path}: is too large for a file of turns; check what it is.")
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not text in UTF-8; save it so.") from None
    return _parsed(text, path)


def _parsed(text: str, path: Path) -> list[Turns]:
    try:
        return format_of(path).read(text, path.stem)
    except FormatFault as fault:
        line = "" if fault.line is None else f":{fault.line}"
        raise InputError(f"{path}{line}: {fault}; correct it.") from None


def parse_turns(text: str, name: str) -> dict[str, Turns]:
    """The turns of each recording in the text of a file of that name."""
    return {one.recording: one for one in _parsed(text, Path(name))}


def write_turns(recordings: Sequence[Turns], path: Path) -> None:
    """All turns into a file; into a folder, a file for each recording, if it ends in no suffix."""
    kind = format_of(path)
    if len(recordings) != 1 and not kind.several:
        raise UsageError(
            f"{path}: a file of this kind holds one recording, and there are {len(recordings)}; "
            "name a folder and the format, or a file that ends in .rttm."
        )
    write_atomic(path, kind.write(recordings))


def write_each(recordings: Sequence[Turns], folder: Path, name: str) -> list[Path]:
    """A file for each recording, named after it, in the format of that name."""
    kind = FORMATS[name]
    paths = []
    for one in recordings:
        # A recording's name may hold a folder.
        paths.append(folder / f"{one.recording.replace('/', '_')}{kind.suffix}")
        write_atomic(paths[-1], kind.write([one]))
    return paths
