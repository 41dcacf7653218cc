"""Words in JSON: ours, Gentle's, the Montreal Forced Aligner's, and what recognisers write.

A *word* is an object with the word, its start and its end or duration, and perhaps a confidence,
or a list of word, start, end and perhaps confidence. An *utterance* is a list of words, or an
object that has one (``words``, ``w``, ``segments``, or ``tiers``). A file holds one utterance, a
list of utterances with an id each, or an object of utterances by id; ``.jsonl`` has one utterance
a line.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from pseudovoice.alignment.readers.labels import is_silence
from pseudovoice.alignment.readers.textgrid import FormatFault, Tier, words_tier
from pseudovoice.alignment.word import Word
from pseudovoice.json_tree import json_tree

_WORD = ("word", "text", "label", "t", "alignedWord")
_START = ("start", "begin", "b", "start_time", "xmin")
_END = ("end", "end_time", "xmax")
_DURATION = ("duration", "dur", "d")
_CONFIDENCE = ("confidence", "conf", "probability", "score", "p")
_ID = ("id", "utterance", "utt", "utt_id", "utterance_id")
_HOLDERS = ("words", "w", "segments", "tiers")

Found = Iterator[tuple[str, tuple[Word, ...] | FormatFault]]


def read_json(text: str, stem: str, *, lines: bool) -> Found:
    """Utterances with their words, or what is wrong; ``stem`` is the id of one that has none."""
    if lines:
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                value = _parsed(line, f"line {number} is no JSON")
                yield from _utterances(value, f"{stem}:{number}")
        return
    yield from _utterances(_parsed(text, "is no JSON"), stem)


def _parsed(text: str, fault: str) -> Any:
    try:
        return json_tree(text)
    except ValueError as error:
        raise FormatFault(f"{fault} ({error})") from None


def _utterances(value: Any, stem: str) -> Found:
    if isinstance(value, dict) and any(key in value for key in _HOLDERS):
        yield _name(value) or stem, _words(value)
    elif isinstance(value, list) and value and all(_is_utterance(item) for item in value):
        for number, item in enumerate(value, 1):
            name = _name(item)
            yield (
                (name or f"{stem}[{number}]"),
                (_words(item) if name else FormatFault("has an utterance without an id")),
            )
    elif isinstance(value, list):
        yield stem, _words(value)
    elif isinstance(value, dict) and all(isinstance(v, dict | list) for v in value.values()):
        for name, item in value.items():
            yield name, _words(item)
    else:
        raise FormatFault("holds no words with times")


def _name(item: Mapping[str, Any]) -> str | None:
    name = _first(item, _ID)
    return str(name) if isinstance(name, str | int) else None


def _is_utterance(item: Any) -> bool:
    return isinstance(item, dict) and any(key in item for key in _HOLDERS)


def _words(value: Any) -> tuple[Word, ...] | FormatFault:
    try:
        return tuple(_flat(value))
    except FormatFault as fault:
        return fault
    except RecursionError:
        return FormatFault("has segments within segments without end")


def _flat(value: Any) -> Iterator[Word]:
    if isinstance(value, dict) and isinstance(value.get("tiers"), dict):
        yield from _tiers(value["tiers"])
        return
    if isinstance(value, dict):
        value = next((value[key] for key in _HOLDERS if key in value), None)
    if not isinstance(value, list):
        raise FormatFault("holds no list of words")
    for item in value:
        if isinstance(item, dict) and "words" in item:  # a segment of a recogniser
            yield from _flat(item)
        elif (word := _word(item)) is not None:
            yield word


def _tiers(tiers: Mapping[str, Any]) -> Iterator[Word]:
    read = []
    for name, tier in tiers.items():
        entries = tier.get("entries") if isinstance(tier, dict) else None
        if not isinstance(entries, list):
            raise FormatFault(f"has no entries in its tier {name!r}")
        if all(isinstance(entry, list) and len(entry) == 3 for entry in entries):
            intervals = tuple((_time(s), _time(e), str(label)) for s, e, label in entries)
            read.append(Tier(name, intervals))
    for start, end, label in words_tier(read).intervals:
        if not is_silence(label):
            yield Word(label.strip(), start, end)


def _word(item: Any) -> Word | None:
    if isinstance(item, list) and len(item) in (3, 4) and isinstance(item[0], str):
        label, start, end = item[0], _time(item[1]), _time(item[2])
        confidence = item[3] if len(item) == 4 else None
    elif isinstance(item, dict):
        label = _first(item, _WORD)
        if not isinstance(label, str):
            raise FormatFault("has an entry without a word")
        if is_silence(label):
            return None
        start = _time(_first(item, _START))
        end = _first(item, _END)
        end = start + _time(_first(item, _DURATION)) if end is None else _time(end)
        confidence = _first(item, _CONFIDENCE)
    else:
        raise FormatFault("has an entry that is no word with times")
    if is_silence(label):
        return None
    return Word(label.strip(), start, end, _confidence(confidence))


def _first(item: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((item[name] for name in names if item.get(name) is not None), None)


def _time(value: Any) -> float:
    # Gentle leaves the times of words that it did not find out: the check then names the word.
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise FormatFault(f"has {value!r} where a time should be")
    try:
        return float(value)
    except OverflowError:  # an integer of a thousand digits
        return math.inf


def _confidence(value: Any) -> float | None:
    # A score outside [0, 1] is a likelihood of some kind and says nothing that can be compared.
    usable = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return float(value) if usable else None
