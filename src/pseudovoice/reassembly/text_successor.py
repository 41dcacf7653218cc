"""Who follows whom by the words alone (Maouche et al. 2022, §5.1).

Conventions
-----------
- With a 3-gram model, SF(w, v) = P(w_{n−1} w_n v_1 v_2) (Eq. 2) is

      P(w_{n−1}) P(w_n | w_{n−1}) P(v_1 | w_{n−1} w_n) P(v_2 | w_n v_1)      (Eq. 1)

- A slice w of one word has no w_{n−1}: P(w_n v_1 v_2) is left. A slice v of one word has no v_2:
  summed over all that could follow, its factor is 1.
- A slice without words, as fixed cuts make them, says nothing: as a query it leaves all candidates
  to their own probability; as a candidate it comes last, or has a ratio of 1.
- Words outside the vocabulary are ``<unk>``, all alike, so that slices of such words tie.
- ``score="ratio"`` is an attacker who knows better: SF(w, v) / (P(w) P(v)) does not prefer slices
  of common words to all others, as the joint probability does.
- Scores within 10⁻⁹ (log10) count as equal.

Of N slices only the last two words of each and the first two count, and the model knows
few of their combinations: for each word w_n the dense part of all scores is computed once, each
w_{n−1} changes only where the model has that trigram, and N² scores are never stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pseudovoice.compiled import compiled
from pseudovoice.cores import usable_cores
from pseudovoice.engines import in_threads
from pseudovoice.errors import UsageError
from pseudovoice.reassembly.ranking import Ranks
from pseudovoice.reassembly.succession import Succession
from pseudovoice.text.ngram import Arrays, NGram, find, follows, log10_of
from pseudovoice.text.tokens import tokens

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

SCORES = ("joint", "ratio")
_TIE = 1e-9
_NONE = -1
# Below what any words score.
_WORST = -1000.0


@dataclass(frozen=True)
class _Ends:
    """The words at the ends of slices, as numbers of the model; −1 where there is none."""

    before: Int64
    last: Int64
    first: Int64
    second: Int64


def rank_by_text(
    texts: Sequence[str],
    truth: Succession,
    model: NGram,
    *,
    score: str = "joint",
    workers: int | None = None,
) -> Ranks:
    """Where each slice's true successor ranks among all other slices."""
    table = _Table(texts, model, score)
    queries = truth.queries
    # Queries with the same last words share their scores: they lie together, in some worker's part.
    order = np.lexsort((table.ends.before[queries], table.ends.last[queries]))
    queries = queries[order]
    above, tied = np.empty((2, queries.size), np.int64)
    cores = workers or usable_cores()
    bounds = np.linspace(0, queries.size, 8 * cores + 1).astype(int)
    parts = [slice(a, b) for a, b in pairwise(bounds) if a < b]

    def work(part: slice) -> None:
        table.rank(queries[part], truth.successor[queries[part]], above[part], tied[part])

    for _ in in_threads(work, parts, cores):
        pass
    back = np.argsort(order)
    return Ranks(above[back], tied[back], len(truth), truth.utterance[truth.queries])


def text_scores(texts: Sequence[str], model: NGram, *, score: str = "joint") -> Float64:
    """All scores, log10, as a matrix of queries by candidates; for some thousand slices."""
    return _Table(texts, model, score).matrix()


class _Table:
    """What all queries share: the distinct beginnings of slices, and who begins how."""

    def __init__(self, texts: Sequence[str], model: NGram, score: str) -> None:
        if score not in SCORES:
            raise UsageError(f"There is no text score {score!r}; choose from {', '.join(SCORES)}.")
        self._model = model
        self.ends = _ends(texts, model)
        begins = np.stack([self.ends.first, self.ends.second], axis=1)
        self._pairs, pair = np.unique(begins, axis=0, return_inverse=True)
        self._pair = pair.reshape(-1).astype(np.int64)
        self._count = np.bincount(self._pair, minlength=len(self._pairs)).astype(np.int64)
        words, place = np.unique(self._pairs[:, 0], return_inverse=True)
        self._words, self._place = words, place.reshape(-1).astype(np.int64)
        self._ratio = score == "ratio"

    def rank(self, queries: Int64, truths: Int64, above: Int64, tied: Int64) -> None:
        """Fill in, for each query, how many candidates score above and like its successor."""
        _rank(
            *(queries, truths, above, tied),
            *(self.ends.before, self.ends.last, self._pair, self._count),
            *(self._pairs, self._words, self._place),
            self._ratio,
            _TIE,
            self._model.arrays,
        )

    def matrix(self) -> Float64:
        scores = np.empty((self._pair.size, self._pair.size))
        _matrix(
            *(scores, self.ends.before, self.ends.last, self._pair),
            *(self._pairs, self._words, self._place, self._ratio),
            self._model.arrays,
        )
        return scores


def _ends(texts: Sequence[str], model: NGram) -> _Ends:
    ends = np.full((len(texts), 4), _NONE, np.int64)
    for row, text in zip(ends, texts, strict=True):
        numbers = model.numbers(tokens(text))
        if numbers.size:
            row[1], row[2] = numbers[-1], numbers[0]
        if numbers.size > 1:
            row[0], row[3] = numbers[-2], numbers[1]
    return _Ends(*(np.ascontiguousarray(column) for column in ends.T))


@compiled
def _alone(pairs: Int64, ratio: bool, model: Arrays) -> tuple[Float64, Float64]:
    """log10 P(v_2 | v_1) of each beginning, and what is added to its score whoever asks."""
    given = np.zeros(len(pairs))
    added = np.zeros(len(pairs))
    for k in range(len(pairs)):
        first, second = pairs[k, 0], pairs[k, 1]
        if second >= 0:
            given[k] = log10_of(second, -1, first, model)
        if ratio and first >= 0:
            added[k] = -model.log1[first] - given[k]
        elif not ratio and first < 0:
            added[k] = _WORST
    return given, added


@compiled
def _after_last(
    last: int,
    pairs: Int64,
    words: Int64,
    place: Int64,
    given: Float64,
    one: Float64,
    two: Float64,
    model: Arrays,
) -> None:
    """Fill in log10 P(v_1 | w_n) of each word v_1 and log10 P(v_2 | w_n v_1) of each beginning."""
    weight = np.zeros(len(words))
    context = np.full(len(words), -1)
    for k in range(len(words)):
        word = words[k]
        if word < 0:
            one[k] = 0.0
        elif last < 0:
            one[k] = model.log1[word]
        else:
            at = follows(last, word, model)
            context[k] = at
            one[k] = model.log2[at] if at >= 0 else model.backoff1[last] + model.log1[word]
            weight[k] = model.backoff2[at] if at >= 0 else 0.0
    for k in range(len(pairs)):
        of = place[k]
        second = pairs[k, 1]
        if second < 0:
            two[k] = 0.0
            continue
        two[k] = weight[of] + given[k]
        if context[of] >= 0:
            at = find(model.word3, model.start3[context[of]], model.start3[context[of] + 1], second)
            if at >= 0:
                two[k] = model.log3[at]


@compiled
def _after_two(
    before: int,
    last: int,
    words: Int64,
    one: Float64,
    first: Float64,
    model: Arrays,
) -> None:
    """Fill in log10 P(v_1 | w_{n−1} w_n) of each word v_1, given log10 P(v_1 | w_n)."""
    first[:] = one
    if before < 0 or last < 0:
        return
    context = follows(before, last, model)
    if context < 0:
        return
    for k in range(len(words)):
        if words[k] >= 0:
            first[k] += model.backoff2[context]
    low, high = model.start3[context], model.start3[context + 1]
    for at in range(low, high):
        k = find(words, 0, len(words), model.word3[at])
        if k >= 0:
            first[k] = model.log3[at]


@compiled
def _constant(before: int, last: int, model: Arrays) -> float:
    """log10 P(w_{n−1} w_n), the same for all candidates of a query."""
    if last < 0:
        return 0.0
    if before < 0:
        return float(model.log1[last])
    return float(model.log1[before] + log10_of(last, -1, before, model))


@compiled
def _rank(
    queries: Int64,
    truths: Int64,
    above: Int64,
    tied: Int64,
    before: Int64,
    last: Int64,
    pair: Int64,
    count: Int64,
    pairs: Int64,
    words: Int64,
    place: Int64,
    ratio: bool,
    tie: float,
    model: Arrays,
) -> None:
    given, added = _alone(pairs, ratio, model)
    one, first = np.empty(len(words)), np.empty(len(words))
    two, scores = np.empty(len(pairs)), np.empty(len(pairs))
    for q in range(len(queries)):
        w = queries[q]
        new = q == 0 or last[w] != last[queries[q - 1]]
        if new:
            _after_last(last[w], pairs, words, place, given, one, two, model)
        if new or before[w] != before[queries[q - 1]]:
            _after_two(before[w], last[w], words, one, first, model)
            for k in range(len(pairs)):
                scores[k] = first[place[k]] + two[k] + added[k]
        true = scores[pair[truths[q]]]
        more, same = 0, 0
        for k in range(len(pairs)):
            if scores[k] > true + tie:
                more += count[k]
            elif scores[k] >= true - tie:
                same += count[k]
        # A slice is no candidate for its own successor.
        own = scores[pair[w]]
        if own > true + tie:
            more -= 1
        elif own >= true - tie:
            same -= 1
        above[q] = more
        tied[q] = same


@compiled
def _matrix(
    scores: Float64,
    before: Int64,
    last: Int64,
    pair: Int64,
    pairs: Int64,
    words: Int64,
    place: Int64,
    ratio: bool,
    model: Arrays,
) -> None:
    given, added = _alone(pairs, ratio, model)
    one, first, two = np.empty(len(words)), np.empty(len(words)), np.empty(len(pairs))
    for w in range(len(scores)):
        _after_last(last[w], pairs, words, place, given, one, two, model)
        _after_two(before[w], last[w], words, one, first, model)
        shared = 0.0
        if not ratio:
            shared = _constant(before[w], last[w], model)
        for v in range(len(pair)):
            k = pair[v]
            scores[w, v] = shared + first[place[k]] + two[k] + added[k]
