"""Batches to learn from: utterances of like length together, some of their frames hidden.

What is drawn depends on seed, epoch and utterance alone, so that a resumed run goes on exactly
where it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.asr.ctc.units import Int64, frames_needed
from pseudovoice.errors import InputError
from pseudovoice.signal.frames import Float32
from pseudovoice.training.ctc_features import Spoken
from pseudovoice.training.ctc_recipe import CtcRecipe
from pseudovoice.training.draws import generator

HELD_OUT_SHARE = 0.05
FEWEST = 8
_MEASURED = 400
"""Utterances from which mean and deviation of the frames are taken."""

_JITTER = 0.1
_LONGEST_MASK = 0.1
"""Of an utterance, hidden in one stretch."""


@dataclass(frozen=True)
class CtcSplit:
    """Utterances to learn from, and some of other speakers to choose the best epoch by."""

    training: tuple[Spoken, ...]
    held_out: tuple[Spoken, ...]


@dataclass(frozen=True)
class CtcBatch:
    """Frames [n, T, dimension] with zeros behind shorter ones, and units [n, S] likewise."""

    features: Float32
    frames: Int64
    units: Int64
    lengths: Int64


def split_spoken(spoken: Sequence[Spoken], corpus: str) -> CtcSplit:
    """Hold out whole speakers until they have a twentieth of the utterances.

    Slices have no speakers: each is held out by itself, and its neighbours are not. The choice
    hangs on names alone, not on the seed.
    """
    if len(spoken) < FEWEST:
        raise InputError(
            f"{corpus}: has {len(spoken)} usable transcribed utterance(s), but training needs at "
            f"least {FEWEST}."
        )
    by_speaker: dict[str, list[Spoken]] = {}
    for one in sorted(spoken, key=lambda s: s.id):
        by_speaker.setdefault(one.speaker, []).append(one)
    ranked = sorted(by_speaker, key=lambda name: generator(0, "held out", name).random())
    held: list[Spoken] = []
    # A single speaker cannot be held out from himself.
    while len(held) < HELD_OUT_SHARE * len(spoken) and len(ranked) > 1:
        held += by_speaker.pop(ranked.pop(0))
    if not held:
        own = by_speaker[ranked[0]]
        count = max(1, round(HELD_OUT_SHARE * len(own)))
        held, by_speaker[ranked[0]] = own[:count], own[count:]
    training = tuple(one for name in sorted(by_speaker) for one in by_speaker[name])
    return CtcSplit(training, tuple(held))


def writable(spoken: Sequence[Spoken], stride: int) -> tuple[list[Spoken], list[Spoken]]:
    """Those whose frames suffice to write their units, and those that were too short."""
    enough: list[Spoken] = []
    short: list[Spoken] = []
    for one in spoken:
        frames = (one.frames - 1) // stride + 1
        (enough if frames >= frames_needed(one.units) else short).append(one)
    return enough, short


class CtcData:
    """What is learnt from: batches of an epoch, and the scale of the frames."""

    def __init__(
        self, training: Sequence[Spoken], recipe: CtcRecipe, frames_per_second: float
    ) -> None:
        self._training = tuple(training)
        self._recipe = recipe
        self._most = max(1, round(recipe.batch * frames_per_second))
        self.mean, self.deviation = _scale(self._training)

    def plan(self, epoch: int) -> list[list[Spoken]]:
        """The utterances of each batch of an epoch."""
        rng = generator(self._recipe.seed, "order", epoch)
        lengths = np.array([one.frames for one in self._training], dtype=np.float64)
        lengths *= rng.uniform(1.0 - _JITTER, 1.0 + _JITTER, lengths.size)
        groups = packed([self._training[k] for k in np.argsort(lengths)], self._most)
        return [groups[k] for k in rng.permutation(len(groups))]

    def batches(self, epoch: int) -> Iterator[CtcBatch]:
        for group in self.plan(epoch):
            batch = batch_of(group)
            for row, one in enumerate(group):
                self._hide(batch.features[row, : one.frames], epoch, one.id)
            yield batch

    def _hide(self, features: Float32, epoch: int, name: str) -> None:
        """Replace some stretches of frames by the mean (SpecAugment's masks in time)."""
        rng = generator(self._recipe.seed, "masks", epoch, name)
        longest = int(_LONGEST_MASK * len(features))
        for _ in range(self._recipe.masks if longest else 0):
            length = int(rng.integers(longest + 1))
            start = int(rng.integers(len(features) - length + 1))
            features[start : start + length] = self.mean


def packed(spoken: Sequence[Spoken], most: int) -> list[list[Spoken]]:
    """Runs of utterances of at most ``most`` frames with padding, but at least one utterance."""
    groups: list[list[Spoken]] = []
    longest = 0
    for one in spoken:
        longest = max(longest, one.frames) if groups else one.frames
        if not groups or longest * (len(groups[-1]) + 1) > most:
            groups.append([])
            longest = one.frames
        groups[-1].append(one)
    return groups


def batch_of(group: Sequence[Spoken]) -> CtcBatch:
    frames = np.array([one.frames for one in group], dtype=np.int64)
    lengths = np.array([one.units.size for one in group], dtype=np.int64)
    parts = [one.features() for one in group]
    features = np.zeros((len(group), int(frames.max()), parts[0].shape[1]), np.float32)
    units = np.zeros((len(group), int(lengths.max())), np.int64)
    for row, (one, part) in enumerate(zip(group, parts, strict=True)):
        features[row, : len(part)] = part
        units[row, : one.units.size] = one.units
    return CtcBatch(features, frames, units, lengths)


def _scale(training: Sequence[Spoken]) -> tuple[Float32, Float32]:
    """Mean and standard deviation of each component, of utterances spread over the corpus."""
    step = max(1, len(training) // _MEASURED)
    some = [np.asarray(one.features(), np.float64) for one in training[::step]]
    total = sum(len(part) for part in some)
    mean: NDArray[np.float64] = sum(part.sum(axis=0) for part in some) / total
    variance = sum(np.square(part - mean).sum(axis=0) for part in some) / total
    deviation = np.sqrt(np.maximum(variance, 1e-10))
    return mean.astype(np.float32), deviation.astype(np.float32)
