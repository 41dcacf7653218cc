"""Voice similarity matrices and what is read off them (noe2020; noe2022 §4).

Conventions
-----------
* Similarities are made of Laplace oracle LLRs, each condition calibrated on its own trials.
* ``geometric`` (the default) is the geometric mean of posteriors, noe2022 Eq. 6;
  ``arithmetic`` the posterior of the mean LLR, noe2020 Eq. 2.
* Trials of a segment against itself, or against its own protected version, are no trials.
* M_OP is kept as it is, rows original, columns protected; it is not symmetric.
* Diagonal dominance D_diag lies in [0, 1]; 0 is a uniform matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit

from pseudovoice.calibration.ladder import Floats
from pseudovoice.choices import SIMILARITIES
from pseudovoice.errors import InputError


@dataclass(frozen=True)
class SimilarityMatrix:
    """M = (Sim(i, j)): rows and columns are ``speakers``, values posteriors in [0, 1]."""

    values: Floats
    speakers: tuple[str, ...]
    similarity: str = "geometric"

    @property
    def d_diag(self) -> float:
        """Diagonal dominance, noe2022 Eq. 8."""
        return diagonal_dominance(self.values)

    @property
    def d_diag_log(self) -> float:
        """Diagonal dominance in the log domain, in bit (the future work of noe2022 §8)."""
        with np.errstate(divide="ignore"):
            return diagonal_dominance(np.log2(self.values))

    def table(self) -> dict[str, Any]:
        """Tidy data, one row per pair of speakers."""
        names = np.array(self.speakers, dtype=object)
        n = len(self.speakers)
        return {
            "row": np.repeat(names, n),
            "column": np.tile(names, n),
            "similarity": self.values.ravel(),
        }


def similarity_matrix(
    llr: ArrayLike,
    rows: ArrayLike,
    columns: ArrayLike,
    *,
    similarity: str = "geometric",
    same_segment: bool = True,
) -> SimilarityMatrix:
    """Voice similarity matrix of segment × segment LLRs.

    Parameters
    ----------
    llr : array of shape (segments, segments), calibrated natural-log LLRs
    rows, columns : speaker of each row and of each column
    similarity : ``geometric`` (noe2022 Eq. 6) or ``arithmetic`` (noe2020 Eq. 2)
    same_segment : whether row k and column k are the same segment (or its protected version),
        in which case the diagonal of ``llr`` is left out

    Raises InputError where a pair of speakers has no trial left.
    """
    check_similarity(similarity)
    matrix = np.asarray(llr)
    row_names, row_code = np.unique(np.asarray(rows), return_inverse=True)
    names, column_code = np.unique(np.asarray(columns), return_inverse=True)
    if matrix.shape != (row_code.size, column_code.size):
        raise InputError(
            f"The LLR matrix has shape {matrix.shape} but there are {row_code.size} row and "
            f"{column_code.size} column speakers; give one speaker per row and per column."
        )
    if same_segment and matrix.shape[0] != matrix.shape[1]:
        raise InputError(
            f"The LLR matrix has shape {matrix.shape}; with same_segment row k and column k are "
            "one segment, so it must be square."
        )
    if np.isnan(matrix).any():
        raise InputError("Some LLRs are NaN; a similarity needs a score for every trial.")
    if not np.array_equal(row_names, names):
        raise InputError(
            "The rows and the columns do not hold the same speakers; a similarity "
            "matrix is square: leave out speakers that stand on one side only."
        )
    n = names.size
    count = np.bincount(row_code, minlength=n)[:, None] * np.bincount(column_code, minlength=n)
    # Sum over the columns of each speaker as a reduction over contiguous runs, a few rows at a
    # time so that the log-posteriors stay in the processor's cache.
    order = np.argsort(column_code, kind="stable")
    in_order = bool((np.diff(column_code) >= 0).all())
    starts = np.searchsorted(column_code[order], np.arange(n))
    sums = np.zeros((n, n))
    step = max(1, 65_536 // max(1, matrix.shape[1]))
    for start in range(0, matrix.shape[0], step):
        block = matrix[start : start + step]
        terms = log_expit(block) if similarity == "geometric" else block.astype(np.float64)
        if same_segment:
            k = np.arange(start, min(start + step, matrix.shape[1]))
            terms[k - start, k] = 0.0
        per_speaker = np.add.reduceat(terms if in_order else terms[:, order], starts, axis=1)
        np.add.at(sums, row_code[start : start + step], per_speaker)
    if same_segment:
        k = np.arange(min(matrix.shape))
        np.subtract.at(count, (row_code[k], column_code[k]), 1)
    if (count == 0).any():
        i, j = np.argwhere(count == 0)[0]
        raise InputError(
            f"Speakers {names[i]} and {names[j]} have no trial with each other; a similarity "
            "matrix needs one for every pair: give every speaker at least two segments."
        )
    return SimilarityMatrix(
        similarity_of_mean(sums / count, similarity), tuple(str(name) for name in names), similarity
    )


def similarity_of_mean(mean: Floats, similarity: str) -> Floats:
    """From the mean of ln σ(llr) (geometric) or of llr (arithmetic) to the similarity."""
    return np.exp(mean) if similarity == "geometric" else expit(mean)


def terms_of_llr(llr: Floats, similarity: str) -> Floats:
    """What is averaged over the trials of a pair of speakers."""
    return log_expit(llr) if similarity == "geometric" else llr


def diagonal_dominance(values: Floats, weight: Floats | None = None) -> float:
    """D_diag: |mean of the diagonal − mean of the rest| (noe2022 Eq. 8).

    ``weight`` counts each speaker more than once, as a bootstrap replicate does: w_i on the
    diagonal, w_i·w_j off it.
    """
    n = values.shape[0]
    if n < 2:
        raise InputError("Diagonal dominance compares speakers and there is one only; add more.")
    if weight is None:
        rest = values[~np.eye(n, dtype=np.bool_)].sum() / (n * n - n)
        return float(abs(values.diagonal().sum() / n - rest))
    w = weight
    pair = np.outer(w, w)
    np.fill_diagonal(pair, 0.0)
    used = pair > 0
    rest = (pair[used] * values[used]).sum() / pair.sum()
    there = w > 0
    return float(abs((w[there] * values.diagonal()[there]).sum() / w.sum() - rest))


def deid(d_diag_oo: float, d_diag_op: float) -> float:
    """De-identification, a fraction: 1 − D_diag(M_OP) / D_diag(M_OO) (noe2022 Eq. 9)."""
    _check_oo(d_diag_oo)
    return 1.0 - d_diag_op / d_diag_oo


def g_vd(d_diag_oo: float, d_diag_pp: float) -> float:
    """Gain of voice distinctiveness in dB: 10·log10(D_diag(M_PP) / D_diag(M_OO)) (Eq. 10)."""
    _check_oo(d_diag_oo)
    with np.errstate(divide="ignore"):
        return float(10.0 * np.log10(d_diag_pp / d_diag_oo))


def check_similarity(similarity: str) -> None:
    if similarity not in SIMILARITIES:
        raise InputError(
            f"There is no similarity {similarity!r}; choose one of {', '.join(SIMILARITIES)}."
        )


def _check_oo(d_diag_oo: float) -> None:
    if d_diag_oo == 0.0:
        raise InputError(
            "D_diag(M_OO) is 0: the recogniser cannot tell the original speakers apart at all, so "
            "nothing can be said about how well they are hidden; use a stronger recogniser."
        )
