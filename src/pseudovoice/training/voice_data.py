"""Batches for a voice: stretches of speech, each with the place of whoever speaks it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pseudovoice.safeguards.xvector.frames import RATE, SHARED, SPOKEN, STEP, Float32, Float64
from pseudovoice.safeguards.xvector.neural_voice import TOLD, About
from pseudovoice.training.draws import generator
from pseudovoice.training.voice_features import Parts, Taken
from pseudovoice.training.voice_recipe import VoiceRecipe

CONVERTED = 3
"""Every so many stretches of a batch, one is said in another voice, too."""
JUDGED = 96
"""Stretches of the held-out speech that every epoch is judged on."""


@dataclass(frozen=True)
class VoiceBatch:
    """Content, prosody and target in, what was spoken out; ``weight`` is 0 behind an end.

    ``again``: content of another copy of the same speech. ``other_told`` and ``other_target``:
    the melody and the place of somebody else for the first few. ``speaker``: who it is, by the
    order of the places.
    """

    content: Float32
    again: Float32
    told: Float32
    target: Float32
    other_told: Float32
    other_target: Float32
    spoken: Float32
    weight: Float32
    speaker: NDArray[np.int64]


@dataclass(frozen=True)
class Scale:
    """Mean and deviation of content and of what is spoken."""

    content_mean: Float64
    content_deviation: Float64
    mean: Float32
    deviation: Float32


def scale_of(taken: Sequence[Taken]) -> Scale:
    """From utterances spread over all."""
    some = [one.parts() for one in taken[:: max(1, len(taken) // 300)]]
    content = np.concatenate([parts.content[0] for parts in some]).astype(np.float64)
    spoken = np.concatenate([parts.spoken for parts in some]).astype(np.float64)
    return Scale(
        content.mean(axis=0),
        content.std(axis=0),
        spoken.mean(axis=0).astype(np.float32),
        spoken.std(axis=0).astype(np.float32),
    )


@dataclass(frozen=True)
class VoiceData:
    """Utterances in memory, and the place and the height (log F0 as told) of each speaker."""

    taken: Sequence[Taken]
    places: Mapping[str, Float64]
    heights: Mapping[str, float]
    about: About
    scale: Scale
    recipe: VoiceRecipe

    @cached_property
    def _parts(self) -> list[Parts]:
        def normalised(parts: Parts) -> Parts:
            copies = (self.about.normalised(c.astype(np.float32)) for c in parts.content)
            return Parts(tuple(c.astype(np.float16) for c in copies), parts.told, parts.spoken)

        return [normalised(one.parts()) for one in self.taken]

    @cached_property
    def _names(self) -> list[str]:
        return list(self.places)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {speaker: number for number, speaker in enumerate(self.places)}

    @cached_property
    def _shares(self) -> Float64:
        """How probable each utterance is: speakers count by the root of what there is of them."""
        of_speaker: dict[str, float] = {}
        for one in self.taken:
            of_speaker[one.speaker] = of_speaker.get(one.speaker, 0.0) + one.steps
        shares = np.array([one.steps / of_speaker[one.speaker] ** 0.5 for one in self.taken])
        normed: Float64 = shares / shares.sum()
        return normed

    def batches(self, epoch: int) -> Iterator[VoiceBatch]:
        for step in range(self.recipe.steps):
            rng = generator(self.recipe.seed, "batch", epoch, step)
            chosen = rng.choice(len(self.taken), self.recipe.batch, p=self._shares)
            yield self._batch(chosen, rng, self.recipe.blur)

    def judged(self) -> Iterator[VoiceBatch]:
        """The same stretches every time, with targets as they are."""
        rng = generator(0, "judged")
        chosen = rng.choice(len(self.taken), JUDGED, p=self._shares)
        for part in np.array_split(chosen, max(1, JUDGED // self.recipe.batch)):
            yield self._batch(part, rng, 0.0)

    def _batch(self, chosen: NDArray[np.intp], rng: np.random.Generator, blur: float) -> VoiceBatch:
        length = max(4, round(self.recipe.seconds * RATE / STEP))
        count, content = len(chosen), self.scale.content_mean.size
        dimensions = len(self.about.space.axes)
        others = max(1, count // CONVERTED)
        batch = VoiceBatch(
            np.zeros((count, length, content), np.float32),
            np.zeros((count, length, content), np.float32),
            np.zeros((count, SHARED * length, TOLD), np.float32),
            np.zeros((count, dimensions), np.float32),
            np.zeros((others, SHARED * length, TOLD), np.float32),
            np.zeros((others, dimensions), np.float32),
            np.zeros((count, SHARED * length, SPOKEN), np.float32),
            np.zeros((count, SHARED * length), np.float32),
            np.array([self._numbers[self.taken[k].speaker] for k in chosen]),
        )
        for row, k in enumerate(chosen):
            parts = self._parts[k]
            copy, again = (parts.content[c] for c in rng.choice(len(parts.content), 2, False))
            size = min(length, len(copy))
            first = int(rng.integers(len(copy) - size + 1))
            fine = slice(SHARED * first, SHARED * (first + size))
            batch.content[row, :size] = copy[first : first + size]
            batch.again[row, :size] = again[first : first + size]
            batch.told[row, : SHARED * size] = parts.told[fine]
            spoken = parts.spoken[fine].astype(np.float32)
            batch.spoken[row, : SHARED * size] = (spoken - self.scale.mean) / self.scale.deviation
            batch.weight[row, : SHARED * size] = 1.0
            speaker = self.taken[k].speaker
            place = self.places[speaker]
            batch.target[row] = place + blur * rng.standard_normal(dimensions)
            if row < others:
                other = self._names[rng.integers(len(self._names))]
                place = self.places[other] + blur * rng.standard_normal(dimensions)
                batch.other_target[row] = place
                told = batch.told[row].copy()
                told[:, 0] += told[:, 1] * (self.heights[other] - self.heights[speaker])
                batch.other_told[row] = told
        return batch
