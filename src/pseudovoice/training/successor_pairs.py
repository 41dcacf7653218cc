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
from pseudovoice.reassembly.joined import AROUND, MELS, RATE, Complex64, Edges, across, edges
from pseudovoice.reassembly.speech_successor import CONTEXT
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

    ``speakers`` are the names behind the numbers in ``truth.speaker``. ``before`` and ``after``
    have as many frames of each slice as the network hears.
    """

    truth: Succession
    speakers: tuple[str, ...]
    before: tuple[Float16, ...]
    after: tuple[Float16, ...]
    ending: Complex64
    beginning: Complex64

    @property
    def fingerprint(self) -> str:
        """Another set of slices must not go on from this one's checkpoint."""
        digest = hashlib.sha256()
        truth = self.truth
        arrays = (truth.successor, truth.speaker, *self.before, *self.after, self.beginning)
        for array in arrays:
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()

    def frames(self, first: Int64, second: Int64) -> tuple[Int64, Int64]:
        """How many frames there are of the slices of pairs before the cut, and after it."""
        return (
            np.array([len(self.before[k]) for k in first]),
            np.array([len(self.after[k]) for k in second]),
        )

    def joined(self, first: Int64, second: Int64) -> Float32:
        """Features [n, time, 40] of pairs: as much of all as there is of the shortest."""
        middle = across(self.ending[first], self.beginning[second])
        left, right = (int(side.min()) for side in self.frames(first, second))
        before = np.stack([self.before[k][-left:] for k in first])
        after = np.stack([self.after[k][:right] for k in second])
        return np.concatenate([before, middle, after], axis=1, dtype=np.float32)

    def edges(self) -> list[Edges]:
        """The same as whoever runs the network takes them."""
        sides = zip(self.before, self.after, self.ending, self.beginning, strict=True)
        return [Edges(a.astype(np.float32), b.astype(np.float32), c, d) for a, b, c, d in sides]

    def of_utterances(self, kept: Int64) -> TrainingSlices:
        truth, at = self.truth.of_utterances(kept)
        return TrainingSlices(
            truth,
            self.speakers,
            tuple(self.before[k] for k in at),
            tuple(self.after[k] for k in at),
            self.ending[at],
            self.beginning[at],
        )

    def of_speakers(self, kept: Int64) -> TrainingSlices:
        mine = np.isin(self.truth.speaker, kept)
        return self.of_utterances(np.unique(self.truth.utterance[mine]))


@dataclass(frozen=True)
class Pairs:
    """Features of a batch of pairs, and 1 for the successive ones."""

    features: Float32
    labels: NDArray[np.float32]


def read_slices(
    corpus: Corpus,
    origins: Sequence[Origin],
    *,
    around: int | None = AROUND,
    workers: int | None = None,
    progress: Progress | None = None,
) -> tuple[TrainingSlices, list[Problem]]:
    """The slices that can be heard and stand in the table, and what is wrong with others.

    ``around`` is how many frames on either side of a cut the network hears, None for all.
    """
    rows = [origin for origin in origins if origin.slice in corpus.by_id]
    if len(rows) < len(corpus) or not rows:
        raise InputError(
            f"{corpus.root}: the table knows {len(rows):,} of its {len(corpus):,} slices; "
            "name the table that was written with them."
        )

    def hear(utterance: Utterance) -> Edges | Problem:
        try:
            samples = load(utterance, sample_rate=RATE, min_duration=0.0, refuse_silence=False)
            return edges(samples).within(around, CONTEXT)
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
        tuple(piece.before.astype(np.float16) for piece in heard),
        tuple(piece.after.astype(np.float16) for piece in heard),
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
        lengths = np.sum(self.slices.frames(first, second), axis=0)
        # Parts of nearly equal size: a last batch of one pair would have no variance to norm by.
        bounds = np.linspace(0, order.size, min(self.steps, order.size // 2) + 1).round()
        parts = list(pairwise(bounds.astype(int)))
        if np.ptp(lengths):
            # Pairs about as long as each other, so that little is left out of any.
            order = order[np.argsort(lengths[order], kind="stable")]
            parts = [parts[k] for k in rng.permutation(len(parts))]
        for a, b in parts:
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
