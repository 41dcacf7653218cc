"""Words of any language: lower case, without punctuation.

Nothing that depends on a language is made alike: numbers stay digits, accents stay. Error rates are
therefore higher than those of :mod:`pseudovoice.text.normalise`, which is for English.
"""

from __future__ import annotations

import re
import unicodedata

_NO_WORD = re.compile(r"[^\w'’]|_")


def plain_words(text: str) -> str:
    """The words of a text, with one space between them."""
    known = unicodedata.normalize("NFKC", text).casefold()
    words = (word.strip("'’") for word in _NO_WORD.sub(" ", known).split())
    return " ".join(word for word in words if word)
