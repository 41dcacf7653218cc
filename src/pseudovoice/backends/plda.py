"""PLDA: log-likelihood-ratios of the two-covariance model after centring, LDA and length norm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pseudovoice.backends.backend import (
    Arrays,
    Floats,
    LinearForm,
    as_vectors,
    fingerprint_of,
    read_array,
)
from pseudovoice.backends.em import fit_em
from pseudovoice.backends.labelled import Labelled, moments, towards_sphere
from pseudovoice.backends.lda import SINGULAR, fit_lda
from pseudovoice.backends.two_covariance import Diagonal
from pseudovoice.errors import InputError
from pseudovoice.scores.embeddings import unit_length
from pseudovoice.scores.scoreset import Codes


@dataclass(frozen=True, eq=False)
class PldaFrontEnd:
    """What makes embeddings Gaussian enough for PLDA (Garcia-Romero & Espy-Wilson 2011).

    Centring and length norm; then centring, LDA and whitening by the total covariance in one
    ``projection``; then length norm again, to √k so that each direction has variance 1.
    """

    centre: Floats
    mean: Floats
    projection: Floats

    def __call__(self, vectors: ArrayLike) -> Floats:
        unit = unit_length(as_vectors(vectors, self.centre.size) - self.centre)
        ready: Floats = unit_length((unit - self.mean) @ self.projection)
        ready *= self.projection.shape[1] ** 0.5
        return ready


@dataclass(frozen=True, eq=False)
class Plda:
    """Log-likelihood-ratio (natural log) of "one speaker" against "two", by the book.

    A model of several utterances is the posterior of its speaker given all of them; see
    :mod:`~pseudovoice.backends.two_covariance` for the formulas. Utterances of one
    session are not as independent as the model believes, so its ratios want calibration.
    ``shrinkage``, ``speakers`` and ``utterances`` tell how it was trained.
    """

    front_end: PldaFrontEnd
    diagonal: Diagonal
    shrinkage: float
    speakers: int
    utterances: int

    @property
    def name(self) -> str:
        return "plda"

    @property
    def dimension(self) -> int | None:
        return self.front_end.centre.size

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint_of(self.to_arrays())

    def prepare(self, vectors: ArrayLike) -> Floats:
        return self.diagonal.segments(self.front_end(vectors))

    def enrol(self, prepared: Floats, model_of: Codes, models: int) -> Floats:
        return self.diagonal.enrol(prepared, model_of, models)

    def score(self, rows: Floats, columns: Floats) -> Floats:
        return self.linear_form(rows, columns).matrix()

    def linear_form(self, rows: Floats, columns: Floats) -> LinearForm:
        return self.diagonal.linear_form(rows, columns)

    def to_arrays(self) -> Arrays:
        return {
            "backend": np.array("plda"),
            "centre": self.front_end.centre,
            "mean": self.front_end.mean,
            "projection": self.front_end.projection,
            "speaker_mean": self.diagonal.mean,
            "directions": self.diagonal.directions,
            "ratio": self.diagonal.ratio,
            "trained_on": np.array([self.shrinkage, self.speakers, self.utterances]),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        projection = read_array(arrays, "projection", (-1, -1))
        d, k = projection.shape
        shrinkage, speakers, utterances = read_array(arrays, "trained_on", (3,)).tolist()
        return cls(
            PldaFrontEnd(
                read_array(arrays, "centre", (d,)), read_array(arrays, "mean", (d,)), projection
            ),
            Diagonal(
                read_array(arrays, "speaker_mean", (k,)),
                read_array(arrays, "directions", (k, k)),
                read_array(arrays, "ratio", (k,)),
            ),
            shrinkage,
            int(speakers),
            int(utterances),
        )


def fit_front_end(training: Labelled, dimension: int | None, shrinkage: float) -> PldaFrontEnd:
    """Learn the front end; ``dimension`` None keeps all dimensions, without LDA.

    ``shrinkage`` λ draws the covariances behind LDA and whitening towards a sphere; with λ = 1
    nothing is whitened and the front end is that of centred cosine.
    """
    centre = training.vectors.mean(axis=0)
    unit = training.map(lambda vectors: unit_length(vectors - centre))
    found = moments(unit)
    total = towards_sphere(found.total, shrinkage)
    axes = (
        np.eye(training.dimension)
        if dimension is None
        else fit_lda(unit, dimension, shrinkage).projection
    )
    spectrum, rotation = np.linalg.eigh(axes.T @ total @ axes)
    if spectrum[0] <= SINGULAR * spectrum[-1]:
        raise InputError(
            f"The {training.utterances} training vectors do not span their "
            f"{training.dimension} dimensions; allow shrinkage, ask for fewer LDA dimensions or "
            "name a larger training corpus."
        )
    return PldaFrontEnd(centre, found.mean, axes @ (rotation / np.sqrt(spectrum)))


def fit_plda(
    training: Labelled,
    dimension: int | None,
    shrinkage: float,
    iterations: int,
    tolerance: float,
) -> Plda:
    """Front end and two-covariance model with one share of shrinkage for all covariances."""
    front_end = fit_front_end(training, dimension, shrinkage)
    fit = fit_em(
        training.map(front_end), shrinkage=shrinkage, iterations=iterations, tolerance=tolerance
    )
    return Plda(front_end, fit.model.diagonal, shrinkage, training.speakers, training.utterances)
