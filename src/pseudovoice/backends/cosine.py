"""Cosine: the angle between two embeddings, optionally seen from the mean of a training set."""

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
    model_counts,
    model_sums,
    read_array,
)
from pseudovoice.scores.embeddings import unit_length
from pseudovoice.scores.scoreset import Codes


@dataclass(frozen=True, eq=False)
class Cosine:
    """cos(x − m, y − m), in [−1, 1]; without a ``mean`` m is the origin.

    The embeddings of a domain share a direction (channel, language); seen from their mean they
    spread over the whole sphere and non-mated scores gather around 0. A model of several
    utterances is the mean of their unit vectors, scaled to length 1: a long or loud utterance
    counts no more than another. An embedding equal to the mean has no direction and is refused.
    """

    mean: Floats | None = None

    @property
    def name(self) -> str:
        return "cosine" if self.mean is None else "centred-cosine"

    @property
    def dimension(self) -> int | None:
        return None if self.mean is None else self.mean.size

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint_of(self.to_arrays())

    def prepare(self, vectors: ArrayLike) -> Floats:
        array = as_vectors(vectors, self.dimension)
        return unit_length(array if self.mean is None else array - self.mean)

    def enrol(self, prepared: Floats, model_of: Codes, models: int) -> Floats:
        model_counts(prepared, model_of, models)
        return unit_length(model_sums(prepared, model_of, models))

    def score(self, rows: Floats, columns: Floats) -> Floats:
        score: Floats = rows @ columns.T
        return score

    def linear_form(self, rows: Floats, columns: Floats) -> LinearForm:
        return LinearForm(rows, columns, np.zeros(rows.shape[0]), np.zeros(columns.shape[0]))

    def to_arrays(self) -> Arrays:
        kind: Arrays = {"backend": np.array("cosine")}
        return kind if self.mean is None else kind | {"mean": self.mean}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        return cls(read_array(arrays, "mean", (-1,)) if "mean" in arrays else None)


def train_cosine(vectors: ArrayLike) -> Cosine:
    """Cosine seen from the mean of a training set; nobody's name is needed."""
    return Cosine(as_vectors(vectors).mean(axis=0))
