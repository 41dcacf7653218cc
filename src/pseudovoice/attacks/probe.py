"""A small probe: what a class of people has in common, learnt from some and tried on others.

Ridge regression on the marks of a class, against the rest: the direction of a regularised linear
discriminant. What it says is linear in the labels, so that hundreds of shuffled labels are learnt
in one solution, each as the right ones are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from pseudovoice.calibration.ladder import Floats

FOLDS = 10
RIDGE = 3.0
"""Beside features of variance 1: many figures, few people. From 1 to 10 little changes; 0.1 tells
the sex of 23 speakers of ``speech/voice`` with an AUC of 0.974 in place of 0.998 (ge2e)."""


def folds_of(
    speakers: Sequence[str], labels: Sequence[str], rng: np.random.Generator
) -> NDArray[np.intp]:
    """A fold for every utterance: nobody stands in two, and classes are spread over all of them."""
    label = dict(zip(speakers, labels, strict=True))
    names = sorted(rng.permutation(sorted(label)).tolist(), key=lambda name: label[name])
    fold = {name: k % FOLDS for k, name in enumerate(names)}
    return np.array([fold[speaker] for speaker in speakers], np.intp)


def cross_fitted(learnt: Floats, tried: Floats, marks: Floats, fold: NDArray[np.intp]) -> Floats:
    """What probes say of every utterance, each having learnt from the people of other folds.

    ``learnt`` and ``tried`` are versions of the same utterances × features, ``marks`` 1 for the
    utterances of a class, a column for each probe.
    """
    said = np.zeros(marks.shape)
    for k in np.unique(fold):
        inside = fold == k
        mean, spread = learnt[~inside].mean(axis=0), learnt[~inside].std(axis=0)
        spread = np.where(spread > 0, spread, 1.0)
        x = (learnt[~inside] - mean) / spread
        y = marks[~inside] - marks[~inside].mean(axis=0)
        ridge = cho_factor(x.T @ x + RIDGE * len(x) * np.eye(x.shape[1]))
        # Without the mean of the labels, which would tell one fold from another.
        said[inside] = ((tried[inside] - mean) / spread) @ cho_solve(ridge, x.T @ y)
    return said
