"""Embeddings with their speakers, and the moments that training starts from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pseudovoice.backends.backend import Floats, as_vectors, model_sums
from pseudovoice.errors import InputError
from pseudovoice.scores.scoreset import Codes


@dataclass(frozen=True, eq=False)
class Labelled:
    """A training set: a vector per utterance and the number of its speaker, from 0 without gaps."""

    vectors: Floats
    speaker_of: Codes

    @property
    def dimension(self) -> int:
        return int(self.vectors.shape[1])

    @property
    def utterances(self) -> int:
        return int(self.vectors.shape[0])

    @property
    def speakers(self) -> int:
        return int(self.counts.size)

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """Utterances of each speaker."""
        return np.bincount(self.speaker_of)

    @cached_property
    def sums(self) -> Floats:
        """Sum of the vectors of each speaker."""
        return model_sums(self.vectors, self.speaker_of, self.speakers)

    def map(self, transform: Callable[[Floats], Floats]) -> Labelled:
        """The same utterances seen through a transform."""
        return Labelled(transform(self.vectors), self.speaker_of)

    def of_speakers(self, chosen: NDArray[np.bool_]) -> Labelled:
        """The utterances of some of the speakers."""
        keep = chosen[self.speaker_of]
        rank = (np.cumsum(chosen) - 1).astype(np.int32)
        return Labelled(self.vectors[keep], rank[self.speaker_of[keep]])


@dataclass(frozen=True, eq=False)
class Moments:
    """What one look at a training set tells about its two covariances (analysis of variance).

    ``within`` = Σ (x − own speaker's mean)² / (N − S) estimates W. ``of_means`` is the spread of
    the speakers' means; it estimates B + W/n₀ with ``per_speaker`` n₀ = (N − Σ nᵢ²/N) / (S − 1),
    the effective number of utterances per speaker (Searle, Casella & McCulloch 1992, §3.6).
    """

    mean: Floats
    within: Floats
    of_means: Floats
    per_speaker: float

    @property
    def between(self) -> Floats:
        """The unbiased estimate of B; it may have negative eigenvalues."""
        estimate: Floats = self.of_means - self.within / self.per_speaker
        return estimate

    @property
    def total(self) -> Floats:
        """The estimate of B + W."""
        covariance: Floats = self.between + self.within
        return covariance


def labelled(vectors: ArrayLike, speakers: Sequence[str]) -> Labelled:
    """A training set that two covariances can be learnt from, or the sentence why it is none."""
    array = as_vectors(vectors)
    if array.shape[0] != len(speakers):
        raise InputError(
            f"There are {array.shape[0]} training vectors but {len(speakers)} speaker labels; "
            "each vector needs one."
        )
    _, code = np.unique(np.asarray(speakers, dtype=object).astype(str), return_inverse=True)
    training = Labelled(array, code.astype(np.int32))
    several = int((training.counts >= 2).sum())
    if several < 2:
        raise InputError(
            f"Only {several} of the {training.speakers} training speakers have two or more "
            "utterances; at least two such speakers are needed to tell how a voice varies: "
            "name a larger training corpus."
        )
    if not (array != array[0]).any():
        raise InputError("All training vectors are the same; check the embeddings.")
    own_mean = training.sums / training.counts[:, None]
    if np.allclose(array, own_mean[training.speaker_of], rtol=1e-12, atol=0):
        raise InputError(
            "All utterances of each training speaker have the same vector, so nothing tells how "
            "a voice varies; check that the utterances differ."
        )
    return training


def moments(training: Labelled) -> Moments:
    """Mean, within-speaker covariance and covariance of the speakers' means."""
    n, utterances, speakers = training.counts, training.utterances, training.speakers
    mean = training.vectors.mean(axis=0)
    centred = training.vectors - mean
    offset = training.sums / n[:, None] - mean
    between = (offset * n[:, None]).T @ offset
    within = (centred.T @ centred - between) / (utterances - speakers)
    per_speaker = float((utterances - (n.astype(float) ** 2).sum() / utterances) / (speakers - 1))
    return Moments(mean, within, between / ((speakers - 1) * per_speaker), per_speaker)


def towards_sphere(covariance: Floats, share: float) -> Floats:
    """(1 − λ) C + λ tr(C)/d · I: a covariance drawn towards the sphere of the same trace."""
    d = covariance.shape[0]
    shrunk: Floats = (1 - share) * covariance
    shrunk[np.diag_indices(d)] += share * np.trace(covariance) / d
    return shrunk
