"""Unprotected speech is assessed once: OO is the same for every attacker and every safeguard."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from pseudovoice.assessment.binned_condition import BinnedCondition
from pseudovoice.assessment.condition import Condition, Resampling
from pseudovoice.assessment.listed_condition import ListedCondition
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.scoreset import ScoreSet

MOST = 12
"""Conditions held at a time: encoders × groups of a study, each with all of its scores."""


class Conditions:
    """Makes conditions; one of OO with the same scores and draws is given out again."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, Condition] = OrderedDict()

    def condition(
        self,
        name: str,
        scores: ScoreSet | BinnedScores,
        similarity: str,
        resampling: Resampling | None,
        pairs: Condition | None = None,
    ) -> Condition:
        if name != "oo":
            return condition_of(name, scores, similarity, resampling, pairs)
        key = _content(scores, similarity, resampling, pairs)
        if key not in self._held:
            self._held[key] = condition_of(name, scores, similarity, resampling, pairs)
            if len(self._held) > MOST:
                self._held.popitem(last=False)
        self._held.move_to_end(key)
        return self._held[key]


def condition_of(
    name: str,
    scores: ScoreSet | BinnedScores,
    similarity: str,
    resampling: Resampling | None,
    pairs: Condition | None = None,
) -> Condition:
    """A condition of any kind; ``pairs`` are all pairs of what its listed trials try."""
    if isinstance(scores, BinnedScores):
        return BinnedCondition(name, scores, similarity, resampling)
    if pairs is not None:
        return ListedCondition(name, scores, similarity, resampling, pairs)
    return Condition(name, scores, similarity, resampling)


def _content(*parts: Any) -> str:
    """Hash of everything that records and arrays hold."""
    digest = hashlib.sha256()

    def add(value: Any) -> None:
        if is_dataclass(value):
            for field in fields(value):
                add(getattr(value, field.name))
        elif isinstance(value, np.ndarray):
            digest.update(f"{value.dtype} {value.shape}\0".encode())
            digest.update(np.ascontiguousarray(value).data)
        else:
            digest.update(f"{value!r}\0".encode())

    for part in parts:
        add(part)
    return digest.hexdigest()
