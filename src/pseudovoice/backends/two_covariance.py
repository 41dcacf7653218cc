"""The two-covariance model of speaker embeddings and its likelihood ratios.

Conventions
-----------
x = μ + y + e with the speaker y ~ N(0, B) and each utterance e ~ N(0, W), independent
(Ioffe 2006; Brümmer & De Villiers 2010; Sizov, Lee & Kinnunen 2014). V diagonalises both
covariances at once, Vᵀ W V = I and Vᵀ B V = diag(ψ); in u = Vᵀ (x − μ) every direction is a
problem of its own. Of n utterances of one speaker only their number and their sum f count:

    L(n, f) = ½ Σ_d [ψ f² / (1 + nψ) − log(1 + nψ)]

is the log of their density over that of y = 0. Hence the log-likelihood-ratio of "one speaker"
against "two" is L(n₁ + n₂, f₁ + f₂) − L(n₁, f₁) − L(n₂, f₂), exactly, for any n₁ and n₂. It is the
same as scoring the second side with the posterior of y given the first, N(nψ ū / (1 + nψ),
ψ / (1 + nψ)): multi-session enrolment by the book. Logarithms are natural.

A side is a matrix with a row per segment or model: n first, then the mean ū of its utterances.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import eigh

from pseudovoice.backends.backend import (
    Floats,
    LinearForm,
    model_counts,
    model_sums,
)
from pseudovoice.errors import InputError
from pseudovoice.scores.scoreset import Codes


@dataclass(frozen=True, eq=False)
class TwoCovariance:
    """The model itself: mean μ, between-speaker covariance B and within-speaker covariance W."""

    mean: Floats
    between: Floats
    within: Floats

    @cached_property
    def diagonal(self) -> Diagonal:
        """The coordinates in which both covariances are diagonal."""
        ratio, directions = eigh(self.between, self.within)
        # B is a covariance: what is below 0 is rounding.
        return Diagonal(self.mean, directions[:, ::-1].copy(), np.maximum(ratio[::-1], 0.0))


@dataclass(frozen=True, eq=False)
class Diagonal:
    """u = Vᵀ (x − μ): within-speaker variance 1, between-speaker variance ψ = ``ratio``."""

    mean: Floats
    directions: Floats
    ratio: Floats

    def segments(self, vectors: Floats) -> Floats:
        """Vectors as a side of single segments (n = 1)."""
        u: Floats = (vectors - self.mean) @ self.directions
        return np.column_stack([np.ones(u.shape[0]), u])

    def enrol(self, segments: Floats, model_of: Codes, models: int) -> Floats:
        """Models of several rows each; rows that are models themselves count with their n."""
        model_counts(segments, model_of, models)
        n = segments[:, :1]
        sums = model_sums(np.hstack([n, n * segments[:, 1:]]), model_of, models)
        return np.hstack([sums[:, :1], sums[:, 1:] / sums[:, :1]])

    def linear_form(self, rows: Floats, columns: Floats) -> LinearForm:
        """Log-likelihood-ratios of every row with every column as a product of matrices.

        With g = ψ / (1 + (n₁ + n₂) ψ) the ratio is Σ g f₁ f₂ + ½ Σ (g − ψ/(1 + n₁ψ)) f₁²
        + ½ Σ (g − ψ/(1 + n₂ψ)) f₂² − ½ Σ log((1 + (n₁ + n₂)ψ) / ((1 + n₁ψ)(1 + n₂ψ))).
        Where all rows have the same n there is one g; √g goes to either side, so that equal rows
        and columns give equal a and b. Else the term g f₂² also depends on both sides and the
        product is twice as wide. The numbers n may vary on one side only.
        """
        n_row, n_column = rows[:, 0], columns[:, 0]
        if not _alike(n_column):
            if not _alike(n_row):
                raise InputError(
                    "Rows and columns both mix models of different numbers of utterances; put "
                    "the models on the rows and single segments on the columns."
                )
            swapped = self.linear_form(columns, rows)
            return LinearForm(swapped.b, swapped.a, swapped.column_term, swapped.row_term)
        psi, n2 = self.ratio, n_column[:1, None]
        n1 = n_row[:1, None] if _alike(n_row) else n_row[:, None]
        f1, f2 = n_row[:, None] * rows[:, 1:], n_column[:, None] * columns[:, 1:]
        if not f1.size or not f2.size:
            return LinearForm(f1, f2, np.zeros(n_row.size), np.zeros(n_column.size))
        g, alone = psi / (1 + (n1 + n2) * psi), psi / (1 + n2 * psi)
        joint = np.log1p((n1 + n2) * psi) - np.log1p(n1 * psi) - np.log1p(n2 * psi)
        row_term = 0.5 * (f1**2 * (g - psi / (1 + n1 * psi))).sum(axis=1)
        if _alike(n_row):
            half, constant = np.sqrt(g), 0.25 * float(joint.sum())
            column_term = 0.5 * (f2**2 * (g - alone)).sum(axis=1)
            return LinearForm(half * f1, half * f2, row_term - constant, column_term - constant)
        return LinearForm(
            np.hstack([g * f1, 0.5 * g]),
            np.hstack([f2, f2**2]),
            row_term - 0.5 * joint.sum(axis=1),
            -0.5 * (f2**2 * alone).sum(axis=1),
        )


def _alike(n: Floats) -> bool:
    return n.size == 0 or bool((n == n[0]).all())
