"""How long work takes, for a dry run.

Processor seconds per second of speech on one core of the machine of docs/results/benchmarks.md,
times how much slower this one is (:func:`slowness`). What else runs on it nobody can foretell,
hence "about".
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache, lru_cache
from time import perf_counter

import numpy as np
from threadpoolctl import threadpool_limits

from pseudovoice.corpus import Corpus
from pseudovoice.safeguards import Chain
from pseudovoice.safeguards.hearing import SECONDS
from pseudovoice.safeguards.persona.safeguard import Persona
from pseudovoice.safeguards.persona.search import SPOKEN
from pseudovoice.study.hours import seconds_of_each
from pseudovoice.training.recipe import Recipe
from pseudovoice.utility.dnsmos import seconds_rated

PROTECT = {"mcadams": 0.004, "mcadams-random": 0.004, "persona": 0.1, "xvector": 0.08}
PROTECT_OTHER = 0.1
TRY = 0.015
"""Of a second that a candidate of persona speaks, before its judges hear it."""
EMBED = {"resnet34-lm": 0.027, "resnet34": 0.027, "resnet34-lm-hub": 0.027, "ecapa": 0.062}
EMBED |= {"ge2e": 0.0065, "prosody": 0.02}
EMBED_OTHER = 0.06
WORDS = {"moonshine-base": (0.0, 0.055), "whisper-base": (1.1, 0.04), "whisper-small": (3.2, 0.13)}
WORDS_OTHER = (0.0, 0.3)
"""Of an utterance, and of a second of it."""
LANGUAGE = 1.2
"""To hear which one a person speaks."""
QUALITY, PROSODY, DIARISATION = 0.027, 0.02, 0.1
_SIZE, _TRIES, _REFERENCE = 512, 20, 0.0027
"""A product of two matrices of that size in floats, and its seconds on the machine of the rates."""
ASSESS_PER_SPEAKER, MOST_ASSESS = 0.1, 4.0
"""Seconds of one attacker, recogniser and group at 400 replicates and as many permutations: they
grow with the speakers until their scores are rounded."""
LEARN_PER_PIECE = {"ecapa": 0.25, "xvector": 0.05}
"""Seconds of one core for a piece of speech in one epoch of an ear's training, by its network."""
RECOGNISER_EPOCH = 0.02
"""Seconds of one core for a second of speech in one epoch of a recogniser's training."""
ALIGN, LISTEN, CHECK_WORDS = 0.03, 0.08, 0.3
JOIN_PER_UTTERANCE = 0.05
JOIN_PER_PAIR_AND_MEGABYTE = 8e-5
LEARN_PER_MEGABYTE = 3.0
"""Of slices: seconds per second of speech to find its words, to listen to it and to hear whether
these are its words, and seconds per utterance of a sample that is put together, per pair and
megabyte of a network, and per million letters of a language model."""


@lru_cache(maxsize=64)
def lengths_of(corpus: Corpus) -> tuple[float, ...]:
    """Seconds of each utterance; headers are read once a corpus."""
    return tuple(seconds_of_each(corpus).values())


def hours_of(corpus: Corpus) -> float:
    return sum(lengths_of(corpus)) / 3600.0


@cache
def slowness() -> float:
    """How many times longer than on the machine of the rates something takes on this one.

    The best of many short tries: whatever else runs at the moment is not the machine.
    """
    a = np.random.default_rng(0).standard_normal((_SIZE, _SIZE)).astype(np.float32)
    spent = []
    with threadpool_limits(1):
        for _ in range(_TRIES):
            begun = perf_counter()
            a @ a
            spent.append(perf_counter() - begun)
    return min(spent) / _REFERENCE


def protecting(corpus: Corpus, chain: Chain, workers: int, per_second: float = 0.0) -> float:
    """Seconds to protect a corpus, and to do what takes ``per_second`` besides."""
    rate = per_second + sum(PROTECT.get(link.name, PROTECT_OTHER) for link in chain.links)
    seconds = hours_of(corpus) * 3600 * rate / workers
    for link in chain.links:
        if isinstance(link, Persona) and link.level == "speaker" and link.candidates > 1:
            seconds += _searching(link) * len(corpus.speakers) / workers
    return seconds


def _searching(persona: Persona) -> float:
    """Seconds to find one person's voice."""
    heard = SPOKEN * SECONDS * persona.candidates
    return heard * (TRY + sum(map(embed_rate, persona.encoders.split("/"))))


def embedding(hours: float, encoders: Sequence[str], workers: int) -> float:
    """Seconds to embed so many hours with every encoder."""
    return sum(embed_rate(name) for name in encoders) * hours * 3600 / workers


def measuring(
    corpus: Corpus,
    share: float,
    measures: Collection[str],
    recogniser: str,
    *,
    first: bool,
    workers: int,
) -> float:
    """Seconds to measure a share of a corpus; the originals only the ``first`` time."""
    spoken = np.array(lengths_of(corpus))
    seconds, sides = share * float(spoken.sum()), 1 + first
    spent = 0.0
    if "words" in measures:
        utterance, second = WORDS.get(recogniser, WORDS_OTHER)
        spent += (share * spoken.size * utterance + seconds * second) * sides
        spent += first * len(corpus.speakers) * LANGUAGE
    if "quality" in measures:
        spent += share * sum(map(seconds_rated, spoken)) * QUALITY * sides
    if "prosody" in measures:
        spent += seconds * PROSODY
    if "diarisation" in measures:
        spent += seconds * DIARISATION * sides
    return spent / workers


def learning(speakers: int, recipe: Recipe, workers: int) -> float:
    """Seconds to train an ear on so many speakers."""
    return LEARN_PER_PIECE[recipe.model] * speakers * recipe.crops * recipe.epochs / workers


def embed_rate(name: str) -> float:
    parts = name.removeprefix("fusion:").split("+")
    return sum(EMBED.get(part, EMBED_OTHER) for part in parts)


WRITE = 10.0
"""Seconds for tables, figures and page, whatever they are of."""


def assessing(speakers: int) -> float:
    """Seconds of one assessment at 400 replicates and as many permutations."""
    return min(ASSESS_PER_SPEAKER * speakers, MOST_ASSESS)
