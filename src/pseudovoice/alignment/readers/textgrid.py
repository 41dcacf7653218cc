"""Praat TextGrids, long and short, as Praat, ELAN and the Montreal Forced Aligner write them.

Both forms hold the same values in the same order; the long one only puts names before them. As in
Praat, whatever is neither a free-standing number, a quoted string nor a flag is comment, so one
reading does for both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pseudovoice.alignment.readers.labels import is_silence
from pseudovoice.alignment.word import Word

_TOKEN = re.compile(
    r'"(?P<text>(?:[^"]|"")*)"|(?<!\S)(?P<number>[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?)(?!\S)'
    r"|(?P<flag><exists>|<absent>)|(?P<comment>![^\n]*)"
)
_WORD_TIERS = ("words", "word", "wrd", "wd", "ort", "ortho", "ort-mau", "orthography", "text")
_OTHER_TIERS = ("phones", "phone", "segments", "segment", "phn", "mau", "kan-mau", "syllables")
_MOST_ITEMS = 10_000_000


class FormatFault(ValueError):
    """What is wrong with a file of alignments, as the end of a sentence."""


@dataclass(frozen=True)
class Tier:
    """A tier of intervals: (start, end, label) each."""

    name: str
    intervals: tuple[tuple[float, float, str], ...]


def read_textgrid(data: bytes) -> tuple[Word, ...]:
    """The words of a TextGrid; raises :class:`FormatFault`."""
    tier = words_tier(read_tiers(_decoded(data)))
    return tuple(
        Word(label.strip(), start, end)
        for start, end, label in tier.intervals
        if not is_silence(label)
    )


def _decoded(data: bytes) -> str:
    # Praat writes UTF-16 with a byte-order mark as soon as a label is not ASCII.
    for encoding in ("utf-16",) if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig",):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def read_tiers(text: str) -> list[Tier]:
    """All tiers of intervals, in order; tiers of points are passed over."""
    values = _values(text)
    if (next(values, None), next(values, None)) != ("ooTextFile", "TextGrid"):
        raise FormatFault("is no TextGrid in Praat's text form")
    _number(values), _number(values)  # the grid's own extent
    if next(values, None) != "<exists>":
        return []
    tiers = []
    for _ in range(_count(values)):
        kind, name = next(values, None), next(values, None)
        _number(values), _number(values)
        items = _count(values)
        if kind == "TextTier":
            for _ in range(items):
                _number(values), _label(values)
            continue
        if kind != "IntervalTier":
            raise FormatFault(f"has a tier of the unknown kind {kind!r}")
        intervals = tuple((_number(values), _number(values), _label(values)) for _ in range(items))
        tiers.append(Tier(str(name), intervals))
    return tiers


def words_tier(tiers: list[Tier]) -> Tier:
    """The tier that holds words: by its name, or the only one there is."""
    named = [tier for tier in tiers if _tier_name(tier) in _WORD_TIERS]
    if len(named) == 1:
        return named[0]
    if len(named) > 1:
        raise FormatFault(f"has {len(named)} tiers of words, and it is unclear whose count")
    others = [tier for tier in tiers if _tier_name(tier) not in _OTHER_TIERS]
    if len(others) == 1:
        return others[0]
    names = ", ".join(repr(tier.name) for tier in tiers) or "none"
    raise FormatFault(f"has no tier named words (its tiers: {names})")


def _tier_name(tier: Tier) -> str:
    # The Montreal Forced Aligner names tiers "speaker - words".
    return tier.name.rpartition(" - ")[2].strip().lower()


def _values(text: str) -> Iterator[str | float]:
    for found in _TOKEN.finditer(text):
        if found["text"] is not None:
            yield found["text"].replace('""', '"')
        elif found["number"] is not None:
            yield float(found["number"])
        elif found["flag"] is not None:
            yield found["flag"]


def _number(values: Iterator[str | float]) -> float:
    value = next(values, None)
    if not isinstance(value, float):
        raise FormatFault(f"has {value!r} where a time should be")
    return value


def _count(values: Iterator[str | float]) -> int:
    value = _number(values)
    if not 0 <= value <= _MOST_ITEMS or value != int(value):
        raise FormatFault(f"has the impossible count {value:g}")
    return int(value)


def _label(values: Iterator[str | float]) -> str:
    value = next(values, None)
    if not isinstance(value, str):
        raise FormatFault(f"has {value!r} where a label should be")
    return value
