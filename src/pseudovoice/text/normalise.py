"""Text as words that can be counted: what is written differently but spoken alike is made alike.

A recogniser writes ``Mr. Quilter, on the 3rd of May 1839``; a reference ``MISTER QUILTER ON THE
THIRD OF MAY EIGHTEEN THIRTY NINE``. The same function is applied to both sides of every
comparison.

Conventions
-----------
In this order:

1. Lower case; accents are dropped (*café*, *cafe*).
2. ``&`` is *and*, ``%`` *percent*; ``$5``, ``£5``, ``€5`` are *five dollars*, *pounds*, *euros*.
3. Mr, Mrs, Messrs, Dr, St, Jr, Sr, etc and vs are written out, and with a full stop behind them
   also Prof, Capt, Col, Gen, Lt, Rev and Hon. St is always *saint*.
4. Digits become words by :mod:`pseudovoice.text.numbers`: integers, years, ordinals (*3rd*),
   decades (*1840s*), decimals, and *No. 5*. Numbers that were words get the same form: *a hundred
   and five* is *one hundred five*. Roman numerals stay letters.
5. Every character but letters and apostrophes parts words, hyphens too. An apostrophe is kept
   inside a word (*don't*, *king's*) and dropped at its ends (*'tis*, *boys'*), where it cannot be
   told from a quotation mark. Contractions are not written out: who hears *do not* for *don't*
   heard other words.
6. One spelling (*labour*, *labor*) by :mod:`pseudovoice.text.spelling`.

This is for English. For another language give :func:`assess_utility` a function of your own.
"""

from __future__ import annotations

import re
import unicodedata

from pseudovoice.text.numbers import cardinal, decade, decimal, integer, one_reading, ordinal
from pseudovoice.text.spelling import one_spelling

_TITLES = {
    "mr": "mister",
    "mrs": "missus",
    "messrs": "messieurs",
    "dr": "doctor",
    "st": "saint",
    "jr": "junior",
    "sr": "senior",
    "etc": "et cetera",
    "vs": "versus",
}
_WITH_STOP = {
    "prof": "professor",
    "capt": "captain",
    "col": "colonel",
    "gen": "general",
    "lt": "lieutenant",
    "rev": "reverend",
    "hon": "honorable",
}
_MONEY = {"$": "dollar", "£": "pound", "€": "euro"}

_APOSTROPHES = re.compile("[’‘ʼ`´]")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_AMOUNT = re.compile(r"([$£€])\s?(\d+)(?![\d.]*\d)")
_TITLE = re.compile(rf"\b({'|'.join(_TITLES)})\b\.?")
_STOPPED = re.compile(rf"\b({'|'.join(_WITH_STOP)})\.")
_ORDINAL = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b")
_DECADE = re.compile(r"\b(\d+0)'?s\b")
_DECIMAL = re.compile(r"(?<!\d)(\d+)\.(\d+)")
_INTEGER = re.compile(r"\d+")
_NUMBER = re.compile(r"\bno\.\s?(?=\d)")
_NOT_A_WORD = re.compile(r"[^\w']|[\d_]")


def normalise(text: str) -> str:
    """The words of an English text, lower case, one space between them."""
    text = unicodedata.normalize("NFKD", _APOSTROPHES.sub("'", text)).lower()
    text = "".join(character for character in text if not unicodedata.combining(character))
    text = text.replace("&", " and ").replace("%", " percent ")
    text = _THOUSANDS.sub("", text)
    text = _AMOUNT.sub(_money, text)
    text = _TITLE.sub(lambda found: _TITLES[found[1]], text)
    text = _STOPPED.sub(lambda found: _WITH_STOP[found[1]], text)
    text = _NUMBER.sub("number ", text)
    text = _ORDINAL.sub(lambda found: _apart(ordinal(found[1])), text)
    text = _DECADE.sub(lambda found: _apart(decade(found[1])), text)
    text = _DECIMAL.sub(lambda found: _apart(decimal(found[1], found[2])), text)
    text = _INTEGER.sub(lambda found: _apart(integer(found[0])), text)
    words = (word.strip("'") for word in _NOT_A_WORD.sub(" ", text).split())
    spoken = one_reading(" ".join(word for word in words if word))
    return " ".join(one_spelling(spoken.split()))


def _apart(words: str) -> str:
    return f" {words} "


def _money(found: re.Match[str]) -> str:
    unit = _MONEY[found[1]]
    return f" {cardinal(found[2])} {unit}{'' if found[2] == '1' else 's'} "
