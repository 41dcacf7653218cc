"""Names of originals in what goes out: in places of files, in tables, in tags, on the page.

A name of some length is looked for as a word, whatever its case, however escapes are spelt, with
its accents, without them or as ae, oe and ue, and with ``_`` or ``-`` in place of its blanks, as
files of turns and folders have them. What is short or a number ("a", "1272") would be found in
every table: it counts where it is all of a text in quotes, of a part of a path, or of a cell in a
column that names somebody.
"""

from __future__ import annotations

import csv
import html
import io
import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from pseudovoice.corpus import Corpus

_SHORTEST = 4
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_WORD = re.compile(r"[^\W_]+")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_QUOTED = re.compile(r"\"([^\"\n]{1,64})(?=\")")
_NAMING = frozenset(
    ("speaker", "utt", "utterance", "id", "name", "file", "file_name", "path", "session")
)
"""Columns in which somebody is named."""


@dataclass(frozen=True)
class Names:
    """Everything that the originals are called."""

    speakers: frozenset[str]
    others: frozenset[str]

    @classmethod
    def of(cls, corpus: Corpus) -> Names:
        """Speakers, and utterances, sessions and files."""
        others = {name for u in corpus for name in (u.id, u.session, u.path.stem) if name}
        return cls(frozenset(corpus.speakers), frozenset(others - set(corpus.speakers)))

    def in_place(self, place: str) -> str | None:
        """A name in the place of a file."""
        parts = [_plain(part) for part in PurePosixPath(place).parts]
        parts += [_plain(PurePosixPath(place).stem)]
        return next((self._named[p] for p in parts if p in self._named), None) or self.in_text(
            place
        )

    def in_text(self, text: str) -> str | None:
        """A name in a table, a page or any other text."""
        plain = _plain(_unescaped(text))
        # The words of a name decide where to look; few texts hold the first of one.
        starts = {
            name for word in set(_WORD.findall(plain)) for name in self._by_word.get(word, ())
        }
        for name in sorted(starts):
            if re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", plain):
                return self._named[name]
        whole = {match[1] for match in _QUOTED.finditer(plain)} | set(_cells(plain))
        return next((self._named[name] for name in sorted(self._short & whole)), None)

    @cached_property
    def _named(self) -> dict[str, str]:
        names = (*self.others, *self.speakers)
        return {spelt: name for name in names for spelt in _spellings(name)}

    @cached_property
    def _short(self) -> frozenset[str]:
        return frozenset(name for name in self._named if not _telling(name))

    @cached_property
    def _by_word(self) -> dict[str, tuple[str, ...]]:
        """Names by their first word."""
        found: dict[str, list[str]] = {}
        for name in filter(_telling, self._named):
            words = _WORD.findall(name)
            if words:
                found.setdefault(words[0], []).append(name)
        return {word: tuple(names) for word, names in found.items()}


def _cells(text: str) -> list[str]:
    """Cells of a table in the columns that name somebody."""
    head = text.split("\n", 1)[0]
    mark = max(",;\t", key=head.count)
    columns = [column.strip(' "') for column in head.split(mark)]
    wanted = [k for k, column in enumerate(columns) if column in _NAMING]
    if len(columns) < 2 or not wanted:
        return []
    rows = csv.reader(io.StringIO(text), delimiter=mark)
    return [row[k].strip() for row in rows for k in wanted if k < len(row)]


def _telling(name: str) -> bool:
    return len(name) >= _SHORTEST and any(c.isalpha() for c in name)


def _unescaped(text: str) -> str:
    return html.unescape(_ESCAPE.sub(lambda match: chr(int(match[1], 16)), text))


def _plain(text: str) -> str:
    """In small letters without accents."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", letters))


def _spellings(name: str) -> set[str]:
    """A name as it may stand in a plain text."""
    composed = unicodedata.normalize("NFC", name).casefold()
    plain = {_plain(composed), _plain(composed.translate(_UMLAUTS))}
    return {mark.join(one.split()) for one in plain for mark in " _-"}
