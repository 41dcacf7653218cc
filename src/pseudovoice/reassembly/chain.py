"""Whole utterances put back together: the best links first, each slice in one chain only.

Links are taken in the order of their scores unless one of their slices has its neighbour on that
side already or they would close a circle. The attacker stops after as many links as there were
cuts: who knows how many utterances there are knows that number, and no attacker knows better when
to stop.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.reassembly.succession import Succession

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

_PER_SLICE = 64
"""Candidates of each slice that are looked at; further ones are never the best that is left."""


@dataclass(frozen=True)
class Recovered:
    """What chaining got right: links, and utterances of two slices or more all of whose links
    were found; ``exactly`` counts those that nothing else was hung on to."""

    links: int
    right: int
    utterances: int
    whole: int
    exactly: int

    @property
    def fraction(self) -> float:
        """The share of utterances put together again, whatever else was hung on to them."""
        return self.whole / self.utterances if self.utterances else 0.0


def chain(scores: Float64, links: int, *, seed: int = 0) -> Int64:
    """The successor that each slice gets, −1 for none, after the ``links`` best links."""
    n = len(scores)
    followed = np.full(n, -1)
    preceded = np.zeros(n, bool)
    leader = np.arange(n)

    def root(slice_: int) -> int:
        while leader[slice_] != slice_:
            leader[slice_] = leader[leader[slice_]]
            slice_ = leader[slice_]
        return int(slice_)

    chosen = 0
    for w, v in zip(*_best(scores, seed), strict=True):
        if chosen == links:
            break
        if followed[w] >= 0 or preceded[v] or root(w) == root(v):
            continue
        followed[w], preceded[v] = v, True
        leader[root(w)] = root(v)
        chosen += 1
    return followed


def _best(scores: Float64, seed: int) -> tuple[Int64, Int64]:
    """The best candidates of each slice, best link first; equal scores in random order."""
    n = len(scores)
    rng = np.random.default_rng(seed)
    open_ = np.where(np.eye(n, dtype=bool), -np.inf, scores)
    few = min(_PER_SLICE, n - 1)
    candidates = np.argpartition(-open_, few - 1, axis=1)[:, :few]
    values = np.take_along_axis(open_, candidates, axis=1).ravel()
    order = np.lexsort((rng.random(values.size), -values))
    return np.repeat(np.arange(n), few)[order], candidates.ravel()[order]


def recovered(scores: Float64, truth: Succession, *, seed: int = 0) -> Recovered:
    """Chain all slices and count what is right."""
    queries = truth.queries
    found = chain(scores, queries.size, seed=seed)
    good = found[queries] == truth.successor[queries]
    missed = np.unique(truth.utterance[queries][~good])
    tested = np.unique(truth.utterance[queries])
    whole = np.setdiff1d(tested, missed)
    # Something is hung on to an utterance if its last slice got a successor or its first was one.
    last = np.flatnonzero(truth.successor < 0)
    added = truth.utterance[last[found[last] >= 0]]
    first = np.setdiff1d(np.arange(len(truth)), truth.successor)
    linked = found[found >= 0]
    before = truth.utterance[np.intersect1d(first, linked)]
    exact = np.setdiff1d(whole, np.concatenate([added, before]))
    return Recovered(queries.size, int(good.sum()), tested.size, whole.size, exact.size)
