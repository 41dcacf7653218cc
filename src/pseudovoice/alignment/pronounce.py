"""How a written word is said: dictionary first, then rules, then the network; never not at all.

A word becomes one or more *parts* that are said one after the other: ``Twenty-one`` two,
``1839`` three, ``R&B`` three. A part is looked up in the dictionary; a possessive takes its noun's
pronunciation and the ending that English gives it; anything else is asked of the
grapheme-to-phoneme network. A word without a vowel letter may be an abbreviation and can
also be spelled out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product

from pseudovoice.alignment.g2p import load_g2p
from pseudovoice.text.numbers import cardinal, decimal, digit_by_digit, integer, ordinal
from pseudovoice.text.transcript import MONEY, SIGNS, folded

Pronunciation = tuple[str, ...]
Lookup = Callable[[str], Sequence[Pronunciation]]

_PIECE = re.compile(r"\d[\d,]*(?:\.\d+)?(?:st|nd|rd|th)?|[^\W\d_']+(?:'[^\W\d_']+)*|[^\w\s]")
_SIBILANTS = {"S", "Z", "SH", "ZH", "CH", "JH"}
_VOICELESS = {"P", "T", "K", "F", "TH"}
_LETTER_NAMES = {
    **{"a": "EY", "b": "B IY", "c": "S IY", "d": "D IY", "e": "IY", "f": "EH F", "g": "JH IY"},
    **{"h": "EY CH", "i": "AY", "j": "JH EY", "k": "K EY", "l": "EH L", "m": "EH M", "n": "EH N"},
    **{"o": "OW", "p": "P IY", "q": "K Y UW", "r": "AA R", "s": "EH S", "t": "T IY", "u": "Y UW"},
    **{"v": "V IY", "w": "D AH B AH L Y UW", "x": "EH K S", "y": "W AY", "z": "Z IY"},
}
# Alternatives multiply along the parts of a word; more than a few only slow the search down.
_MOST = 6


class Unpronounceable(ValueError):
    """A word with letters that no rule here can say."""


def listed(word: str, lookup: Lookup) -> tuple[Pronunciation, ...]:
    """The dictionary's ways to say a word as written; none if it has not got it."""
    plain = folded(word).replace(" ", "")
    # Punctuation hangs on words in most transcripts; 'em and 'tis begin with an apostrophe.
    for form in (plain, plain.strip('.,;:!?"()[]{}“”«»…-–—'), plain.strip("'")):
        if found := lookup(form):
            return tuple(found)
    return ()


def pronunciations(word: str, lookup: Lookup) -> tuple[Pronunciation, ...]:
    """All ways to say a word as written, likeliest first, in phones without stress.

    ``lookup`` gives the dictionary's ways of a lower-case word, none if it has not got it.
    Raises :class:`Unpronounceable` for letters outside the Latin alphabet.
    """
    if found := listed(word, lookup):
        return found
    plain = folded(word).replace(" ", "")
    ways = [_part(part, lookup) for part in _parts(plain)]
    if not ways:
        raise Unpronounceable(word)
    # One after the other: a word of thirty parts has a thousand million ways.
    joined: dict[Pronunciation, None] = {}
    for way in product(*(dict.fromkeys(part) for part in ways)):
        joined[tuple(phone for part in way for phone in part)] = None
        if len(joined) == _MOST:
            break
    return tuple(joined)


def _parts(plain: str) -> list[str]:
    """What is said, one word each: digits and signs written out."""
    parts: list[str] = []
    money = ""
    for piece in _PIECE.findall(plain):
        if piece[0].isdigit():
            parts += _number(piece).split()
            if money:
                parts.append(money)
                money = ""
        elif piece in MONEY:
            money = MONEY[piece]
        elif piece in SIGNS:
            parts.append(SIGNS[piece])
        elif piece[0].isalpha():
            parts.append(piece)
    return [*parts, money] if money else parts


def _number(piece: str) -> str:
    digits = piece.replace(",", "")
    if not digits.isascii():  # other scripts have digits too
        digits = "".join(str(int(c)) if c.isdecimal() else c for c in digits)
    if digits[-1].isalpha():
        whole = digits[:-2].partition(".")[0]
        return ordinal(whole)
    whole, dot, fraction = digits.partition(".")
    if dot:
        return decimal(whole, fraction)
    # A price or count with commas is a number, never a year.
    return cardinal(whole) if "," in piece else integer(whole) or digit_by_digit(whole)


def _part(part: str, lookup: Lookup) -> tuple[Pronunciation, ...]:
    if found := lookup(part):
        return tuple(found)
    noun, apostrophe, ending = part.rpartition("'")
    if apostrophe and ending == "s" and noun:
        return tuple((*way, *_possessive(way)) for way in _part(noun, lookup))
    letters = part.replace("'", "")
    if not all(letter in _LETTER_NAMES for letter in letters):
        raise Unpronounceable(part)
    guessed = _guessed(letters)
    if guessed and any(c in "aeiouy" for c in letters):
        return (guessed,)
    spelled = tuple(p for letter in letters for p in _LETTER_NAMES[letter].split())
    return (spelled, guessed) if guessed else (spelled,)


@cache
def _guessed(letters: str) -> Pronunciation:
    return tuple(phone.rstrip("012") for phone in load_g2p()(letters))


def _possessive(way: Pronunciation) -> Pronunciation:
    """The sound of 's: church's, cat's, dog's."""
    if way[-1] in _SIBILANTS:
        return ("IH", "Z")
    return ("S",) if way[-1] in _VOICELESS else ("Z",)
