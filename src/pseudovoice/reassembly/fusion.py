"""Several cues as one attack: a logistic regression, learned on slices whose order is known.

The attacker slices speech of their own as the victim's was and learns on a balanced set, as the
paper's classifier does (§5.2): half of the pairs successive, a quarter others of the same
speaker, a quarter of different speakers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import rankdata

from pseudovoice.errors import InputError
from pseudovoice.reassembly.succession import Succession

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

_RIDGE = 1e-3
"""Keeps a cue that separates the training pairs perfectly, as shared silence does, finite."""


@dataclass(frozen=True)
class Fusion:
    """Weights of cues; the score of a pair is Σ weight · (cue − mean) / spread."""

    cues: tuple[str, ...]
    mean: tuple[float, ...]
    spread: tuple[float, ...]
    weight: tuple[float, ...]

    def __call__(self, scores: Mapping[str, Float64]) -> Float64:
        """One matrix of scores from those of the cues, all of which must be there."""
        columns = zip(self.cues, self.mean, self.spread, self.weight, strict=True)
        parts = [weight * (scores[cue] - mean) / spread for cue, mean, spread, weight in columns]
        total: Float64 = np.sum(parts, axis=0)
        return total


def mean_rank(scores: Mapping[str, Float64], cues: Sequence[str]) -> Float64:
    """Cues joined without learning: each candidate's rank for a query, averaged over the cues.

    Higher is likelier; equal scores share their mean rank.
    """
    ranks = [rankdata(scores[cue], axis=1) for cue in cues]
    total: Float64 = np.mean(ranks, axis=0)
    return total


def balanced_pairs(truth: Succession, rng: np.random.Generator) -> tuple[Int64, Int64, Int64]:
    """Queries, candidates and whether they are successive: ½ yes, ¼ same speaker, ¼ other."""
    queries = truth.queries
    pairs = [(queries, truth.successor[queries], np.ones(queries.size, np.int64))]
    half = queries.size // 2
    # Speakers' slices lie together in this order, so that a draw need not look at all slices.
    order = np.argsort(truth.speaker, kind="stable")
    speaker = truth.speaker[order]
    for same in (True, False):
        chosen = rng.permutation(queries)[:half]
        first, last = (
            np.searchsorted(speaker, truth.speaker[chosen], s) for s in ("left", "right")
        )
        candidates = np.array(
            [
                _other(truth, order, w, (a, b), same, rng)
                for w, a, b in zip(chosen, first, last, strict=True)
            ],
            dtype=np.int64,
        )
        found = candidates >= 0
        pairs.append((chosen[found], candidates[found], np.zeros(int(found.sum()), np.int64)))
    one, other, label = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return one, other, label


def _other(
    truth: Succession,
    order: Int64,
    w: int,
    own: tuple[int, int],
    same: bool,
    rng: np.random.Generator,
) -> int:
    """A slice that does not follow w, of the same speaker or of another; −1 if there is none.

    ``order[own[0]:own[1]]`` are the slices of w's speaker.
    """
    begin, end = own
    if not same:
        rest = order.size - (end - begin)
        k = int(rng.integers(rest)) if rest else -1
        return -1 if k < 0 else int(order[k if k < begin else k + end - begin])
    if end - begin <= 2:  # w and its successor alone
        return -1
    while True:
        k = int(order[int(rng.integers(begin, end))])
        if k not in (w, truth.successor[w]):
            return k


def learn(
    samples: Sequence[tuple[Mapping[str, Float64], Succession]],
    cues: Sequence[str],
    *,
    seed: int = 0,
) -> Fusion:
    """Learn how much each cue counts from slices whose successors are known."""
    rng = np.random.default_rng(seed)
    rows, labels = [], []
    for scores, truth in samples:
        one, other, label = balanced_pairs(truth, rng)
        rows.append(np.stack([scores[cue][one, other] for cue in cues], axis=1))
        labels.append(label)
    x, y = np.concatenate(rows), np.concatenate(labels).astype(np.float64)
    if not 0 < y.mean() < 1:
        raise InputError("The attacker's own slices have no successors to learn from.")
    mean, spread = x.mean(axis=0), x.std(axis=0)
    spread[spread == 0] = 1.0
    design = np.column_stack([(x - mean) / spread, np.ones(y.size)])

    def loss(weights: Float64) -> tuple[float, Float64]:
        z = design @ weights
        cost = np.logaddexp(0, z).mean() - (y * z).mean() + _RIDGE * (weights[:-1] ** 2).sum()
        slope = design.T @ (expit(z) - y) / y.size
        slope[:-1] += 2 * _RIDGE * weights[:-1]
        return float(cost), slope

    found = minimize(loss, np.zeros(design.shape[1]), jac=True, method="L-BFGS-B")
    return Fusion(
        tuple(cues),
        tuple(map(float, mean)),
        tuple(map(float, spread)),
        tuple(map(float, found.x[:-1])),
    )
