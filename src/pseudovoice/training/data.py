"""Batches for training: short random pieces, as many of each speaker as of any other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pseudovoice.signal.frames import Float32
from pseudovoice.training.augment import (
    SPEEDS,
    VARIED,
    add_noise,
    add_voice,
    change_speed,
    mask,
    span,
)
from pseudovoice.training.draws import generator
from pseudovoice.training.features import TrainingRecording
from pseudovoice.training.recipe import Recipe

SHORTEST_PIECE, LONGEST_PIECE = 200, 300
"""Frames: 2 to 3 s. All pieces of a batch have one length, which differs between batches."""


@dataclass(frozen=True)
class Batch:
    """Features [n, time, bands] with each band's mean removed, and the class of each item."""

    features: Float32
    labels: NDArray[np.int64]


@dataclass(frozen=True)
class TrainingSet:
    """The recordings of each speaker, and how pieces are drawn from them."""

    recordings: dict[str, tuple[TrainingRecording, ...]]
    recipe: Recipe

    @cached_property
    def speakers(self) -> tuple[str, ...]:
        return tuple(self.recordings)

    @property
    def classes(self) -> int:
        """A class for every speaker, at every speed where that makes another voice."""
        return len(self.recordings) * (len(SPEEDS) if self._speeds_are_people else 1)

    @property
    def _speeds_are_people(self) -> bool:
        return self.recipe.augment and not self.recipe.voices_vary

    @property
    def steps(self) -> int:
        """Batches of an epoch."""
        return -(-len(self.speakers) * self.recipe.crops // self.recipe.batch)

    def batches(self, epoch: int) -> Iterator[Batch]:
        """The batches of one epoch, a function of the recipe's seed and ``epoch`` alone."""
        seed = self.recipe.seed
        draws = [(k, crop) for k in range(len(self.speakers)) for crop in range(self.recipe.crops)]
        generator(seed, "order", epoch).shuffle(draws)
        # Parts of nearly equal size: a last batch of one piece would have no variance to norm by.
        edges = np.linspace(0, len(draws), self.steps + 1).round().astype(int)
        for step, (a, b) in enumerate(pairwise(edges)):
            length = generator(seed, "length", epoch, step)
            frames = int(length.integers(SHORTEST_PIECE, LONGEST_PIECE + 1))
            items = [self._item(k, crop, epoch, frames) for k, crop in draws[a:b]]
            yield Batch(
                np.stack([features for features, _ in items]),
                np.array([label for _, label in items], np.int64),
            )

    def _item(self, speaker: int, crop: int, epoch: int, frames: int) -> tuple[Float32, int]:
        rng = generator(self.recipe.seed, "piece", epoch, self.speakers[speaker], crop)
        if not self.recipe.augment:
            features = self._piece(speaker, frames, rng)
            return features - features.mean(axis=0), speaker
        speeds = SPEEDS if self._speeds_are_people else VARIED
        which = int(rng.integers(len(speeds)))
        source = self._piece(speaker, span(frames, speeds[which]), rng)
        features = change_speed(source, frames, speeds[which])
        match int(rng.integers(5)):
            case 0:
                features = add_noise(features, rng)
            case 1:
                step = int(rng.integers(1, len(self.speakers)))
                other = self._piece((speaker + step) % len(self.speakers), frames, rng)
                features = add_voice(features, other, rng)
        features = mask(features - features.mean(axis=0), rng)
        return features, speaker * len(SPEEDS) + which if self._speeds_are_people else speaker

    def _piece(self, speaker: int, frames: int, rng: np.random.Generator) -> Float32:
        """A random stretch of a random recording; one that is too short is repeated."""
        own = self.recordings[self.speakers[speaker]]
        mapped = own[int(rng.integers(len(own)))].features()
        start = int(rng.integers(max(1, len(mapped) - frames + 1)))
        piece = np.asarray(mapped[start : start + frames], np.float32)
        if len(piece) < frames:
            piece = np.tile(piece, (-(-frames // len(piece)), 1))[:frames]
        return piece
