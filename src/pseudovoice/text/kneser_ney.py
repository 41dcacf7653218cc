"""Modified Kneser–Ney smoothing (Chen & Goodman 1998), interpolated, for up to three words.

Conventions
-----------
- Each sentence is ``<s> w_1 … w_n </s>``; ``<s>`` is never predicted.
- The count a of an n-gram is how often it occurs if n is the model's order or it begins with
  ``<s>``, else in how many different words' company it does: the number of words that stand before
  it.
- Of each count the discount D_1, D_2 or D_3 (for a = 1, 2, 3 or more) is taken off and shared
  out among all words in the proportions of the lower order:

      P(w | h) = (a(h w) − D(a(h w))) / Σ_v a(h v) + γ(h) P(w | h'),
      γ(h) = (D_1 N_1(h) + D_2 N_2(h) + D_3 N_3+(h)) / Σ_v a(h v),

  with N_i(h) the number of words v with a(h v) = i. Below single words lies the uniform
  distribution over vocabulary, ``</s>`` and ``<unk>``.
- D_i = i − (i + 1) Y n_{i+1} / n_i, Y = n_1 / (n_1 + 2 n_2), where n_i counts n-grams with a = i. A
  text too small to have them gets D = 0.5, 1, 1.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import InputError
from pseudovoice.text.ngram import NEVER, Float64, Int64, Level, NGram
from pseudovoice.text.tokens import SPECIAL

_UNKNOWN, _BEGIN, _END = range(3)
_FALLBACK = (0.5, 1.0, 1.5)
# Three word numbers share one 64-bit key.
_MOST_WORDS = 1 << 21


def train(sentences: Iterable[Sequence[str]], order: int = 3) -> NGram:
    """A model of ``order`` 1, 2 or 3 from sentences of words (see :func:`tokens`)."""
    if order not in (1, 2, 3):
        raise InputError(f"A language model has an order of 1, 2 or 3, not {order}.")
    said = [words for words in sentences if words]
    if not said:
        raise InputError("The text for the language model has no words in it.")
    known = sorted(set(chain.from_iterable(said)) - set(SPECIAL))
    words = (*SPECIAL, *known)
    if len(words) > _MOST_WORDS:
        raise InputError(f"The text has {len(words):,} different words; take less of it.")
    stream = _stream(said, {word: number for number, word in enumerate(words)})
    return _model(words, _counted(stream, len(words), order))


def _stream(said: Sequence[Sequence[str]], index: dict[str, int]) -> Int64:
    """All sentences one after the other, each with its two ends."""
    numbers: list[int] = []
    for words in said:
        numbers.append(_BEGIN)
        # Somebody's text may hold the words <s> and </s>; inside a sentence they mean nothing.
        numbers += [n if (n := index[word]) > _END else _UNKNOWN for word in words]
        numbers.append(_END)
    return np.array(numbers, dtype=np.int64)


def _counted(stream: Int64, size: int, order: int) -> list[tuple[Int64, Int64]]:
    """Keys and counts a of the n-grams of each order; a key holds its words as digits."""
    levels: list[tuple[Int64, Int64]] = []
    whole = _windows(stream, size, order)
    for n in range(order, 0, -1):
        keys, counts = np.unique(
            whole if n == order else _windows(stream, size, n), return_counts=True
        )
        if n < order:
            above = levels[-1][0]
            behind, companions = np.unique(above % size**n, return_counts=True)
            at = np.searchsorted(behind, keys)
            at[at == behind.size] = 0
            found = behind[at] == keys
            begins = keys // size ** (n - 1) == _BEGIN
            counts = np.where(begins, counts, np.where(found, companions[at], 0))
        kept = counts > 0
        levels.append((keys[kept], counts[kept]))
    levels.reverse()
    # <s> itself is never predicted.
    keys, counts = levels[0]
    levels[0] = keys[keys != _BEGIN], counts[keys != _BEGIN]
    return levels


def _windows(stream: Int64, size: int, n: int) -> Int64:
    """Keys of all n-grams that stay within a sentence."""
    count = stream.size - n + 1
    if count <= 0:
        return np.zeros(0, np.int64)
    keys = np.zeros(count, np.int64)
    inside = np.ones(count, bool)
    for k in range(n):
        part = stream[k : k + count]
        keys = keys * size + part
        # A sentence may only begin at the first word of an n-gram.
        inside &= (part != _BEGIN) | (k == 0)
    kept: Int64 = keys[inside]
    return kept


def _discounts(counts: Int64) -> tuple[float, float, float]:
    n1, n2, n3, n4 = (int((counts == k).sum()) for k in (1, 2, 3, 4))
    if 0 in (n1, n2, n3, n4):
        return _FALLBACK
    y = n1 / (n1 + 2 * n2)
    found = 1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3
    usable = all(0 < d <= k for k, d in enumerate(found, 1))
    return found if usable else _FALLBACK


def _shares(contexts: NDArray[np.int64], counts: Int64, size: int) -> tuple[Float64, Float64]:
    """Discounted share of each n-gram, and γ of each of ``size`` contexts."""
    discounts = np.array([0.0, *_discounts(counts)])[np.minimum(counts, 3)]
    totals = np.bincount(contexts, counts.astype(np.float64), size)
    taken = np.bincount(contexts, discounts, size)
    with np.errstate(invalid="ignore"):
        gamma = np.where(totals > 0, taken / totals, 1.0)
    return (counts - discounts) / totals[contexts], gamma


def _model(words: tuple[str, ...], levels: list[tuple[Int64, Int64]]) -> NGram:
    size = len(words)
    keys, counts = levels[0]
    share, gamma = _shares(np.zeros(keys.size, np.int64), counts, 1)
    # Every word but <s> can come next.
    one = np.full(size, gamma[0] / (size - 1))
    one[keys] += share
    one[_BEGIN] = 0.0
    empty = Level(np.zeros(size + 1, np.int64), *(np.zeros(0, t) for t in (int, float, float)))
    two, three = empty, _no_level(0)
    backoff = np.zeros(size)
    if len(levels) > 1:
        pairs, counts = levels[1]
        first, second = pairs // size, pairs % size
        share, gamma = _shares(first, counts, size)
        probability = share + gamma[first] * one[second]
        backoff = np.log10(gamma)
        weights = np.zeros(pairs.size)
        if len(levels) > 2:
            triples, counts = levels[2]
            context = np.searchsorted(pairs, triples // size)
            third = triples % size
            share, gamma = _shares(context, counts, pairs.size)
            inner = (triples // size) % size
            lower = probability[np.searchsorted(pairs, inner * size + third)]
            weights = np.log10(gamma)
            three = Level(
                _starts(context, pairs.size),
                third,
                np.log10(share + gamma[context] * lower),
                np.zeros(third.size),
            )
        else:
            three = _no_level(pairs.size)
        two = Level(_starts(first, size), second, np.log10(probability), weights)
    log_one = np.full(size, NEVER)
    np.log10(one, out=log_one, where=one > 0)
    return NGram(words, log_one, backoff, two, three)


def _starts(contexts: Int64, size: int) -> Int64:
    """Where the entries of each context begin, given them sorted by context."""
    return np.searchsorted(contexts, np.arange(size + 1)).astype(np.int64)


def _no_level(contexts: int) -> Level:
    return Level(np.zeros(contexts + 1, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
