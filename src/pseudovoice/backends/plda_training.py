"""Training PLDA on any corpus, small ones included: how far to trust it is measured, not guessed.

One share λ draws every covariance (of whitening, of LDA, between and within speakers) towards a
sphere. λ = 0 is PLDA as in the textbook; towards λ = 1 the ranking of the scores becomes that of
centred cosine. The more the training speakers can tell, the smaller the λ that serves unseen
speakers best, and unseen speakers are easy to have: leave some out, train on the others, see how
well the left-out ones are told apart. Formulas that derive λ from the number of utterances take
them for independent; those of one session are not, and then such formulas shrink far too little.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pseudovoice.backends.backend import Floats
from pseudovoice.backends.em import ITERATIONS, TOLERANCE
from pseudovoice.backends.labelled import Labelled, labelled
from pseudovoice.backends.lda import check_dimension
from pseudovoice.backends.plda import Plda, fit_plda
from pseudovoice.calibration.maps import learn_linear
from pseudovoice.errors import InputError

SHARES = (0.99, 0.97, 0.95, 0.9, 0.8, 0.7, 0.5, 0.3, 0.1, 0.03, 0.01)
"""Candidate λ, safest first."""
CAUTIOUS = 0.97
"""λ where there are too few speakers to leave any out."""
FOLDS = 5
_SPEAKERS_PER_FOLD, _SEGMENTS_PER_FOLD, _NONMATED_PER_FOLD = 100, 500, 20_000
_AS_GOOD = 1.02


def train_plda(
    vectors: ArrayLike,
    speakers: Sequence[str],
    *,
    dimension: int | None = None,
    shrinkage: float | None = None,
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
) -> Plda:
    """Learn PLDA from the embeddings of a corpus and their speakers.

    At least two speakers need two utterances each; speakers with one still tell about the spread
    between speakers. ``dimension`` is that of LDA, at most min(speakers − 1, dimension of the
    vectors); by default nothing is reduced: on real embeddings LDA to 150 dimensions changed
    little with 400 training speakers, and to 19 with 20 speakers it cost half the accuracy.
    ``shrinkage`` λ in [0, 1) is by default chosen with :func:`choose_shrinkage`.
    """
    training = labelled(vectors, speakers)
    if dimension is not None:
        check_dimension(training, dimension)
    if shrinkage is not None and not 0 <= shrinkage < 1:
        raise InputError(
            f"The shrinkage is {shrinkage}; PLDA takes a share from 0 to below 1. For 1 use "
            "centred cosine."
        )
    share = choose_shrinkage(training, dimension) if shrinkage is None else shrinkage
    return fit_plda(training, dimension, share, iterations, tolerance)


def choose_shrinkage(training: Labelled, dimension: int | None = None) -> float:
    """The λ with which training on some speakers tells other speakers apart best.

    Speakers are dealt into folds; each fold is scored segment × segment by the model of the
    others, with the moment estimates that EM starts from. Of the λ whose Cllr after affine
    calibration is within 2 % of the least, the largest wins; the search goes from large to small
    and ends after two that are worse. With fewer than four speakers of two or more utterances
    nobody can be left out, and λ is :data:`CAUTIOUS`.
    """
    several = training.counts >= 2
    folds = min(FOLDS, int(several.sum()) // 2)
    if folds < 2:
        return CAUTIOUS
    # Dealt in the order of the names, one kind after the other: each fold gets its part of both.
    fold = np.empty(training.speakers, np.intp)
    for kind in (several, ~several):
        fold[kind] = np.arange(int(kind.sum())) % folds
    splits = [
        (training.of_speakers(fold != k), _held_out(training, several & (fold == k)))
        for k in range(folds)
    ]
    costs: list[float] = []
    for share in SHARES:
        costs.append(_cost(splits, dimension, share))
        if len(costs) > 2 and min(costs[-2:]) > min(costs):
            break
    good_enough = _AS_GOOD * min(costs)
    return next(share for share, cost in zip(SHARES, costs, strict=False) if cost <= good_enough)


def _held_out(training: Labelled, chosen: NDArray[np.bool_]) -> Labelled:
    """Trials of the left-out speakers; a few hundred segments say enough."""
    chosen = chosen & (np.cumsum(chosen) <= _SPEAKERS_PER_FOLD)
    part = training.of_speakers(chosen)
    most = max(2, _SEGMENTS_PER_FOLD // part.speakers)
    order = np.argsort(part.speaker_of, kind="stable")
    first = np.cumsum(part.counts) - part.counts
    turn = np.empty(part.utterances, np.intp)
    turn[order] = np.arange(part.utterances) - np.repeat(first, part.counts)
    return Labelled(part.vectors[turn < most], part.speaker_of[turn < most])


def _cost(
    splits: Sequence[tuple[Labelled, Labelled]], dimension: int | None, share: float
) -> float:
    """Cllr, in nats, of all left-out trials after the affine map that suits them best."""
    mated: list[Floats] = []
    nonmated: list[Floats] = []
    for rest, held_out in splits:
        k = None if dimension is None else min(dimension, rest.speakers - 1)
        model = fit_plda(rest, k, share, 0, TOLERANCE)
        segments = model.prepare(held_out.vectors)
        above = np.triu_indices(held_out.utterances, 1)
        score = model.score(segments, segments)[above]
        same = np.equal.outer(held_out.speaker_of, held_out.speaker_of)[above]
        mated.append(score[same])
        others = score[~same]
        nonmated.append(others[:: 1 + others.size // _NONMATED_PER_FOLD])
    a, b = np.concatenate(mated), np.concatenate(nonmated)
    llr = learn_linear(a, b)
    return float(0.5 * (np.logaddexp(0, -llr(a)).mean() + np.logaddexp(0, llr(b)).mean()))
