"""Numbers as they are read aloud in English.

Conventions
-----------
- American and without "and": 105 is *one hundred five*, and so is *a hundred and five* where it is
  written out, since whoever writes digits cannot say which of them was heard.
- Four digits from 1100 to 1999 and from 2010 to 2099 are years, read in pairs: 1839 is *eighteen
  thirty nine*, 1900 *nineteen hundred*, 1905 *nineteen o five*.
- Twelve digits are read as a number; longer ones, and those that begin with 0, digit by digit.
"""

from __future__ import annotations

import re

_NUMBERS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen
"""
_SMALL = _NUMBERS.split()
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_GROUPS = ("", "thousand", "million", "billion")
_MOST_DIGITS = 12
_LARGE = "hundred|thousand|million|billion"
_ARTICLE = re.compile(rf"\b(?:a|an) (?=(?:{_LARGE})\b)")
_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}


def cardinal(digits: str) -> str:
    """An integer in words; ``digits`` holds nothing but 0 to 9."""
    if len(digits) > _MOST_DIGITS or (digits[0] == "0" and len(digits) > 1):
        return digit_by_digit(digits)
    number = int(digits)
    words: list[str] = []
    for power in range(len(_GROUPS) - 1, -1, -1):
        part = number // 1000**power % 1000
        if part:
            words += [*_below_thousand(part), _GROUPS[power]]
    return " ".join(word for word in words if word) or _SMALL[0]


def _below_thousand(number: int) -> list[str]:
    hundreds, rest = divmod(number, 100)
    words = [_SMALL[hundreds], "hundred"] if hundreds else []
    return words + (_below_hundred(rest) if rest else [])


def _below_hundred(number: int) -> list[str]:
    if number < 20:
        return [_SMALL[number]]
    tens, ones = divmod(number, 10)
    return [_TENS[tens - 2], *([_SMALL[ones]] if ones else [])]


def integer(digits: str) -> str:
    """An integer as read in running text: as a year where it looks like one."""
    if len(digits) == 4 and ("1100" <= digits <= "1999" or "2010" <= digits <= "2099"):
        century, rest = _below_hundred(int(digits[:2])), int(digits[2:])
        if rest == 0:
            return " ".join([*century, "hundred"])
        return " ".join([*century, *(["o"] if rest < 10 else []), *_below_hundred(rest)])
    return cardinal(digits)


def ordinal(digits: str) -> str:
    """The ordinal of an integer: 21 is *twenty first*."""
    *before, last = cardinal(digits).split()
    if last in _ORDINALS:
        last = _ORDINALS[last]
    elif last.endswith("y"):
        last = last[:-1] + "ieth"
    else:
        last += "th"
    return " ".join([*before, last])


def decade(digits: str) -> str:
    """The plural of an integer, as of decades: 1840s is *eighteen forties*."""
    *before, last = integer(digits).split()
    if last.endswith("y"):
        last = last[:-1] + "ies"
    else:
        last += "es" if last.endswith("x") else "s"
    return " ".join([*before, last])


def decimal(whole: str, fraction: str) -> str:
    """A decimal number: 3.25 is *three point two five*."""
    return f"{cardinal(whole)} point {digit_by_digit(fraction)}"


def digit_by_digit(digits: str) -> str:
    """Every digit by itself."""
    return " ".join(_SMALL[int(digit)] for digit in digits)


# What may follow the "and" of a number, as the first word of the tens and ones.
_REST = {read(str(n)).split()[0] for n in range(1, 100) for read in (cardinal, ordinal)}
_AND = re.compile(rf"\b({_LARGE}) and (?=(?:{'|'.join(sorted(_REST))})\b)")


def one_reading(text: str) -> str:
    """Numbers in words, the way :func:`cardinal` writes them; lower case, single spaces."""
    return _AND.sub(r"\1 ", _ARTICLE.sub("one ", text))
