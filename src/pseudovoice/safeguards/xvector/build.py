"""A pool made of corpora: everybody heard a few times, and no name kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.corpus import AudioError, Corpus, Utterance, excerpt, load
from pseudovoice.engines import in_threads
from pseudovoice.errors import InputError, Problem
from pseudovoice.safeguards.hearing import mean_direction
from pseudovoice.safeguards.xvector.contour import statistics
from pseudovoice.safeguards.xvector.frames import RATE, Float32, pitch_of
from pseudovoice.safeguards.xvector.pool import SEXES, Pool

if TYPE_CHECKING:
    from pseudovoice.encoders import Encoder

UTTERANCES = 6
"""Of a person that are heard, spread over what there is."""
SECONDS = 5.0
SHORTEST = 1.0


@dataclass(frozen=True)
class Person:
    """A row of a pool; ``speaker`` names it while the pool is being made."""

    speaker: str
    embedding: Float32
    pitch: float
    spread: float
    sex: str


def people_of(
    corpora: Sequence[Corpus],
    encoder: Encoder,
    workers: int,
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[list[Person], list[Problem]]:
    """Everybody who can be heard, by corpus and name, and what is wrong with the others.

    ``speaker`` is the number of the corpus and the name: equal names in two corpora are two people.
    """
    groups = [
        (f"{n}/{speaker}", group)
        for n, corpus in enumerate(corpora)
        for speaker, group in corpus.speakers.items()
    ]
    found: dict[str, Person | Problem] = {}
    for (speaker, _), result in in_threads(lambda g: _person(*g, encoder), groups, workers):
        found[speaker] = result
        progress(1)
    ordered = [found[speaker] for speaker, _ in groups]
    return (
        [one for one in ordered if isinstance(one, Person)],
        [one for one in ordered if isinstance(one, Problem)],
    )


def pool_of(people: Sequence[Person], told: dict[str, Any]) -> Pool:
    """The pool of these people; ``told`` must name the encoder."""
    if not people:
        raise InputError("There is nobody to make a pool of: no speaker could be heard.")
    return Pool(
        np.stack([p.embedding for p in people]).astype(np.float64),
        np.array([p.pitch for p in people]),
        np.array([p.spread for p in people]),
        np.array([p.sex for p in people], "U1"),
        told,
    )


def _person(speaker: str, utterances: Sequence[Utterance], encoder: Encoder) -> Person | Problem:
    step = max(1, len(utterances) // UTTERANCES)
    rows: list[Float32] = []
    voiced: list[NDArray[np.float64]] = []
    for utterance in utterances[::step]:
        if len(rows) == UTTERANCES:
            break
        try:
            waveform = load(excerpt(utterance, SECONDS), sample_rate=RATE).astype(np.float32)
        except AudioError as error:
            if len(utterances) == 1:
                return error.problem
            continue
        if waveform.size < max(SHORTEST, encoder.shortest_seconds) * RATE:
            continue
        row = encoder.embed([waveform])[0]
        rows.append(row / np.linalg.norm(row))
        f0 = pitch_of(waveform)
        voiced.append(f0[f0 > 0])
    told = statistics(np.concatenate([np.zeros(0), *voiced]))
    if not rows or told is None:
        what = "has no second of speech that can be heard"
        return Problem(speaker.partition("/")[2], what, "this speaker is left out of the pool")
    labels = (u.gender.upper() for u in utterances if u.gender is not None)
    sex = next((label for label in labels if label in SEXES), "")
    return Person(speaker, mean_direction(np.stack(rows)), float(np.exp(told[0])), told[1], sex)
