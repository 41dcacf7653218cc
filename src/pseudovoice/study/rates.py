"""How long work takes, for a dry run.

Processor seconds per second of speech on one core of the machine of docs/results/benchmarks.md;
only a rough guide elsewhere, hence "about".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pseudovoice.corpus import Corpus
from pseudovoice.safeguards import Chain
from pseudovoice.study.hours import hours_of as _hours_of
from pseudovoice.training.recipe import Recipe

PROTECT = {"mcadams": 0.004, "mcadams-random": 0.004, "persona": 0.1, "xvector": 0.08}
PROTECT_OTHER = 0.1
SEARCH_PER_SPEAKER = 24.0
EMBED = {"resnet34-lm": 0.05, "resnet34": 0.05, "resnet34-lm-hub": 0.05, "ecapa": 0.062}
EMBED |= {"ge2e": 0.0065, "prosody": 0.02}
EMBED_OTHER = 0.06
MEASURE = {"words": 0.4, "quality": 0.25, "prosody": 0.01}
ASSESS_PER_SPEAKER, MOST_ASSESS = 0.1, 4.0
"""Seconds of one attacker, recogniser and group at 400 replicates and as many permutations: they
grow with the speakers until their scores are rounded."""
LEARN_PER_PIECE = 0.25
"""Seconds of one core for a piece of speech in one epoch of an ear's training."""
ALIGN, LISTEN = 0.03, 0.08
JOIN_PER_UTTERANCE = 0.05
LEARN_PER_MEGABYTE = 3.0
"""Of slices: seconds per second of speech to find its words and to listen to it, and seconds per
utterance of a sample that is put together, and per million letters of a language model."""


@lru_cache(maxsize=64)
def hours_of(corpus: Corpus) -> float:
    """Hours of speech; headers are read once a corpus."""
    return _hours_of(corpus)


def protecting(corpus: Corpus, chain: Chain, workers: int, per_second: float = 0.0) -> float:
    """Seconds to protect a corpus, and to do what takes ``per_second`` besides."""
    rate = per_second + sum(PROTECT.get(link.name, PROTECT_OTHER) for link in chain.links)
    seconds = hours_of(corpus) * 3600 * rate / workers
    if any(link.name == "persona" and link.level == "speaker" for link in chain.links):
        seconds += SEARCH_PER_SPEAKER * len(corpus.speakers) / workers
    return seconds


def embedding(hours: float, encoders: Sequence[str], workers: int) -> float:
    """Seconds to embed so many hours with every encoder."""
    return sum(embed_rate(name) for name in encoders) * hours * 3600 / workers


def learning(speakers: int, recipe: Recipe, workers: int) -> float:
    """Seconds to train an ear on so many speakers."""
    return LEARN_PER_PIECE * speakers * recipe.crops * recipe.epochs / workers


def embed_rate(name: str) -> float:
    parts = name.removeprefix("fusion:").split("+")
    return sum(EMBED.get(part, EMBED_OTHER) for part in parts)


def assessing(speakers: int) -> float:
    """Seconds of one assessment at 400 replicates and as many permutations."""
    return min(ASSESS_PER_SPEAKER * speakers, MOST_ASSESS)
