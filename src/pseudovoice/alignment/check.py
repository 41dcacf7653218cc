"""Whether the times of an alignment can be cut by; if not, the utterance is left out.

Conventions
-----------
- Times written with two digits may disagree by one in the last: up to 10 ms a word may reach into
  the next, before the beginning or beyond the end. Such a time is moved to where it
  must lie; anything more is a fault.
- A word that lasts no time, or less, is a fault: an aligner writes one where it found no place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from pseudovoice.alignment.readers.labels import is_unknown
from pseudovoice.alignment.word import Alignment, AlignmentError, Word
from pseudovoice.errors import Problem
from pseudovoice.text.transcript import same_word

# Two columns rounded to 10 ms, with a little for binary fractions.
ROUNDING = 0.0101


def checked(
    place: str, utterance: str, words: Sequence[Word], written: Sequence[str], duration: float
) -> Alignment:
    """The alignment of ``written``, the transcript's words, or :class:`AlignmentError`.

    ``words`` may be spelled otherwise (case, accents, punctuation) or unknown to whoever aligned;
    the result has the transcript's spelling.
    """
    _check_words(place, words, written)
    timed = [replace(word, word=text) for word, text in zip(words, written, strict=True)]
    return Alignment(utterance, _check_times(place, timed, duration), duration)


def check_confidence(place: str, alignment: Alignment, least: float) -> None:
    """Raise :class:`AlignmentError` for an alignment that is known to be unsure."""
    confidence = alignment.confidence
    if confidence is not None and confidence < least:
        raise AlignmentError(
            "confidence",
            Problem(
                place,
                f"the alignment is unsure (confidence {confidence:.2f}, below {least:g})",
                "check that the transcript is what is said; it is left out",
            ),
        )


def _check_words(place: str, words: Sequence[Word], written: Sequence[str]) -> None:
    if len(words) != len(written):
        raise AlignmentError(
            "words",
            Problem(
                place,
                f"the transcript has {_words(len(written))} and the alignment {len(words)}",
                "align it again with this transcript; it is left out",
            ),
        )
    for number, (word, text) in enumerate(zip(words, written, strict=True), 1):
        if not is_unknown(word.word) and not same_word(word.word, text):
            raise AlignmentError(
                "words",
                Problem(
                    place,
                    f"word {number} of the transcript is {text!r} and of the alignment "
                    f"{word.word!r}",
                    "align it again with this transcript; it is left out",
                ),
            )


def _check_times(place: str, words: Sequence[Word], duration: float) -> tuple[Word, ...]:
    def fault(what: str) -> AlignmentError:
        return AlignmentError(
            "times", Problem(place, what, "correct the alignment; the utterance is left out")
        )

    kept: list[Word] = []
    before = 0.0
    for number, word in enumerate(words, 1):
        name = f"word {number} ({word.word!r})"
        if not (math.isfinite(word.start) and math.isfinite(word.end)):
            raise fault(f"{name} has no time")
        if word.end <= word.start:
            raise fault(f"{name} lasts {word.end - word.start:g} s")
        if word.start < -ROUNDING or word.end > duration + ROUNDING:
            raise fault(
                f"{name} is placed from {word.start:g} s to {word.end:g} s, outside the "
                f"utterance, which lasts {duration:.2f} s"
            )
        if word.start < before - ROUNDING:
            raise fault(
                f"{name} begins at {word.start:g} s, before the word before it ends ({before:g} s)"
            )
        start, end = max(word.start, before), min(word.end, duration)
        if end <= start:
            raise fault(f"{name} lasts no longer than times are rounded to")
        kept.append(replace(word, start=start, end=end))
        before = end
    return tuple(kept)


def _words(count: int) -> str:
    return "1 word" if count == 1 else f"{count} words"
