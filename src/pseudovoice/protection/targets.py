"""Where each protected utterance goes and what it is called: no two in one place.

Conventions
-----------
- Two names are one if they differ only in case or in how accented letters are spelt: on many
  systems they are one file, and a release is unpacked anywhere.
- The natural place is that of the original. Where several would share it, each of them goes to
  the place its own id gives; which, depends on no order.
- Ids have up to 200 bytes, so there is room for the mark and an extension.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from pseudovoice.corpus import Corpus, Utterance
from pseudovoice.errors import Problem
from pseudovoice.protection.settings import Settings
from pseudovoice.release.account import WRITABLE

# Their readers take ids from the names of files, so a place of its own would be another id.
_NAMED_BY_FILE = ("folder", "librispeech")


class Targets:
    """The place of every utterance of a corpus, and a problem for each that can have none."""

    def __init__(self, corpus: Corpus, out: Path, settings: Settings) -> None:
        self._root, self._out, self._settings = corpus.root.resolve(), out, settings
        self.of: dict[str, Utterance] = {u.id: self._target(u) for u in corpus}
        self.problems: dict[str, Problem] = {}
        if corpus.layout not in _NAMED_BY_FILE and settings.names is None:
            self._move(corpus, self._own_place)
            self._move(corpus, self._marked_place)
        for clash in self._clashes():
            for name in clash:
                other = next(one for one in clash if one != name)
                place = corpus.by_id[name].place
                self.problems[name] = Problem(
                    place,
                    f"would be one file with {corpus.by_id[other].place} on systems that tell "
                    "neither case nor spellings of accents apart",
                    "rename one of the two; until then both are left out",
                )

    def place(self, name: str) -> str:
        """Below the output, of the utterance with this id."""
        return self.of[name].path.relative_to(self._out).as_posix()

    def _clashes(self) -> Iterable[list[str]]:
        """Ids that share a place."""
        folded = {name: _folded(self.place(name)) for name in self.of}
        counts = Counter(folded.values())
        groups: dict[str, list[str]] = {}
        for name, place in folded.items():
            if counts[place] > 1:
                groups.setdefault(place, []).append(name)
        return groups.values()

    def _move(self, corpus: Corpus, place: Callable[[Utterance, str], Path]) -> None:
        """Give all that share a place another."""
        for clash in list(self._clashes()):
            for name in clash:
                target = self.of[name]
                moved = place(corpus.by_id[name], target.path.suffix)
                self.of[name] = replace(target, path=self._out / moved)

    def _own_place(self, utterance: Utterance, suffix: str) -> Path:
        return Path("audio") / utterance.speaker / f"{utterance.id}{suffix}"

    def _marked_place(self, utterance: Utterance, suffix: str) -> Path:
        mark = hashlib.sha256(utterance.id.encode()).hexdigest()[:16]
        return Path("audio") / utterance.speaker / f"{utterance.id}~{mark}{suffix}"

    def _target(self, utterance: Utterance) -> Utterance:
        suffix = utterance.path.suffix.lower()
        suffix = suffix if suffix in WRITABLE and utterance.command is None else ".wav"
        whole = replace(utterance, start=None, end=None, command=None, channel=None)
        if self._settings.names is not None:
            named = self._settings.names.renamed(whole)
            return replace(named, path=self._out / named.speaker / f"{named.id}{suffix}")
        inside = utterance.path.is_relative_to(self._root) and utterance.command is None
        if inside and utterance.start is None and utterance.end is None:
            place = utterance.path.relative_to(self._root).with_suffix(suffix)
        else:  # a part of a longer recording, or one from elsewhere, becomes a file of its own
            place = self._own_place(utterance, suffix)
        return replace(whole, path=self._out / place)


def _folded(place: str) -> str:
    """The same for all spellings that some file system takes for one name."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", place).casefold())
