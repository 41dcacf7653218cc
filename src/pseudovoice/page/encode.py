"""The tree of a study as JSON text that is harmless within an HTML page.

Matrices are quantised and identical ones stored once: several safeguards on the same speech share
M_OO. Records of one kind are stored as columns, so that names of fields and repeated words appear
once. That is what keeps a page of 200 speakers small; ``data.js`` undoes both.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from pseudovoice.attacks.registry import attackers
from pseudovoice.page.study import Matrix, Study

FINE, MOST_FINE = 16, 250
"""Bits of a similarity, and the number of speakers above which eight must do."""

DIGITS = 5
"""Significant digits of a number; nobody reads more off a page."""


def study_json(study: Study) -> str:
    """The study as JSON; no character of it can end a script block or begin a tag.

    Text outside ASCII, U+2028 and lone surrogates included, is written in escapes, and so are
    ``<``, ``>`` and ``&``.
    """
    arrays = _Arrays()
    tree = _plain(study, arrays)
    titles = {name: who.title for name, who in attackers().items()}
    whole = {"study": tree, "arrays": arrays.stored, "attackers": titles}
    text = json.dumps(whole, allow_nan=False, ensure_ascii=True)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


class _Arrays:
    """Quantised arrays, each kept once whoever refers to it."""

    def __init__(self) -> None:
        self.stored: list[dict[str, Any]] = []
        self._places: dict[tuple[Any, ...], int] = {}

    def place(self, values: Matrix) -> int:
        bits = FINE if values.shape[0] <= MOST_FINE else 8
        data = quantise(values, bits)
        key = (values.shape, bits, data)
        if key not in self._places:
            self._places[key] = len(self.stored)
            text = base64.b64encode(data).decode("ascii")
            self.stored.append({"shape": list(values.shape), "bits": bits, "data": text})
        return self._places[key]


def quantise(values: Matrix, bits: int) -> bytes:
    """Values of [0, 1] as little-endian integers; the largest integer stands for "no value"."""
    top = 2**bits - 2
    with np.errstate(invalid="ignore"):
        steps = np.round(np.clip(values, 0.0, 1.0) * top)
    whole = np.where(np.isfinite(values), steps, top + 1)
    return bytes(whole.astype("<u2" if bits == 16 else "u1").tobytes())


def _one_kind(values: Sequence[Any]) -> bool:
    """Whether all are records of one class."""
    return is_dataclass(values[0]) and all(type(v) is type(values[0]) for v in values)


def _table(records: Sequence[Any], arrays: _Arrays) -> dict[str, Any]:
    """Records as columns: ``{"of": how many, "columns": {field: column}}``."""
    columns = {
        f.name: _column([getattr(record, f.name) for record in records], arrays)
        for f in fields(records[0])
    }
    return {"of": len(records), "columns": columns}


def _column(values: list[Any], arrays: _Arrays) -> Any:
    """A table of records, words with their places (``words``, ``at``), or plain values."""
    if _one_kind(values):
        return _table(values, arrays)
    if all(isinstance(value, str) for value in values):
        words = list(dict.fromkeys(values))
        if 2 * len(words) <= len(values):
            place = {word: k for k, word in enumerate(words)}
            return {"words": words, "at": [place[value] for value in values]}
    return [_plain(value, arrays) for value in values]


def _plain(value: Any, arrays: _Arrays) -> Any:
    """Anything of the tree as JSON can hold it."""
    if is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name), arrays) for f in fields(value)}
    if isinstance(value, np.ndarray):
        return {"array": arrays.place(value)}
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, dict):
        return {str(name): _plain(inner, arrays) for name, inner in value.items()}
    if isinstance(value, tuple | list):
        if len(value) > 1 and _one_kind(value):
            return _table(value, arrays)
        return [_plain(inner, arrays) for inner in value]
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None
    assert value is None or isinstance(value, bool | int | str), type(value)
    return value
