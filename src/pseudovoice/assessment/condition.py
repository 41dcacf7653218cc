"""One condition assessed: its scalars, matrix, zoo and per-speaker disclosure, with replicates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pseudovoice.assessment.evaluate import Evaluation, evaluate
from pseudovoice.assessment.linkability import bins_for
from pseudovoice.assessment.own_metrics import OwnValue, own_value, score_metrics
from pseudovoice.assessment.replicates import (
    Replicates,
    Weights,
    bootstrap,
    join_replicates,
    once,
    permutation,
    replicate,
)
from pseudovoice.assessment.similarity import (
    SimilarityMatrix,
    diagonal_dominance,
    similarity_of_mean,
    terms_of_llr,
)
from pseudovoice.assessment.tally import Tally, tally
from pseudovoice.assessment.zebra import D_ECE_MAX, disclosure_of_llr
from pseudovoice.assessment.zoo import Zoo, zoo
from pseudovoice.calibration.ladder import Floats
from pseudovoice.calibration.pav import Calibration, calibrate
from pseudovoice.errors import few
from pseudovoice.scores.scoreset import ScoreSet

FEWEST_BINS = 5
"""Below so many bins D_sys cannot come near its true value."""

FEWEST_DRAWN = 3
"""Speakers below which no interval is given: two can be drawn in one way only that leaves trials of
both classes, and the interval would have no width."""

MOST_WEIGHTS = 1 << 23
"""Weights of cells held at once, mated and non-mated each (64 MB)."""


@dataclass(frozen=True)
class Resampling:
    """The draws shared by all conditions: bootstrap counts and new names, one row a replicate."""

    drawn: Floats
    names: NDArray[np.intp]


@dataclass(frozen=True)
class Condition:
    """The scores of one condition and, computed once on demand, all that follows from them."""

    name: str
    scores: ScoreSet
    similarity: str
    resampling: Resampling | None

    @cached_property
    def evaluation(self) -> Evaluation:
        return evaluate(self.scores.mated_scores, self.scores.nonmated_scores)

    @cached_property
    def oracle(self) -> Calibration:
        """The Laplace oracle calibration."""
        return calibrate(self.scores.mated_scores, self.scores.nonmated_scores, laplace=True)

    @cached_property
    def laplace_llr(self) -> Floats:
        """The Laplace oracle LLR of every trial."""
        return self.oracle(self.scores.score)

    @cached_property
    def labelled(self) -> Tally:
        return tally(self.scores, any_labels=False)

    @cached_property
    def unlabelled(self) -> Tally:
        return tally(self.scores, any_labels=True)

    @property
    def levels(self) -> int | None:
        """How many levels the scores were rounded to for the replicates, None if they were not."""
        return int(self.labelled.low.size) if self.labelled.rounded else None

    @cached_property
    def trials_per_pair(self) -> Floats:
        """How many trials each enrolment speaker has with each trial speaker."""
        n = len(self.scores.speakers)
        cell = self.scores.enrol.astype(np.int64) * n + self.scores.trial
        return np.bincount(cell, minlength=n * n).reshape(n, n).astype(np.float64)

    @cached_property
    def square(self) -> tuple[NDArray[np.intp], str | None]:
        """Speakers that can stand in a square matrix, and why there is no matrix, if so."""
        if not self.scores.named:
            return np.empty(0, np.intp), "the scores name no speakers"
        filled = self.trials_per_pair > 0
        both = np.flatnonzero(filled.any(axis=1) & filled.any(axis=0))
        if both.size < 2:
            return both, f"{both.size} speaker(s) stand on both sides of the trials; two are needed"
        if self.scores.pairing == "upper":
            filled |= filled.T
        empty = np.argwhere(~filled[np.ix_(both, both)])
        if empty.size:
            i, j = (self.scores.speakers[both[k]] for k in empty[0])
            return both, (
                f"{len(empty)} pair(s) of speakers have no trial, the first {i} against "
                f"{j}; the matrix needs a score for every pair"
            )
        return both, None

    @property
    def under_similarity(self) -> Condition:
        """Whose trials the matrix, D_diag and the zoo rest on: this condition's own."""
        return self

    @cached_property
    def excluded(self) -> tuple[str, ...]:
        """Speakers who are on one side of the trials only."""
        count = self.trials_per_pair
        sides = np.flatnonzero(count.any(axis=1) | count.any(axis=0))
        return tuple(self.scores.speakers[k] for k in np.setdiff1d(sides, self.square[0]))

    @cached_property
    def matrix(self) -> SimilarityMatrix | None:
        """M of this condition (noe2022 §4.1), or None where `square` says why not."""
        both, reason = self.square
        if reason is not None:
            return None
        n = len(self.scores.speakers)
        cell = self.scores.enrol.astype(np.int64) * n + self.scores.trial
        terms = terms_of_llr(self.oracle.llr, self.similarity)[
            self.oracle.step_of(self.scores.score)
        ]
        total, count = np.bincount(cell, terms, n * n), self.trials_per_pair.ravel()
        with np.errstate(invalid="ignore"):
            mean = (total / count).reshape(n, n)[np.ix_(both, both)]
        if self.scores.pairing == "upper":
            mean = np.where(np.isnan(mean), mean.T, mean)
        return SimilarityMatrix(
            similarity_of_mean(mean, self.similarity),
            tuple(self.scores.speakers[k] for k in both),
            self.similarity,
        )

    @cached_property
    def zoo(self) -> Zoo:
        return zoo(self.scores, self.laplace_llr)

    @cached_property
    def trials_per_speaker(self) -> tuple[Floats, Floats]:
        """How many mated and non-mated trials each speaker has, on either side."""
        count = self.trials_per_pair
        own = count.diagonal()
        return own, count.sum(axis=0) + count.sum(axis=1) - 2 * own

    def _replicate(self, of: Tally, weights: Callable[[slice], Weights], n: int) -> Replicates:
        both, reason = self.square
        inside = np.isin(of.row, both) & np.isin(of.column, both) if reason is None else None
        # The weights of all replicates at once would be as large as replicates × speakers².
        step = max(1, MOST_WEIGHTS // of.row.size)
        parts = [
            replicate(
                of,
                weights(slice(k, k + step)),
                similarity=self.similarity,
                square=inside,
                per_speaker=True,
            )
            for k in range(0, n, step)
        ]
        return parts[0] if len(parts) == 1 else join_replicates(parts)

    @cached_property
    def observed(self) -> Replicates:
        """The data as they are, through the code of the replicates."""
        return self._replicate(self.labelled, lambda _: once(self.labelled), 1)

    @cached_property
    def resampled(self) -> Replicates | None:
        if self.resampling is None or not self.scores.named or not len(self.resampling.drawn):
            return None
        of, drawn = self.labelled, self.resampling.drawn
        return self._replicate(of, lambda part: bootstrap(of, drawn[part]), len(drawn))

    @cached_property
    def permuted(self) -> Replicates | None:
        if self.resampling is None or not self.scores.named or not len(self.resampling.names):
            return None
        of, names = self.unlabelled, self.resampling.names
        return self._replicate(of, lambda part: permutation(of, names[part]), len(names))

    @cached_property
    def per_speaker(self) -> tuple[Floats, Floats]:
        """D_ECE and l_w of each speaker's own trials, NaN for who has none of a class."""
        scores, n = self.scores, len(self.scores.speakers)
        plain = calibrate(scores.mated_scores, scores.nonmated_scores)
        total = np.zeros(n)
        for sign, of in ((1.0, scores.mated), (-1.0, ~scores.mated)):
            gain = disclosure_of_llr(sign * plain.llr)[plain.step_of(scores.score[of])]
            sides = [scores.enrol[of]] if sign > 0 else [scores.enrol[of], scores.trial[of]]
            with np.errstate(invalid="ignore"):
                total += sum(np.bincount(side, gain, n) for side in sides) / sum(
                    np.bincount(side, minlength=n) for side in sides
                )
        worst = np.zeros(n)
        for side in (scores.enrol, scores.trial):
            np.maximum.at(worst, side, np.abs(self.laplace_llr))
        worst = worst / np.log(10.0) if self.evaluation.l_w > 0 else np.zeros(n)
        return D_ECE_MAX * total, np.where(np.isnan(total), np.nan, worst)

    @cached_property
    def own(self) -> list[OwnValue]:
        """The metrics of other packages."""
        draws = self.resampling
        return [
            own_value(
                metric,
                self.scores,
                None if draws is None else draws.drawn,
                None if draws is None else draws.names,
            )
            for metric in score_metrics().values()
        ]

    def scalar(self, metric: str) -> float | None:
        """The value of a scalar of this condition, None where it cannot be had."""
        if metric in ("d_diag", "d_diag_log"):
            return None if self.matrix is None else float(getattr(self.matrix, metric))
        value = getattr(self.evaluation, metric)
        return None if value is None or not np.isfinite(value) else float(value)

    def replicates_of(self, metric: str) -> tuple[Floats | None, Floats | None, float | None]:
        """Bootstrap and permutation replicates of a scalar, and its value on rounded scores."""
        of = self.under_similarity if metric in ("d_diag", "d_diag_log") else self
        boot = None if of.resampled is None else of.resampled.scalars.get(metric)
        null = None if of.permuted is None else of.permuted.scalars.get(metric)
        rounded = (
            float(of.observed.scalars[metric][0])
            if boot is not None and of.levels is not None
            else None
        )
        return boot, null, rounded

    def warnings(self) -> list[str]:
        """What a reader of this condition's numbers has to know."""
        notes = []
        if self.evaluation.constant:
            notes.append(f"{self.name}: all scores are equal; they carry no evidence at all.")
        if not np.isfinite(self.evaluation.cllr):
            notes.append(
                f"{self.name}: cllr and cllr_cal are absent: the scores are too large to be read "
                "as log-likelihood-ratios."
            )
        if self.evaluation.d_sys is None:
            notes.append(
                f"{self.name}: d_sys is absent: it needs at least 10 mated scores and "
                f"there are {self.evaluation.n_mated}."
            )
        bins = bins_for(self.evaluation.n_mated)
        if self.evaluation.d_sys is not None and bins < FEWEST_BINS:
            notes.append(
                f"{self.name}: d_sys rests on {bins} histogram bin(s) only, since there are "
                f"{self.evaluation.n_mated} mated scores; it is too low to be of use."
            )
        if not self.scores.named:
            notes.append(
                f"{self.name}: intervals, null levels, similarity and per-speaker figures "
                "are absent: the score file names no speakers."
            )
            return notes
        compared = self.under_similarity
        if compared.square[1] is not None:
            notes.append(
                f"{self.name}: d_diag and what follows from it are absent: {compared.square[1]}."
            )
        elif compared.excluded:
            notes.append(
                f"{self.name}: {len(compared.excluded)} speaker(s) on one side of the trials "
                f"only are left out of the similarity matrix: {few(compared.excluded)}."
            )
        matrix = self.matrix
        if matrix is not None and (
            matrix.values.diagonal().mean() < _off_diagonal(matrix.values)
            and diagonal_dominance(matrix.values) > 0.01
        ):
            notes.append(
                f"{self.name}: speakers resemble others more than themselves (the diagonal "
                "lies below the rest); D_diag counts that as dominance all the same."
            )
        if self.permuted is not None and np.isnan(self.permuted.scalars["d_ece"]).mean() > 0.5:
            notes.append(
                f"{self.name}: null levels are absent: with speakers renamed, too few "
                "trials of this key would be mated."
            )
        return notes


def _off_diagonal(values: Floats) -> float:
    n = values.shape[0]
    return float((values.sum() - values.diagonal().sum()) / (n * (n - 1)))
