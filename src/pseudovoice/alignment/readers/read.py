"""Alignments made elsewhere: a file or a folder of them, in any format known here.

Utterances are found by id. Formats with one file an utterance name it by the file:
``anna/1.TextGrid`` is for the utterance ``1``, or ``anna-1`` where several files are called ``1``.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pseudovoice.alignment.readers.ctm import read_ctm
from pseudovoice.alignment.readers.json_words import read_json
from pseudovoice.alignment.readers.librispeech import LINE, read_librispeech
from pseudovoice.alignment.readers.mfa_csv import is_mfa_csv, read_mfa_csv
from pseudovoice.alignment.readers.textgrid import FormatFault, read_textgrid
from pseudovoice.alignment.word import AlignmentError, Word
from pseudovoice.corpus import Sound, Utterance
from pseudovoice.errors import InputError, Problem

FORMATS = (".textgrid", ".ctm", ".csv", ".json", ".jsonl", ".txt")
_LARGEST = 1 << 30

T = TypeVar("T", bytes, str)

Entry = tuple[str, str, tuple[Word, ...] | FormatFault]
"""Utterance, where it stands, and its words or what is wrong."""


@dataclass
class ReadAlignments:
    """An aligner that looks up what another one found."""

    name: str
    words: dict[str, tuple[Word, ...]] = field(default_factory=dict)
    faults: dict[str, Problem] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    @property
    def identity(self) -> str:
        digest = hashlib.sha256()
        for name in sorted(self.words):
            digest.update(repr((name, self.words[name])).encode())
        return digest.hexdigest()

    def __call__(
        self, utterance: Utterance, sound: Sound, written: tuple[str, ...]
    ) -> tuple[Word, ...]:
        del sound, written
        names = [utterance.id]
        if utterance.start is None and utterance.end is None:
            names.append(utterance.path.stem)
        for name in names:
            if name in self.faults:
                raise AlignmentError("times", self.faults[name])
            if name in self.words:
                return self.words[name]
        raise AlignmentError(
            "missing",
            Problem(
                f"{utterance.id} ({utterance.place})",
                f"there is no alignment of it in {self.name}",
                "align it, or take the embedded aligner; it is left out",
            ),
        )


def read_alignments(path: Path | str) -> ReadAlignments:
    """Read a file of alignments, or all of a folder and the folders in it.

    A file that cannot be read is a problem; nothing readable at all raises InputError.
    """
    path = Path(path)
    found = ReadAlignments(str(path))
    places: dict[str, str] = {}
    for name, place, words in _entries(path, found.problems):
        if isinstance(words, FormatFault):
            found.faults[name] = Problem(place, str(words), "correct it; the utterance is left out")
        elif name in places:
            found.faults[name] = Problem(
                place,
                f"the utterance {name!r} is aligned here and in {places[name]}",
                "keep one of the two; the utterance is left out",
            )
        else:
            found.words[name] = words
            places[name] = place
    if not found.words:
        reasons = [*found.problems, *found.faults.values()]
        why = f"; the first reason: {reasons[0]}" if reasons else "."
        raise InputError(
            f"{path}: has no alignment that can be read as TextGrid, CTM, JSON, CSV of the "
            f"Montreal Forced Aligner or LibriSpeech text{why}"
        )
    return found


def _entries(path: Path, problems: list[Problem]) -> Iterator[Entry]:
    if not path.exists():
        raise InputError(f"{path}: there is no such file or folder of alignments.")
    alone = path.is_file()
    root = path.parent if alone else path
    files = [path] if alone else sorted(p for p in path.rglob("*") if p.is_file())
    files = [f for f in files if f.suffix.lower() in FORMATS and not f.name.startswith(".")]
    names = _names(files, root)
    for file in files:
        try:
            yield from _read(file, names[file], ours=alone)
        except FormatFault as fault:
            problems.append(Problem(str(file), str(fault), "write it again; it is left out"))
        except OSError as error:
            problems.append(
                Problem(str(file), f"cannot be read ({error.strerror})", "check its permissions")
            )


def _names(files: Sequence[Path], root: Path) -> dict[Path, str]:
    """The utterance of each file, should its format not name one."""
    counts = Counter((file.suffix.lower(), file.stem) for file in files)
    return {
        file: file.stem
        if counts[file.suffix.lower(), file.stem] == 1
        else "-".join(file.relative_to(root).with_suffix("").parts)
        for file in files
    }


def _read(file: Path, name: str, *, ours: bool) -> Iterator[Entry]:
    """What one file holds. ``ours`` says that the user named it, so that it must be alignments;
    in a folder, texts and tables may be something else."""
    suffix = file.suffix.lower()
    if file.stat().st_size > _LARGEST:
        raise FormatFault(f"is larger than {_LARGEST >> 20} MB")
    data = file.read_bytes()
    if suffix == ".textgrid":
        yield name, str(file), _or_fault(read_textgrid, data)
        return
    text = data.decode("utf-8-sig", errors="replace")
    if suffix == ".ctm":
        yield from _lines_of_ctm(file, text)
    elif suffix in (".json", ".jsonl"):
        try:
            for utterance, words in read_json(text, name, lines=suffix == ".jsonl"):
                yield utterance, str(file), words
        except FormatFault:
            if ours:
                raise
    elif suffix == ".csv":
        if is_mfa_csv(text):
            yield name, str(file), _or_fault(read_mfa_csv, text)
        elif ours:
            raise FormatFault("has no columns Begin, End, Label and Type")
    else:
        first = next((line for line in text.splitlines() if line.strip()), "")
        if ours or LINE.fullmatch(first):
            for utterance, number, found in read_librispeech(text):
                yield utterance, f"{file}:{number}", found


def _or_fault(
    reader: Callable[[T], tuple[Word, ...]], content: T
) -> tuple[Word, ...] | FormatFault:
    try:
        return reader(content)
    except FormatFault as fault:
        return fault


def _lines_of_ctm(file: Path, text: str) -> Iterator[Entry]:
    """The words of each utterance together; one bad line spoils its utterance only."""
    words: dict[str, list[Word]] = {}
    faults: dict[str, tuple[str, FormatFault]] = {}
    for utterance, number, found in read_ctm(text):
        words.setdefault(utterance, [])
        if isinstance(found, FormatFault):
            faults.setdefault(utterance, (f"{file}:{number}", found))
        elif found is not None:
            words[utterance].append(found)
    for utterance, those in words.items():
        if utterance in faults:
            yield utterance, *faults[utterance]
        else:
            yield utterance, str(file), tuple(sorted(those, key=lambda word: word.start))
