"""The words of a transcript, as they are written and as they are said.

A word is what stands between spaces. A piece without a letter or digit (a dash, a full stop
standing alone) is no word of its own: it stays with the word before it, so that no character of
a transcript is lost. Only ``&`` and the like are spoken.
"""

from __future__ import annotations

import unicodedata

# Signs that are read aloud where they stand alone or inside a word.
SIGNS = {"&": "and", "%": "percent", "+": "plus", "=": "equals", "@": "at", "§": "section"}
MONEY = {"$": "dollars", "£": "pounds", "€": "euros"}
_APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ`´‛′", "'"))
# Letters that Unicode does not take apart into a Latin letter and a mark.
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "th", "þ": "th", "ı": "i"}
)


def words_of(transcript: str) -> tuple[str, ...]:
    """The words as written, punctuation that stands alone joined to the word before it."""
    words: list[str] = []
    waiting = ""
    for piece in transcript.split():
        if _sounds(piece):
            words.append(f"{waiting} {piece}" if waiting else piece)
            waiting = ""
        elif words:
            words[-1] += f" {piece}"
        else:
            waiting = f"{waiting} {piece}".strip()
    return tuple(words)


def _sounds(piece: str) -> bool:
    return any(c.isalnum() or c in SIGNS or c in MONEY for c in piece)


def folded(word: str) -> str:
    """A word in plain lower-case letters, digits, apostrophes and signs, for looking it up.

    Accents and other marks are dropped, letters outside the Latin alphabet stay.
    """
    text = unicodedata.normalize("NFKD", word).translate(_APOSTROPHES).lower()
    text = "".join(c for c in text if not unicodedata.combining(c)).translate(_LETTERS)
    return text


def same_word(one: str, other: str) -> bool:
    """Whether two spellings differ only in case, accents and punctuation."""
    return _bare(one) == _bare(other)


def _bare(word: str) -> str:
    return "".join(c for c in folded(word) if c.isalnum() or c in SIGNS or c in MONEY)
