"""Linear discriminant analysis: the directions in which speakers differ most from themselves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import eigh

from pseudovoice.backends.backend import Floats, as_vectors
from pseudovoice.backends.labelled import (
    Labelled,
    labelled,
    moments,
    towards_sphere,
)
from pseudovoice.errors import InputError

SINGULAR = 1e-10
"""A covariance with a ratio of eigenvalues below this is not inverted."""


@dataclass(frozen=True, eq=False)
class Lda:
    """y = (x − mean) projection: k directions, the most discriminating first.

    They solve S_b v = ratio · W v with vᵀ W v = 1 (Fisher 1936; Rao 1948), so that the projected
    within-speaker covariance is the identity. ``shrinkage`` is the share of a sphere in W.
    """

    mean: Floats
    projection: Floats
    ratio: Floats
    shrinkage: float

    def __call__(self, vectors: ArrayLike) -> Floats:
        projected: Floats = (as_vectors(vectors, self.mean.size) - self.mean) @ self.projection
        return projected


def train_lda(
    vectors: ArrayLike,
    speakers: Sequence[str],
    dimension: int | None = None,
    *,
    shrinkage: float | None = None,
) -> Lda:
    """Learn LDA from vectors and their speakers.

    ``dimension`` is at most min(speakers − 1, dimension of the vectors), its default: more
    directions carry no difference between the training speakers. ``shrinkage`` in [0, 1] draws
    the within-speaker covariance towards a sphere; by default nothing where that covariance can
    be inverted, else the amount of :func:`oracle_approximating_shrinkage`.
    """
    return fit_lda(labelled(vectors, speakers), dimension, shrinkage)


def fit_lda(training: Labelled, dimension: int | None, shrinkage: float | None) -> Lda:
    """:func:`train_lda` for a training set that was checked already."""
    k = check_dimension(training, dimension)
    found = moments(training)
    share = check_shrinkage(shrinkage)
    if share is None:
        freedom = training.utterances - training.speakers
        share = (
            oracle_approximating_shrinkage(found.within, freedom)
            if is_singular(found.within)
            else 0.0
        )
    within = towards_sphere(found.within, share)
    if share == 0.0 and is_singular(within):
        raise InputError(
            f"The {training.utterances} training vectors do not span their {training.dimension} "
            "dimensions within speakers; name a larger training corpus or allow shrinkage."
        )
    ratio, directions = eigh(found.of_means, within)
    order = np.argsort(ratio)[::-1][:k]
    return Lda(found.mean, directions[:, order], ratio[order], share)


def check_dimension(training: Labelled, dimension: int | None) -> int:
    """The number of LDA directions, or a sentence if there cannot be so many."""
    most = min(training.speakers - 1, training.dimension)
    if dimension is None:
        return most
    if not 1 <= dimension <= most:
        raise InputError(
            f"LDA to {dimension} dimensions is not possible: {training.speakers} training "
            f"speakers and vectors of {training.dimension} dimensions allow 1 to {most}; ask for "
            "fewer dimensions or name a corpus with more speakers."
        )
    return dimension


def check_shrinkage(shrinkage: float | None) -> float | None:
    """A share in [0, 1], or None for the default."""
    if shrinkage is not None and not 0 <= shrinkage <= 1:
        raise InputError(f"The shrinkage is {shrinkage}; it is a share between 0 and 1.")
    return shrinkage


def is_singular(covariance: Floats) -> bool:
    """Whether a covariance cannot be inverted in double precision."""
    spectrum = np.linalg.eigvalsh(covariance)
    return bool(spectrum[0] <= SINGULAR * spectrum[-1])


def oracle_approximating_shrinkage(covariance: Floats, freedom: int) -> float:
    """The share of a sphere that brings the covariance of Gaussian data closest to the truth.

    Chen, Wiesel, Eldar & Hero (2010), Eq. 23, with n degrees of ``freedom`` and d dimensions:
    min(1, ((1 − 2/d) tr(C²) + tr(C)²) / ((n + 1 − 2/d) (tr(C²) − tr(C)²/d))).
    """
    d = covariance.shape[0]
    square, trace = float((covariance**2).sum()), float(np.trace(covariance))
    spread = square - trace**2 / d
    if spread <= 0:
        return 1.0
    share = ((1 - 2 / d) * square + trace**2) / ((freedom + 1 - 2 / d) * spread)
    return min(1.0, float(share))
