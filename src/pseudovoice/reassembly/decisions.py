"""Is the one slice the other's successor: how often a network says right, and of which pairs.

Maouche et al. (2022, §5.2) report 80 % on all pairs of a hundred utterances, of which one in 700 is
successive: whoever always says no is right in 99.9 %. On pairs as the network was trained on, half
of them successive, nobody is right in more than half of the cases without knowing anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.reassembly.succession import Succession

Float64 = NDArray[np.float64]

KINDS = ("successive", "same_speaker", "other_speaker")
"""The paper's three kinds of pairs."""


@dataclass(frozen=True)
class Decisions:
    """Shares of right decisions: of each kind of pairs, None where there is none.

    ``every_pair`` counts all pairs alike, as the paper does; ``balanced`` weighs the kinds ½, ¼ and
    ¼, as its training does. ``pairs`` are the numbers of each kind.
    """

    every_pair: float
    balanced: float | None
    successive: float | None
    same_speaker: float | None
    other_speaker: float | None
    pairs: tuple[int, int, int]


def decisions(found: Iterable[tuple[Float64, Succession]]) -> Decisions:
    """Judge log-odds, a matrix of queries by candidates for each sample; above 0 means yes."""
    right, pairs = np.zeros(3), np.zeros(3, np.int64)
    for scores, truth in found:
        queries = np.arange(len(truth))
        follows = np.zeros(scores.shape, bool)
        follows[truth.queries, truth.successor[truth.queries]] = True
        of_one = truth.speaker[:, None] == truth.speaker[None]
        itself = queries[:, None] == queries[None]
        kinds = (follows, of_one & ~follows & ~itself, ~of_one)
        correct = (scores > 0) == follows
        right += [np.count_nonzero(correct & kind) for kind in kinds]
        pairs += [np.count_nonzero(kind) for kind in kinds]
    successive, same, other = (
        float(a / n) if n else None for a, n in zip(right, pairs, strict=True)
    )
    balanced = None
    if successive is not None and same is not None and other is not None:
        balanced = successive / 2 + (same + other) / 4
    counts = (int(pairs[0]), int(pairs[1]), int(pairs[2]))
    every = float(right.sum() / pairs.sum())
    return Decisions(every, balanced, successive, same, other, counts)
