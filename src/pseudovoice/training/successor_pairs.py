"""Pairs of slices for training: half successive, a quarter of one speaker, a quarter of two.

The edges of all slices are kept in memory, some 25 kB a slice; joined features are made batch by
batch. Speakers are held out by name, as for encoders, to choose the best epoch on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pseudovoice.corpus import AudioError, Corpus, Utterance, load
from pseudovoice.engines import in_threads
from pseudovoice.errors import InputError, Problem
from pseudovoice.progress import Progress
from pseudovoice.reassembly.fusion import balanced_pairs
from pseudovoice.reassembly.joined import MELS, RATE, Complex64, Edges, across, edges
from pseudovoice.reassembly.succession import Succession, succession
from pseudovoice.signal.frames import Float32
from pseudovoice.slicing import Origin
from pseudovoice.training.draws import generator
from pseudovoice.training.successor_recipe import SuccessorRecipe

Int64 = NDArray[np.int64]
Float16 = NDArray[np.float16]

FEWEST_SPEAKERS = 4
HELD_OUT_SHARE = 0.1
FEWEST_HELD_OUT = 2

# Natural logarithms of energy: ±13 dB of level, and bumps of a microphone of some 3 dB.
_LEVEL, _COLOUR = 3.0, 0.7
_BUMPS = 5


@dataclass(frozen=True)
class TrainingSlices:
    """The edges of slices whose order is known, one row each, and that order.

    ``speakers`` are the names behind the numbers in ``truth.speaker``.
    """

    truth: Succession
    speakers: tuple[str, ...]
    before: Float16
    after: Float16
    ending: Complex64
    beginning: Complex64

    @property
    def fingerprint(self) -> str:
        """Another set of slices must not go on from this one's checkpoint."""
        digest = hashlib.sha256()
        truth = self.truth
        for array in (truth.successor, truth.speaker, self.before, self.after, self.beginning):
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def joined(self, first: Int64, second: Int64) -> Float32:
        """Features [n, 102, 40] of pairs."""
        middle = across(self.ending[first], self.beginning[second])
        left, right = self.before[first], self.after[second]
        return np.concatenate([left, middle, right], axis=1, dtype=np.float32)

    def of_speakers(self, kept: Int64) -> TrainingSlices:
        truth, at = self.truth.of_utterances(
            np.unique(self.truth.utterance[np.isin(self.truth.speaker, kept)])
        )
        return TrainingSlices(
            truth,
            self.speakers,
            self.before[at],
            self.after[at],
            self.ending[at],
            self.beginning[at],
        )


@dataclass(frozen=True)
class Pairs:
    """Features of a batch of pairs, and 1 for the successive ones."""

    features: Float32
    labels: NDArray[np.float32]


def read_slices(
    corpus: Corpus,
    origins: Sequence[Origin],
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> tuple[TrainingSlices, list[Problem]]:
    """The slices that can be heard and stand in the table, and what is wrong with others."""
    rows = [origin for origin in origins if origin.slice in corpus.by_id]
    if len(rows) < len(corpus) or not rows:
        raise InputError(
            f"{corpus.root}: the table knows {len(rows):,} of its {len(corpus):,} slices; "
            "name the table that was written with them."
        )

    def hear(utterance: Utterance) -> Edges | Problem:
        try:
            return edges(load(utterance, sample_rate=RATE, min_duration=0.0, refuse_silence=False))
        except AudioError as error:
            return error.problem

    found: dict[str, Edges] = {}
    problems: dict[str, Problem] = {}
    for utterance, result in in_threads(hear, corpus, workers):
        if isinstance(result, Problem):
            problems[utterance.id] = result
        else:
            found[utterance.id] = result
        if progress is not None:
            progress("features", len(found) + len(problems), len(corpus))
    # By place: what is drawn must not depend on the keyed names, nor on the order of the table.
    rows = sorted(
        (row for row in rows if row.slice in found),
        key=lambda row: (row.speaker, row.utterance, row.position),
    )
    if not rows:
        first = next(iter(problems.values()))
        raise InputError(f"{corpus.root}: no slice can be heard; the first reason: {first}")
    heard = [found[row.slice] for row in rows]
    slices = TrainingSlices(
        succession(rows),
        tuple(dict.fromkeys(row.speaker for row in rows)),
        np.stack([piece.before for piece in heard]).astype(np.float16),
        np.stack([piece.after for piece in heard]).astype(np.float16),
        np.stack([piece.ending for piece in heard]),
        np.stack([piece.beginning for piece in heard]),
    )
    return slices, [problems[u.id] for u in corpus if u.id in problems]


def split_slices(slices: TrainingSlices, corpus: str) -> tuple[TrainingSlices, TrainingSlices]:
    """Training slices, and those of a tenth of the speakers who have successive ones."""
    able = np.unique(slices.truth.speaker[slices.truth.queries])
    if able.size < FEWEST_SPEAKERS:
        raise InputError(
            f"{corpus}: {able.size} speaker(s) have an utterance of several slices; training needs "
            f"{FEWEST_SPEAKERS} at least, two of them to be held out."
        )
    count = max(FEWEST_HELD_OUT, round(HELD_OUT_SHARE * able.size))
    # By name alone, so that a protected copy of the same corpus holds out the same people.
    order = sorted(able, key=lambda k: _rank(slices.speakers[k]))
    out = np.array(order[:count], np.int64)
    rest = np.setdiff1d(np.unique(slices.truth.speaker), out)
    return slices.of_speakers(rest), slices.of_speakers(out)


def _rank(name: str) -> float:
    return float(generator(0, "held out", "speaker", name).random())


@dataclass(frozen=True)
class PairSet:
    """The training slices, and how pairs are drawn from them."""

    slices: TrainingSlices
    recipe: SuccessorRecipe

    @property
    def steps(self) -> int:
        """Batches of an epoch."""
        return -(-2 * self.slices.truth.queries.size // self.recipe.batch)

    def batches(self, epoch: int) -> Iterator[Pairs]:
        """The batches of one epoch, a function of the recipe's seed and ``epoch`` alone."""
        rng = generator(self.recipe.seed, "pairs", epoch)
        first, second, label = balanced_pairs(self.slices.truth, rng)
        order = rng.permutation(label.size)
        # Parts of nearly equal size: a last batch of one pair would have no variance to norm by.
        edges_ = np.linspace(0, order.size, min(self.steps, order.size // 2) + 1).round()
        for a, b in pairwise(edges_.astype(int)):
            some = order[a:b]
            features = self.slices.joined(first[some], second[some])
            if self.recipe.augment:
                features += _elsewhere(len(some), rng)[:, None]
            yield Pairs(features, label[some].astype(np.float32))


def _elsewhere(pairs: int, rng: np.random.Generator) -> Float32:
    """Another level and another microphone for each pair: what is added to its bands."""
    level = rng.uniform(-_LEVEL, _LEVEL, (pairs, 1))
    at = np.linspace(0, _BUMPS - 1, MELS)
    left = np.minimum(at.astype(int), _BUMPS - 2)
    bumps = rng.normal(0.0, _COLOUR, (pairs, _BUMPS))
    colour = bumps[:, left] * (1 - (at - left)) + bumps[:, left + 1] * (at - left)
    added: Float32 = (level + colour).astype(np.float32)
    return added
