"""Word errors: how much of what was said a recogniser still understands.

Conventions
-----------
- WER = (S + D + I) / N with S substitutions, D deletions, I insertions and N words of the
  reference; CER the same over characters, spaces included. Both can exceed 1.
- Of a speaker or a corpus: errors and words are summed first, then divided.
- An utterance is *lost* if nothing was recognised in it, or its WER is 1 or more: a listener who
  depends on the recogniser has nothing of it.
- Both texts have been through one normaliser before they get here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import jiwer

from pseudovoice.errors import InputError


@dataclass(frozen=True)
class WordErrors:
    """Counts of one utterance or, added up, of many; they are the sufficient statistic."""

    words: int = 0
    substitutions: int = 0
    deletions: int = 0
    insertions: int = 0
    characters: int = 0
    character_errors: int = 0
    utterances: int = 0
    empty: int = 0
    lost: int = 0
    """Utterances that are empty or have a WER of 1 or more."""

    @property
    def errors(self) -> int:
        return self.substitutions + self.deletions + self.insertions

    @property
    def wer(self) -> float:
        """Word error rate, 0 … ∞, lower is better; NaN without words."""
        return self.errors / self.words if self.words else float("nan")

    @property
    def cer(self) -> float:
        """Character error rate, 0 … ∞, lower is better; NaN without characters."""
        return self.character_errors / self.characters if self.characters else float("nan")

    def __add__(self, other: WordErrors) -> WordErrors:
        return WordErrors(
            self.words + other.words,
            self.substitutions + other.substitutions,
            self.deletions + other.deletions,
            self.insertions + other.insertions,
            self.characters + other.characters,
            self.character_errors + other.character_errors,
            self.utterances + other.utterances,
            self.empty + other.empty,
            self.lost + other.lost,
        )


def word_errors(reference: str, recognised: str) -> WordErrors:
    """Count the errors of one utterance; both texts normalised, the reference not empty."""
    if not reference.split():
        raise InputError(
            "The reference holds no words, so no word error rate exists: leave the utterance out, "
            "or give its transcript."
        )
    words = jiwer.process_words(reference, recognised)
    characters = jiwer.process_characters(reference, recognised)
    length = words.hits + words.substitutions + words.deletions
    errors = words.substitutions + words.deletions + words.insertions
    empty = not recognised.split()
    return WordErrors(
        words=length,
        substitutions=words.substitutions,
        deletions=words.deletions,
        insertions=words.insertions,
        characters=characters.hits + characters.substitutions + characters.deletions,
        character_errors=characters.substitutions + characters.deletions + characters.insertions,
        utterances=1,
        empty=int(empty),
        lost=int(empty or errors >= length),
    )


def total(parts: Iterable[WordErrors]) -> WordErrors:
    """The counts of many utterances; merging parts of a corpus gives the whole."""
    return sum(parts, WordErrors())
