"""What alignment gives: which word was spoken when, in the words of the transcript.

Conventions
-----------
- Times are seconds from the beginning of the utterance, not of the file it may be a part of.
- Words are those of the transcript, in order, each exactly once; silences are the gaps between
  them and are not listed.
- ``confidence`` runs from 0 to 1, None where whoever aligned did not say; see
  :mod:`pseudovoice.alignment.sphinx_search` for what ours means.
"""

from __future__ import annotations

from dataclasses import dataclass

from pseudovoice.errors import InputError, Problem


@dataclass(frozen=True, slots=True)
class Word:
    """A word uttered in [start, end], the paper's [t_k^s, t_k^e]."""

    word: str
    start: float
    end: float
    confidence: float | None = None


@dataclass(frozen=True)
class Alignment:
    """The words of one utterance of ``duration`` seconds."""

    utterance: str
    words: tuple[Word, ...]
    duration: float

    @property
    def confidence(self) -> float | None:
        """Mean confidence over speaking time; None if any word has none."""
        weighed = [
            (word.confidence, word.end - word.start)
            for word in self.words
            if word.confidence is not None
        ]
        if len(weighed) < len(self.words):
            return None
        return sum(c * t for c, t in weighed) / sum(t for _, t in weighed)


class AlignmentError(InputError):
    """One utterance cannot be aligned; it is left out rather than cut badly.

    ``problem`` is the sentence in its three parts and ``kind`` one word for counting: transcript,
    missing, words, fit, times, confidence, heard.
    """

    def __init__(self, kind: str, problem: Problem) -> None:
        super().__init__(kind, problem)
        self.kind = kind
        self.problem = problem

    def __str__(self) -> str:
        return str(self.problem)
