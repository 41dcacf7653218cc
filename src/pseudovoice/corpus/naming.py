"""Names of utterances and speakers: which are safe, how they are shown, how paths become ids.

Ids and speaker names become file names, lines of Kaldi files and cells of tables. A name that
could break out of one of these is refused where it is read, so that no later step must escape it.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePath

from .faults import ItemFault

# File systems hold 255 bytes; the rest is room for an extension and a prefix.
LONGEST_NAME = 200
_UNPRINTABLE = {
    "Cc": "a control character",
    "Cs": "bytes that are not UTF-8",
    "Zl": "a line break",
    "Zp": "a line break",
}


def check_name(name: str | None, kind: str) -> str:
    """The name itself if it is safe; raises :class:`ItemFault` otherwise.

    ``kind`` is the word for the sentence, "id" or "speaker".
    """
    if name is None or not name.strip():
        article = "an" if kind == "id" else "a"
        raise ItemFault(f"the {kind} is empty", f"give the utterance {article} {kind}")
    fault = _fault(name)
    if fault is not None:
        raise ItemFault(f"the {kind} {quoted(name)} {fault}", "rename it")
    return name


def _fault(name: str) -> str | None:
    # Almost every name is plain, and there may be a million of them.
    for character in "" if name.isascii() and name.isprintable() else name:
        found = _UNPRINTABLE.get(unicodedata.category(character))
        if found is not None:
            return "contains a line break" if character in "\r\n" else f"contains {found}"
    if "/" in name or "\\" in name:
        return "contains a path separator"
    if name.startswith("."):
        return "begins with a dot"
    if name != name.strip():
        return "begins or ends with a space"
    if len(name.encode()) > LONGEST_NAME:
        return f"is longer than {LONGEST_NAME} bytes"
    return None


def check_characters(text: str | None, kind: str) -> None:
    """Raise :class:`ItemFault` for a text that no file can hold: JSON can spell half a pair of
    surrogates, and a file system bytes that are not UTF-8."""
    if text is not None and not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        raise ItemFault(f"the {kind} {quoted(text)} contains half a character", "correct it")


def quoted(name: str, most: int = 60) -> str:
    """A name for a sentence: on one line, escaped where unprintable, shortened if long."""
    return repr(name if len(name) <= most else name[: most - 1] + "…")


def shown(path: str | Path, line: int | None = None) -> str:
    """A path, or ``path:line``, for a sentence; a path with unprintable characters is escaped."""
    text = str(path)
    text = text if text.isprintable() else repr(text)
    return text if line is None else f"{text}:{line}"


def nfc(name: str) -> str:
    """A name with its accents spelt in the one way that we compare and write.

    ``ü`` is one character or two: macOS writes file names with two, Windows and keyboards with one.
    """
    return unicodedata.normalize("NFC", name)


def ids_from_paths(paths: Sequence[PurePath], speakers: Sequence[str]) -> list[str]:
    """Ids for files without one: the stem, or the path below the root where stems clash.

    As soon as any two stems clash (``anna/001.wav``, ``ben/001.wav``), every file whose stem does
    not begin with its speaker's name gets the long form ``anna-001``, not only the clashing ones:
    a protected copy that lacks a few files then still gets the same ids as the original.
    """
    paths = [PurePath(nfc(str(path))) for path in paths]
    # ben/b1.wav and ben/b1.flac stay duplicates under any name: no reason to rename the others.
    counts = Counter(stem for _, stem in {(path.parent, path.stem) for path in paths})
    if all(count == 1 for count in counts.values()):
        return [path.stem for path in paths]
    ids = []
    for path, speaker in zip(paths, speakers, strict=True):
        stem, speaker = path.stem, nfc(speaker)
        carries_speaker = stem.startswith(speaker) and not stem[len(speaker) :][:1].isalnum()
        if counts[stem] == 1 and carries_speaker:
            ids.append(stem)
        else:
            parts = [part for part in path.parent.parts if part not in (path.anchor, "..")]
            ids.append("-".join([*parts, stem]))
    return ids
