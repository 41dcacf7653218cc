"""What a back-end is: embeddings in, scores out, as plain matrix products.

A comparison has two steps. What concerns one side only (centring, projection, length norm, cohort
statistics) is done once per segment by ``prepare``; what concerns pairs is a matrix product. Hence
a million segments are prepared one by one and compared block by block.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from pseudovoice.errors import InputError
from pseudovoice.scores.scoreset import Codes

Floats = NDArray[np.float64]
Arrays = dict[str, NDArray[Any]]
_PAIRS_AT_ONCE = 1 << 14


class LinearForm(NamedTuple):
    """score[i, j] = a[i] · b[j] + row_term[i] + column_term[j].

    ``a`` and ``row_term`` depend on the rows only, ``b`` and ``column_term`` on the columns only;
    cast to float32 and sliced they make an all-pairs scorer of any back-end.
    """

    a: Floats
    b: Floats
    row_term: Floats
    column_term: Floats

    def matrix(self) -> Floats:
        """The scores of all pairs."""
        score: Floats = self.a @ self.b.T
        # The terms are added up first, so that where a = b the matrix is exactly symmetric.
        score += np.add.outer(self.row_term, self.column_term)
        return score

    def pairs(self, row: NDArray[np.integer], column: NDArray[np.integer]) -> Floats:
        """The scores of listed pairs, for trial lists that are far from complete."""
        score: Floats = self.row_term[row] + self.column_term[column]
        for start in range(0, score.size, _PAIRS_AT_ONCE):
            part = slice(start, start + _PAIRS_AT_ONCE)
            score[part] += np.einsum("ij,ij->i", self.a[row[part]], self.b[column[part]])
        return score


@runtime_checkable
class Backend(Protocol):
    """A way to compare embeddings; the higher the score, the more alike the voices.

    ``prepare`` and ``enrol`` return matrices with a row per segment or model. Their columns are
    the back-end's own business, but rows may be sliced, joined, stored and compared in any blocks.
    """

    @property
    def name(self) -> str: ...
    @property
    def dimension(self) -> int | None:
        """Dimension of the embeddings it takes; None if it takes any."""
        ...

    @property
    def fingerprint(self) -> str:
        """sha256 of everything that decides the scores, for caches and reports."""
        ...

    def prepare(self, vectors: ArrayLike) -> Floats:
        """What can be done once per segment."""
        ...

    def enrol(self, prepared: Floats, model_of: Codes, models: int) -> Floats:
        """Models of one or several prepared segments each; ``model_of`` numbers them from 0."""
        ...

    def score(self, rows: Floats, columns: Floats) -> Floats:
        """Scores of every prepared row with every prepared column; models go on the rows."""
        ...

    def linear_form(self, rows: Floats, columns: Floats) -> LinearForm:
        """The same scores as a product of two matrices and two additive terms."""
        ...

    def to_arrays(self) -> Arrays:
        """Everything that decides the scores, as arrays for an npz without pickle."""
        ...


def as_vectors(vectors: ArrayLike, dimension: int | None = None) -> Floats:
    """Embeddings as a finite float64 matrix, or a sentence that says what is wrong with them."""
    try:
        array = np.asarray(vectors)
    except ValueError:
        array = np.empty(0, object)
    if array.ndim != 2 or array.shape[1] == 0 or array.dtype.kind not in "fiu":
        raise InputError(
            f"Embeddings must be a matrix of numbers, a row per segment; these are {array.dtype} "
            f"of shape {array.shape}."
        )
    array = array.astype(np.float64, copy=False)
    if dimension is not None and array.shape[1] != dimension:
        raise InputError(
            f"The embeddings have {array.shape[1]} dimensions but the back-end was trained on "
            f"{dimension}; use the encoder it was trained with."
        )
    bad = np.flatnonzero(~np.isfinite(array).all(axis=1))
    if bad.size:
        raise InputError(
            f"{bad.size} embedding(s) are not finite (first: row {bad[0]}); "
            "leave these segments out."
        )
    return array


def model_counts(prepared: Floats, model_of: Codes, models: int) -> NDArray[np.intp]:
    """How many segments each model has; a model without any cannot be enrolled."""
    if model_of.shape != prepared.shape[:1]:
        raise InputError(
            f"There are {prepared.shape[0]} enrolment segments but {model_of.size} model "
            "numbers; each segment needs one."
        )
    if model_of.size and (model_of.min() < 0 or model_of.max() >= models):
        raise InputError(
            f"The model numbers run from {model_of.min()} to {model_of.max()}; "
            f"{models} models are numbered from 0 to {models - 1}."
        )
    counts = np.bincount(model_of, minlength=models)
    if empty := np.flatnonzero(counts == 0).tolist():
        raise InputError(
            f"{len(empty)} enrolment model(s) have no segment (first: model {empty[0]}); "
            "leave these models out."
        )
    return counts


def model_sums(prepared: Floats, model_of: Codes, models: int) -> Floats:
    """The sum of the rows of each model."""
    member = csr_array(
        (np.ones(model_of.size), (model_of, np.arange(model_of.size))),
        shape=(models, model_of.size),
    )
    sums: Floats = member @ prepared
    return sums


def fingerprint_of(arrays: Mapping[str, NDArray[Any]]) -> str:
    """sha256 over names, types, shapes and values of arrays, whatever their order."""
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        array = array.astype(array.dtype.newbyteorder("<"), copy=False)
        digest.update(f"{name}|{array.dtype.str}|{array.shape}|".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()


def read_array(arrays: Mapping[str, NDArray[Any]], name: str, shape: tuple[int, ...]) -> Floats:
    """One array of floats of a stored back-end; −1 in ``shape`` stands for any length."""
    array = arrays.get(name)
    fits = (
        array is not None
        and array.dtype.kind == "f"
        and array.ndim == len(shape)
        and all(want in (-1, have) for want, have in zip(shape, array.shape, strict=True))
    )
    if array is None or not fits:
        found = "nothing" if array is None else f"{array.dtype} of shape {array.shape}"
        raise InputError(
            f"The stored back-end is damaged: '{name}' should be floats of shape {shape} "
            f"(-1: any) but is {found}; train it again."
        )
    if not np.isfinite(array).all():
        raise InputError(f"The stored back-end is damaged: '{name}' is not finite; train it again.")
    return array.astype(np.float64)
