"""Calibration distortion C_ECE: can the attacker calibrate on one run and use it on another?

(noe2022 §5.3, Eq. 15–16.) A map is learnt on the scores of run f0 of the safeguard and applied
to those of run f1; C_ECE is D_ECE of the result. Not clipped: negative values mean that the
attacker would be better off without the scores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pseudovoice.assessment.binned_condition import BinnedCondition
from pseudovoice.assessment.condition import Condition, Resampling
from pseudovoice.assessment.grid import Grid
from pseudovoice.assessment.grid_draws import Permutation, Summing
from pseudovoice.assessment.replicates import Weights, bootstrap, once, permutation
from pseudovoice.assessment.tally import Tally, distinct, tally
from pseudovoice.assessment.zebra import D_ECE_MAX, disclosure_of_llr
from pseudovoice.calibration.ladder import Floats, Ladder
from pseudovoice.calibration.maps import fit_linear, isotonic_of_ladder
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.scoreset import ScoreSet

Map = Callable[[Floats], Floats]

MOST_RUNGS_TO_LEARN = 1024
"""A map has two parameters, or some dozens of steps: replicates learn it on rounded scores."""

LEARNERS: dict[str, Callable[[Floats, Floats, Floats], Map]] = {
    "c_ece_linear": fit_linear,
    "c_ece_isotonic": lambda score, mated, nonmated: isotonic_of_ladder(
        Ladder(score, score, mated, nonmated)
    ),
}
"""How each map is learnt from scores that stand for mated and non-mated trials."""


def learn(name: str, f0: ScoreSet | BinnedScores) -> Map:
    """The attacker's calibration map, learnt on run f0."""
    rungs = rungs_of(f0)
    return LEARNERS[name](rungs.low, rungs.mated, rungs.nonmated)


def c_ece(learnt: Map, f1: ScoreSet | BinnedScores) -> float:
    """C_ECE: D_ECE of run f1's scores, mapped by what was learnt on run f0 (Eq. 16)."""
    rungs = rungs_of(f1)
    llr = learnt(rungs.low)
    mated = rungs.mated @ disclosure_of_llr(llr) / rungs.mated.sum()
    return float(
        D_ECE_MAX * (mated + rungs.nonmated @ disclosure_of_llr(-llr) / rungs.nonmated.sum())
    )


def rungs_of(scores: ScoreSet | BinnedScores) -> Ladder:
    """The distinct scores with how often each occurs in either class."""
    if isinstance(scores, BinnedScores):
        return scores.ladder()
    return distinct(scores.mated_scores, scores.nonmated_scores)


@dataclass(frozen=True)
class Replicated:
    """Both runs counted cell by cell, and their replicates; f0 on few enough rungs to learn from.

    The map is learnt anew on the reweighted f0 and applied to f1.
    """

    f0: Tally
    f1: Tally
    draws: Resampling

    def resampled(self, name: str) -> Floats:
        """C_ECE in each bootstrap replicate."""
        drawn = self.draws.drawn
        return self._learnt_anew(name, bootstrap(self.f0, drawn), bootstrap(self.f1, drawn))

    def observed(self, name: str) -> float:
        """C_ECE of the data as they are, on the rungs of the replicates."""
        return float(self._learnt_anew(name, once(self.f0), once(self.f1))[0])

    def permuted(self, learnt: Map) -> Floats:
        """C_ECE under a given map in each permutation."""
        return self._under(learnt, permutation(self.f1, self.draws.names))

    def _learnt_anew(self, name: str, f0_weights: Weights, f1_weights: Weights) -> Floats:
        f0 = self.f0
        mated = np.asarray((f0.rungs.T @ f0_weights.mated.T).T, np.float64)
        nonmated = np.asarray((f0.rungs.T @ f0_weights.nonmated.T).T, np.float64)
        out = np.full(len(f1_weights), np.nan)
        for r in range(len(f1_weights)):
            learnt = _learnt(name, f0.low, mated[r], nonmated[r])
            if learnt is not None:
                out[r] = self._under(learnt, f1_weights[r : r + 1])[0]
        return out

    def _under(self, learnt: Map, weights: Weights) -> Floats:
        f1 = self.f1
        llr = learnt(f1.low)
        total = np.zeros(len(weights))
        for weight, sign in ((weights.mated, 1.0), (weights.nonmated, -1.0)):
            per_cell = f1.rungs @ disclosure_of_llr(sign * llr)
            with np.errstate(invalid="ignore"):  # a replicate without trials of a class: NaN
                total += (weight @ per_cell) / (weight @ f1.n)
        return D_ECE_MAX * total


@dataclass(frozen=True)
class ReplicatedGrids:
    """The same of tables of all pairs: what a replicate has on each rung is all that is needed."""

    f0: Grid
    f1: Grid
    draws: Resampling

    def resampled(self, name: str) -> Floats:
        (mated, nonmated), f1 = self._drawn
        out = np.full(len(mated), np.nan)
        for r in range(len(out)):
            learnt = _learnt(name, self.f0.scores, mated[r], nonmated[r])
            if learnt is not None:
                out[r] = self._under(learnt, f1[0][r : r + 1], f1[1][r : r + 1])[0]
        return out

    def observed(self, name: str) -> float:
        learnt = _learnt(name, self.f0.scores, *(part[0] for part in _as_they_are(self.f0)))
        assert learnt is not None, "there are scores of both classes"
        return float(self._under(learnt, *_as_they_are(self.f1))[0])

    def permuted(self, learnt: Map) -> Floats:
        names = self.draws.names
        chunks = (Permutation(self.f1, names[k : k + 100]) for k in range(0, len(names), 100))
        parts = [self._under(learnt, one.mated, one.nonmated) for one in chunks]
        return np.concatenate([np.empty(0), *parts])

    @cached_property
    def _drawn(self) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """Mated and non-mated trials per rung in each replicate, of either run."""
        drawn = self.draws.drawn

        def sums(grid: Grid) -> tuple[Floats, Floats]:
            total = np.zeros((len(drawn), grid.scores.size))
            for _, part in grid.over_panels(Summing(drawn)):
                total += part
            return drawn @ grid.own, total

        return sums(self.f0), sums(self.f1)

    def _under(self, learnt: Map, mated: Floats, nonmated: Floats) -> Floats:
        llr = learnt(self.f1.scores)
        with np.errstate(invalid="ignore", divide="ignore"):  # no trials of a class: NaN
            total: Floats = mated @ disclosure_of_llr(llr) / mated.sum(axis=1)
            total += nonmated @ disclosure_of_llr(-llr) / nonmated.sum(axis=1)
        return D_ECE_MAX * total


def replicated(
    f0: ScoreSet | BinnedScores, f1: Condition, draws: Resampling
) -> Replicated | ReplicatedGrids:
    """Replicates of two runs, by tables of all pairs where both are such."""
    if not isinstance(f0, BinnedScores):
        other = tally(f0, any_labels=True, most_rungs=MOST_RUNGS_TO_LEARN)
        return Replicated(other, f1.unlabelled, draws)
    counted = BinnedCondition("f0", f0, f1.similarity, None)
    if isinstance(f1, BinnedCondition) and counted.grid is not None and f1.grid is not None:
        return ReplicatedGrids(counted.grid, f1.grid, draws)
    return Replicated(counted.labelled, f1.unlabelled, draws)


def _learnt(name: str, scores: Floats, mated: Floats, nonmated: Floats) -> Map | None:
    """A map of counts on rungs; None where a class has none."""
    if not (mated.any() and nonmated.any()):
        return None
    used = mated + nonmated > 0
    return LEARNERS[name](scores[used], mated[used], nonmated[used])


def _as_they_are(grid: Grid) -> tuple[Floats, Floats]:
    every = Permutation(grid, np.arange(grid.speakers)[None])
    return every.mated, every.nonmated


def is_same_run(f0: ScoreSet | BinnedScores, f1: ScoreSet | BinnedScores) -> bool:
    """Whether the two runs gave the same scores: a deterministic safeguard has no C_ECE."""
    a, b = rungs_of(f0), rungs_of(f1)
    return all(
        np.array_equal(getattr(a, part), getattr(b, part)) for part in ("low", "mated", "nonmated")
    )
