"""AS-norm: each score seen against those of the cohort voices nearest to either side.

Adaptive symmetric score normalisation (Cumani et al. 2011; Matějka et al. 2017, "AS-norm1").
With μ(x) and σ(x) the mean and standard deviation (divisor k) of the k highest scores of x
against a cohort of other speakers,

    s'(e, t) = ½ [(s − μ(e)) / σ(e) + (s − μ(t)) / σ(t)].

μ and σ concern one side only, so they are found once per segment; with r = 1/(2σ) and
c = μ/(2σ) the score s' = s · (r(e) + r(t)) − c(e) − c(t) costs two operations a pair, and as a
linear form it is a product of twice the width.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pseudovoice.backends.backend import (
    Arrays,
    Backend,
    Floats,
    LinearForm,
    fingerprint_of,
    read_array,
)
from pseudovoice.errors import InputError
from pseudovoice.scores.scoreset import Codes

TOP = 300
"""Cohort voices that count for each side unless fewer are there; 200 to 500 are usual."""
INNER = "inner."
_SCORES_AT_ONCE = 1 << 23


@dataclass(frozen=True, eq=False)
class AsNorm:
    """A back-end whose scores are normalised; make it with :func:`with_as_norm`.

    ``cohort`` holds the segments or models the cohort consists of, prepared by ``inner``. A
    prepared row is that of ``inner`` followed by r and c.
    """

    inner: Backend
    cohort: Floats
    top: int

    @property
    def name(self) -> str:
        return f"{self.inner.name}+as-norm"

    @property
    def dimension(self) -> int | None:
        return self.inner.dimension

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint_of(self.to_arrays())

    def prepare(self, vectors: ArrayLike) -> Floats:
        return self._with_statistics(self.inner.prepare(vectors))

    def enrol(self, prepared: Floats, model_of: Codes, models: int) -> Floats:
        return self._with_statistics(self.inner.enrol(prepared[:, :-2], model_of, models))

    def score(self, rows: Floats, columns: Floats) -> Floats:
        score = self.inner.score(rows[:, :-2], columns[:, :-2])
        score *= rows[:, -2, None] + columns[:, -2]
        score -= rows[:, -1, None] + columns[:, -1]
        return score

    def linear_form(self, rows: Floats, columns: Floats) -> LinearForm:
        a, b, row, column = self.inner.linear_form(rows[:, :-2], columns[:, :-2])
        r_row, c_row = rows[:, -2], rows[:, -1]
        r_column, c_column = columns[:, -2], columns[:, -1]
        # (a·b + row + column)(r_row + r_column), multiplied out.
        return LinearForm(
            np.column_stack([a * r_row[:, None], a, row, r_row]),
            np.column_stack([b, b * r_column[:, None], r_column, column]),
            row * r_row - c_row,
            column * r_column - c_column,
        )

    def to_arrays(self) -> Arrays:
        inner = {INNER + name: array for name, array in self.inner.to_arrays().items()}
        return {
            "backend": np.array("as-norm"),
            "cohort": self.cohort,
            "top": np.array([float(self.top)]),
            **inner,
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], inner: Backend) -> Self:
        cohort = read_array(arrays, "cohort", (-1, -1))
        top = int(read_array(arrays, "top", (1,))[0])
        if not 2 <= top <= cohort.shape[0]:
            raise InputError(
                f"The stored back-end is damaged: 'top' is {top} of {cohort.shape[0]} cohort "
                "voices; make it again."
            )
        return cls(inner, cohort, top)

    def _with_statistics(self, prepared: Floats) -> Floats:
        """The prepared rows with r = 1/(2σ) and c = μ/(2σ) of their nearest cohort voices."""
        rows, size = prepared.shape[0], self.cohort.shape[0]
        statistics = np.empty((rows, 2))
        block = max(1, _SCORES_AT_ONCE // size)
        for start in range(0, rows, block):
            part = slice(start, start + block)
            score = self.inner.score(prepared[part], self.cohort)
            nearest = np.partition(score, size - self.top, axis=1)[:, size - self.top :]
            mean, deviation = nearest.mean(axis=1), nearest.std(axis=1)
            # Against one voice many times over the deviation is rounding, not 0.
            flat = np.flatnonzero(deviation <= 1e-12 * np.abs(nearest).max(axis=1))
            if flat.size:
                raise InputError(
                    f"The {self.top} nearest cohort voices of segment {start + flat[0]} all have "
                    "the same score, so nothing can be normalised; name a cohort of different "
                    "voices."
                )
            statistics[part, 0] = 0.5 / deviation
            statistics[part, 1] = 0.5 * mean / deviation
        return np.hstack([prepared, statistics])


def with_as_norm(inner: Backend, cohort: ArrayLike, top: int | None = None) -> AsNorm:
    """A back-end with its scores normalised by a cohort of embeddings.

    The cohort must be other speakers than those under test, in the same kind of speech; an
    embedding each of many speakers serves better than many of few. ``top`` is k, by default
    :data:`TOP` or the whole cohort where it is smaller.
    """
    if isinstance(inner, AsNorm):
        raise InputError("The scores are normalised already; give the back-end without AS-norm.")
    prepared = inner.prepare(cohort)
    size = prepared.shape[0]
    if size < 2:
        raise InputError(
            f"The cohort has {size} embedding(s); AS-norm needs at least 2, better some hundred."
        )
    k = min(TOP, size) if top is None else top
    if not 2 <= k <= size:
        raise InputError(
            f"AS-norm over the {k} nearest cohort voices is not possible: the cohort has {size}; "
            f"choose 2 to {size}."
        )
    return AsNorm(inner, prepared, k)
