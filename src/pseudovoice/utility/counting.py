"""What words are counted against: given transcripts, or what was heard in the original."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pseudovoice.asr.recogniser import SpeechRecogniser
from pseudovoice.corpus import Corpus
from pseudovoice.errors import Problem
from pseudovoice.text.plain import plain_words
from pseudovoice.utility.measure import Measured
from pseudovoice.utility.rows import Item
from pseudovoice.utility.words import word_errors


@dataclass(frozen=True)
class Counting:
    """How words are counted: the normaliser, the given transcripts, or the recogniser's own.

    ``only`` says in words which recordings they are counted in, if not in all, ``language`` in
    which languages. Utterances that ``plain`` names are in another language than English, whose
    rules of spelling do not hold there.
    """

    normaliser: Callable[[str], str]
    transcripts: dict[str, str]
    own: bool
    only: str = ""
    language: str = ""
    plain: frozenset[str] = frozenset()

    def item(self, measured: Measured) -> Item:
        before, after = measured.original.text, measured.protected.text
        if before is None or after is None:
            return Item(measured, None, None, None)
        name = measured.utterance.id
        words = plain_words if name in self.plain else self.normaliser
        given = words(self.transcripts.get(name, ""))
        known = len(given.split()) or None
        heard = words(before)
        expected = heard if self.own else given
        if not expected:
            return Item(measured, None, None, known)
        return Item(
            measured,
            # Against itself the original has no errors: no figure at all is better than a zero.
            None if self.own else word_errors(given, heard),
            word_errors(expected, words(after)),
            known,
        )

    def problems(self, items: Sequence[Item], corpus: Corpus) -> list[Problem]:
        without = [
            item.measured.utterance.id
            for item in items
            # Where the recogniser was not asked there is nothing to miss.
            if item.protected is None and item.measured.original.text is not None
        ]
        if not without:
            return []
        what = (
            "nothing was recognised in the original of"
            if self.own
            else "there is no transcript (or none with words) of"
        )
        return [
            Problem(
                str(corpus.root),
                f"{what} {len(without)} utterance(s), such as {without[0]}",
                "their words are not counted",
            )
        ]

    def said(self, recogniser: SpeechRecogniser | None) -> str:
        """What the table says of every word error rate."""
        if recogniser is None:
            return ""
        against = (
            "its own transcript of the original (its errors on both sides cancel)"
            if self.own
            else "the given transcripts"
        )
        where = f", recordings {self.only} only" if self.only else ""
        language = f" ({self.language})" if self.language else ""
        return f"{recogniser.name}{language} against {against}{where}"
