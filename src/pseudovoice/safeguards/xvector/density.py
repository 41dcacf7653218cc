"""A density over voices: from it come targets that belong to nobody."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from pseudovoice.errors import InputError
from pseudovoice.safeguards.xvector.pool import SEXES, Pool
from pseudovoice.safeguards.xvector.space import Space
from pseudovoice.safeguards.xvector.target import (
    FARTHEST,
    HIGHEST_PITCH,
    LOWEST_PITCH,
    NARROWEST,
    WIDEST,
    Target,
)

Float64 = NDArray[np.float64]
Uniform = Callable[[str], float]
"""A keyed draw from [0, 1) by purpose."""

FEWEST = 20
"""People of a sex, below whom nothing can be said of the others."""

SHRINKAGE = 0.1
"""Share of the diagonal in a covariance that is learnt from few people."""

OUTERMOST = 2.5
"""Standard deviations up to which each direction is drawn: further out, words are lost."""


@dataclass(frozen=True)
class Gaussian:
    """Of one sex: place, log F0 and the logarithm of its spread; ``root`` is of its covariance."""

    mean: Float64
    root: Float64

    def draw(self, uniform: Uniform) -> Target:
        """A voice, each of its directions with a number of the key's own."""
        normal = ndtri(np.clip([uniform(f"{k}") for k in range(self.mean.size)], 1e-9, 1 - 1e-9))
        return target_at(self.mean + self.root @ np.clip(normal, -OUTERMOST, OUTERMOST))

    def surprise(self, numbers: Float64) -> float:
        """−2 log density, but for a constant."""
        away = np.linalg.solve(self.root, numbers - self.mean)
        return float(away @ away + 2 * np.log(np.abs(np.diag(self.root))).sum())


@dataclass(frozen=True)
class Density:
    """A Gaussian for each sex."""

    of: dict[str, Gaussian]

    def sex_of(self, place: Float64, pitch: float, spread: float = 0.2) -> str:
        """The sex that a voice sounds like."""
        numbers = np.array([*place, np.log(pitch), np.log(spread)])
        return min(SEXES, key=lambda sex: self.of[sex].surprise(numbers))


def density_of(pool: Pool, space: Space) -> Density:
    """Fitted to the people of a pool whose sex is known."""
    numbers = np.column_stack(
        [space.places(pool.embeddings), np.log(pool.pitch), np.log(pool.spread)]
    )
    found = {}
    for sex in SEXES:
        own = numbers[pool.sex == sex]
        if len(own) < FEWEST:
            raise InputError(
                f"The pool has {len(own)} people of sex {sex}; a density needs {FEWEST} of each. "
                "Build a larger pool, or choose target=random."
            )
        covariance = np.cov(own.T)
        diagonal = np.diag(np.diag(covariance))
        covariance = (1 - SHRINKAGE) * covariance + SHRINKAGE * diagonal
        found[sex] = Gaussian(own.mean(axis=0), np.linalg.cholesky(covariance).astype(np.float64))
    return Density(found)


def target_at(numbers: Float64) -> Target:
    """The target of a place, a log F0 and a log spread; within what people have."""
    *place, pitch, spread = numbers
    return Target(
        tuple(float(np.clip(number, -FARTHEST, FARTHEST)) for number in place),
        float(np.clip(np.exp(pitch), LOWEST_PITCH, HIGHEST_PITCH)),
        float(np.clip(np.exp(spread), NARROWEST, WIDEST)),
    )
