"""Names that a study must not write: sentences about problems under pseudonyms, and back again.

A sentence names the file that it is about, and so a person. What a study keeps in its folder names
pseudonyms instead; whoever runs it reads the names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from pseudovoice.corpus import Corpus
from pseudovoice.corpus.naming import shown
from pseudovoice.errors import Problem
from pseudovoice.release.pseudonyms import Pseudonyms


@dataclass(frozen=True)
class Veil:
    """Over the names of some corpora; nothing is hidden where there are no pseudonyms."""

    names: Pseudonyms | None = None
    corpora: tuple[Corpus, ...] = ()

    def hidden(self, record: Any) -> Any:
        """A record of a stage whose problems name nobody."""
        problems = getattr(record, "problems", ())
        if self.names is None or not problems:
            return record
        return replace(record, problems=tuple(map(self.hide, problems)))

    def hide(self, problem: Problem) -> Problem:
        return self._changed(problem, self._pseudonyms)

    def show(self, problem: Problem) -> Problem:
        """The problem in the words of the originals."""
        return self._changed(problem, self._originals)

    def _changed(self, problem: Problem, names: dict[str, str]) -> Problem:
        parts = (problem.where, problem.what, problem.remedy)
        where, what, remedy = (_with(part, names) for part in parts)
        return replace(problem, where=where, what=what, remedy=remedy)

    @cached_property
    def _pseudonyms(self) -> dict[str, str]:
        """By everything that tells who is meant, the longest first: a path holds an id."""
        if self.names is None:
            return {}
        found: dict[str, str] = {}
        for utterance in (u for corpus in self.corpora for u in corpus):
            again = self.names.renamed(utterance)
            for name in (utterance.place, str(utterance.path), shown(utterance.path), utterance.id):
                found.setdefault(name, again.id)
            found.setdefault(utterance.speaker, again.speaker)
            if utterance.session and again.session:
                found.setdefault(utterance.session, again.session)
        return _longest_first(found.items())

    @cached_property
    def _originals(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, pseudonym in self._pseudonyms.items():
            found.setdefault(pseudonym, name)  # the longest: where it lies
        return found


def _longest_first(names: Iterable[tuple[str, str]]) -> dict[str, str]:
    return dict(sorted(names, key=lambda pair: -len(pair[0])))


def _with(text: str, names: dict[str, str]) -> str:
    """A text with names replaced, where they stand as words; a replacement stays as it is."""
    there = [name for name in names if name in text]
    if not there:
        return text
    pattern = "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in there)
    return re.sub(pattern, lambda match: names[match[0]], text)
