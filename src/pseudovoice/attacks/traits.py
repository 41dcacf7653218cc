"""What a corpus tells of its people that an attacker might want to know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from pseudovoice.corpus import Corpus

LEAST_SPEAKERS = 5
"""Of every class: a probe has to meet each of them in people it learns from and in others."""

SEX, AGE = "sex", "age"


@dataclass(frozen=True)
class Trait:
    """One trait: the class of each utterance that has one, by id; ``people`` counts speakers."""

    name: str
    classes: Mapping[str, str]
    people: Mapping[str, int]

    def __str__(self) -> str:
        return ", ".join(f"{kind}: {n}" for kind, n in self.people.items())


def traits_of(corpus: Corpus, ids: Iterable[str]) -> list[Trait]:
    """Every trait with at least two classes of enough speakers; classes of fewer are left out."""
    told: dict[str, dict[str, str]] = {}
    for utterance in (corpus.by_id[name] for name in ids):
        gender = corpus.genders[utterance.speaker]
        if gender is not None:
            told.setdefault(SEX, {})[utterance.id] = gender
        for name, value in utterance.labels:
            told.setdefault(name, {})[utterance.id] = value
    if AGE in told:
        told[AGE] = _halves(told[AGE], corpus)
    found = (_trait(name, classes, corpus) for name, classes in told.items())
    return [trait for trait in found if len(trait.people) > 1]


def _trait(name: str, classes: Mapping[str, str], corpus: Corpus) -> Trait:
    who: dict[str, set[str]] = {}
    for utterance, kind in classes.items():
        who.setdefault(kind, set()).add(corpus.by_id[utterance].speaker)
    people = {k: len(who[k]) for k in sorted(who) if len(who[k]) >= LEAST_SPEAKERS}
    return Trait(name, {u: kind for u, kind in classes.items() if kind in people}, people)


def _halves(ages: dict[str, str], corpus: Corpus) -> dict[str, str]:
    """Ages in years as a younger and an older half of the speakers; words stay as they are."""
    try:
        years = {utterance: float(age) for utterance, age in ages.items()}
    except ValueError:
        return ages
    of_speakers = {corpus.by_id[utterance].speaker: age for utterance, age in years.items()}
    middle = float(np.median(list(of_speakers.values())))
    young, old = f"up to {middle:g}", f"over {middle:g}"
    return {utterance: young if age <= middle else old for utterance, age in years.items()}
