"""Whose voice a speaker gets: the strategies of VoicePrivacy's B1, and targets of nobody.

``farthest``, ``nearest``: the 200 people of the pool farthest from the speaker (nearest), of whom
the average of 100 drawn with the key is taken (Tomashenko et al. 2020). ``dense``: the average of
half the people of a dense region of the pool (Srivastava et al. 2020; the strategy of maouche2022
§4.1). ``random``: one person of the pool. ``synthetic``: a draw from a density over voices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import InputError
from pseudovoice.safeguards.balance import balanced
from pseudovoice.safeguards.xvector.density import Density, Uniform, density_of, target_at
from pseudovoice.safeguards.xvector.pool import SEXES, Pool
from pseudovoice.safeguards.xvector.space import Space
from pseudovoice.safeguards.xvector.target import Target

Float64 = NDArray[np.float64]

STRATEGIES = {
    "synthetic": "nobody's: drawn from all voices that could be",
    "farthest": "that of people who sound least alike",
    "dense": "that of people as there are many",
    "random": "that of people drawn by chance",
    "nearest": "that of people who sound most alike; hides least",
}
GENDERS = {"any": "either", "same": "that of the speaker", "cross": "the other"}

KEPT, AVERAGED = 200, 100
"""People at the end of the ranking, and how many of them are averaged."""

REGIONS = 20
"""Of a pool, half of which, those with the most people, are dense."""

CANDIDATES = 32
"""Targets that are drawn for a speaker, if those before are too close to somebody."""

LIKE_SPEAKER, LIKE_ANOTHER = 0.1, 0.01
"""Shares of people's pairs that are closer than a target may be to its speaker, and to the target
of another. The latter is smaller, since there are many others."""


@dataclass(frozen=True)
class Source:
    """A speaker as heard: unit embedding, median F0 in Hz."""

    embedding: Float64
    pitch: float


@dataclass(frozen=True)
class Chooser:
    """Targets of a pool by a strategy."""

    pool: Pool
    space: Space
    strategy: str
    gender: str

    @cached_property
    def density(self) -> Density:
        return density_of(self.pool, self.space)

    def sex(self, source: Source | None, uniform: Uniform) -> str:
        """The target's sex: drawn, or by what the source sounds like."""
        if self.gender == "any" or source is None:
            return SEXES[int(2 * uniform("sex"))]
        heard = self.density.sex_of(self.space.places(source.embedding[None])[0], source.pitch)
        other = SEXES[1 - SEXES.index(heard)]
        return heard if self.gender == "same" else other

    def target(self, source: Source | None, sex: str, uniform: Uniform) -> Target:
        """One target; of a ``source`` that could not be heard nobody is near or far."""
        if self.strategy == "synthetic":
            return self.density.of[sex].draw(uniform)
        people = np.flatnonzero(self.pool.sex == sex)
        if self.strategy == "random":
            self._need(people, 1, sex)
            return self._average(people[[int(uniform("person") * people.size)]])
        if self.strategy == "dense":
            return self._average(self._dense(people, sex, uniform))
        self._need(people, KEPT, sex)
        if source is not None:
            likeness = self.pool.embeddings[people] @ source.embedding
            order = np.argsort(
                likeness if self.strategy == "farthest" else -likeness, kind="stable"
            )
            people = people[order[:KEPT]]
        return self._average(drawn(people, AVERAGED, uniform))

    def distinct(
        self,
        source: Source | None,
        sex: str,
        others: Sequence[NDArray[np.floating]],
        uniform: Uniform,
    ) -> Target:
        """A target no closer to the speaker and to targets given before than people are.

        Of candidates that all are closer, the one that is least so. Averages are close to each
        other by their nature, and are taken as they come.
        """
        if self.strategy != "synthetic":
            return self.target(source, sex, uniform)
        allowed = [(row, self.pool.likeness(LIKE_ANOTHER)) for row in others]
        if source is not None:
            allowed.append((source.embedding, self.pool.likeness(LIKE_SPEAKER)))

        def numbered(k: int) -> Uniform:
            return lambda purpose: uniform(f"{k}/{purpose}")

        best, least = None, np.inf
        for k in range(CANDIDATES):
            target = self.target(source, sex, numbered(k))
            direction = self.space.directions(np.array([target.place]))[0]
            excess = max((float(direction @ row) - most for row, most in allowed), default=-1.0)
            if excess <= 0.0:
                return target
            if excess < least:
                best, least = target, excess
        assert best is not None
        return best

    def _dense(self, people: NDArray[np.intp], sex: str, uniform: Uniform) -> NDArray[np.intp]:
        self._need(people, REGIONS, sex)
        regions = self._regions[sex]
        sizes = np.bincount(regions, minlength=REGIONS)
        dense = np.argsort(-sizes, kind="stable")[: REGIONS // 2]
        region = people[regions == dense[int(uniform("region") * dense.size)]]
        return drawn(region, max(1, region.size // 2), uniform)

    @cached_property
    def _regions(self) -> dict[str, NDArray[np.intp]]:
        from scipy.cluster.vq import kmeans2

        places = self.space.places(self.pool.embeddings)
        return {
            sex: kmeans2(places[self.pool.sex == sex], REGIONS, minit="++", seed=0)[1]
            for sex in SEXES
            if (self.pool.sex == sex).sum() >= REGIONS
        }

    def _need(self, people: NDArray[np.intp], count: int, sex: str) -> None:
        if people.size < count:
            raise InputError(
                f"The pool has {people.size} people of sex {sex}, and target={self.strategy} needs "
                f"{count}; build a larger pool, or choose another target."
            )

    def _average(self, people: NDArray[np.intp]) -> Target:
        numbers = np.column_stack(
            [
                self.space.places(self.pool.embeddings[people]),
                np.log(self.pool.pitch[people]),
                np.log(self.pool.spread[people]),
            ]
        )
        return target_at(numbers.mean(axis=0))


def drawn(people: NDArray[np.intp], count: int, uniform: Uniform) -> NDArray[np.intp]:
    """So many of them, none twice, by the key."""
    ranks = np.array([uniform(f"person/{k}") for k in range(people.size)])
    return people[np.argsort(ranks, kind="stable")[:count]]


def balanced_sexes(
    sexes: Sequence[str], given: Sequence[str | None], uniform: Callable[[int], float]
) -> list[str]:
    """The targets' sex for speakers of these sexes: half of each sex's speakers get either.

    ``given`` are the sexes of those who have a target already.
    """
    chosen: list[str] = [""] * len(sexes)
    for sex in SEXES:
        alike = [k for k, own in enumerate(sexes) if own == sex]
        known = [None if given[k] is None else given[k] == "F" for k in alike]
        draws = [uniform(k) for k in alike]
        women = balanced([0.5] * len(alike), known, draws.__getitem__)
        for k, woman in zip(alike, women, strict=True):
            chosen[k] = "F" if woman else "M"
    return chosen
