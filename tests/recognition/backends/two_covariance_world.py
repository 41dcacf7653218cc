"""Embeddings drawn from a two-covariance model whose truth is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.backends.two_covariance import TwoCovariance

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class World:
    """A true model and the vectors, speakers and speaker means drawn from it."""

    truth: TwoCovariance
    vectors: Floats
    speakers: list[str]


def covariance(rng: np.random.Generator, d: int, *, decay: float = 1.0) -> Floats:
    """A random covariance; with ``decay`` its spectrum falls like k ** -decay."""
    axes, _ = np.linalg.qr(rng.standard_normal((d, d)))
    return (axes * np.arange(1, d + 1) ** -decay) @ axes.T


def world(
    seed: int,
    counts: list[int],
    d: int,
    *,
    loudness: float = 1.0,
    decay: float = 1.0,
    names: str = "s",
    truth: TwoCovariance | None = None,
) -> World:
    """Speakers with ``counts`` utterances each; ``loudness`` scales what varies within them."""
    rng = np.random.default_rng(seed)
    if truth is None:
        truth = TwoCovariance(
            rng.standard_normal(d),
            covariance(rng, d, decay=decay),
            loudness * covariance(rng, d, decay=decay),
        )
    y = rng.multivariate_normal(np.zeros(d), truth.between, len(counts))
    speaker = np.repeat(np.arange(len(counts)), counts)
    e = rng.multivariate_normal(np.zeros(d), truth.within, speaker.size)
    return World(truth, truth.mean + y[speaker] + e, [f"{names}{k:05d}" for k in speaker])


def equal_error_rate(mated: Floats, nonmated: Floats) -> float:
    """EER in percent, by counting."""
    score = np.concatenate([mated, nonmated])
    is_mated = np.repeat([1.0, 0.0], [mated.size, nonmated.size])[np.argsort(score, kind="stable")]
    miss = np.cumsum(is_mated) / mated.size
    false_alarm = 1 - np.cumsum(1 - is_mated) / nonmated.size
    k = int(np.argmin(np.abs(miss - false_alarm)))
    return float(50 * (miss[k] + false_alarm[k]))


def pairwise_eer(score: Floats, speakers: list[str]) -> float:
    """EER of a square score matrix over all pairs k < l."""
    above = np.triu_indices(len(speakers), 1)
    names = np.array(speakers)
    mated = (names[:, None] == names)[above]
    return equal_error_rate(score[above][mated], score[above][~mated])
