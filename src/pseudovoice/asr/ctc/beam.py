"""CTC prefix beam search with a word language model, in compiled code.

Conventions
-----------
- A *prefix* y is what has been written so far. Its probability is the sum over all paths that
  collapse to it (Graves 2012, Hannun et al. 2014); paths that end in a blank and those that end in
  its last unit are counted apart, since only the former can double a letter.
- The search looks for the text with the highest

      ln P_CTC(y | x) + weight · ln P_LM(y) + bonus · words(y),

  P_LM over words and the end of the sentence. The model is asked when a word ends.
- A word outside the lexicon has P(<unk> | before) · :data:`SPELLING` to the number of its letters,
  as if each letter were drawn from a hat: it costs, but a name can be written.
- While a word is being written, the prefix is ranked as if it became the likeliest single word that
  begins so. That decides what is pruned and is taken back when the word ends.
- No text begins with a space or has two in a row.
"""

from __future__ import annotations

import math

import numpy as np

from pseudovoice.asr.ctc.lexicon import Int32
from pseudovoice.asr.ctc.units import BLANK, LETTERS, SPACE
from pseudovoice.compiled import compiled
from pseudovoice.text.ngram import Arrays, Float64, Int64, log10_of

SPELLING = 1.0 / len(LETTERS)

_LOG_SPELLING = math.log10(SPELLING)
_NEVER = -np.inf
# Columns of the table of prefixes: the prefix it grew from and the unit it grew by; its first child
# and its next sibling; its node in the lexicon and the letters of its last word; the numbers of the
# two whole words before that.
_PARENT, _UNIT, _CHILD, _SIBLING, _NODE, _LETTERS, _BEFORE, _LAST = range(8)
# Columns of what a prefix adds to its score: by whole words, and by what the last may become.
_SAID, _GUESS = range(2)


@compiled
def _plus(a: float, b: float) -> float:
    """ln(eᵃ + eᵇ)."""
    if a < b:
        a, b = b, a
    if b == -np.inf:
        return a
    return a + math.log1p(math.exp(b - a))


@compiled
def _word(
    node: int, letters: int, a: int, b: int, unknown: int, ending: Int32, language: Arrays
) -> tuple[int, float]:
    """The word that ends at a node of the lexicon, and its log10 P after the words a b."""
    word = ending[node] if node >= 0 else -1
    if word >= 0:
        return word, log10_of(word, a, b, language)
    return unknown, log10_of(unknown, a, b, language) + letters * _LOG_SPELLING


@compiled
def _grow(
    table: Int64,
    worth: Float64,
    size: int,
    parent: int,
    unit: int,
    weights: tuple[float, float],
    tree: tuple[Int32, Int32, Float64],
    marks: tuple[int, int, int],
    language: Arrays,
) -> None:
    """Write the prefix that ``unit`` makes of ``parent`` into the free row ``size``."""
    weight, bonus = weights
    children, ending, ahead = tree
    unknown = marks[0]
    node, letters = table[parent, _NODE], table[parent, _LETTERS]
    a, b = table[parent, _BEFORE], table[parent, _LAST]
    worth[size, _SAID], worth[size, _GUESS] = worth[parent, _SAID], 0.0
    if unit == SPACE:
        word, log10 = _word(node, letters, a, b, unknown, ending, language)
        worth[size, _SAID] += weight * log10 + bonus
        node, letters, a, b = 0, 0, b, word
    else:
        node, letters = (children[node, unit] if node >= 0 else -1), letters + 1
        likely = ahead[node] if node >= 0 else language[0][unknown] + letters * _LOG_SPELLING
        worth[size, _GUESS] = weight * likely
    table[size, _PARENT], table[size, _UNIT] = parent, unit
    table[size, _CHILD], table[size, _SIBLING] = -1, -1
    table[size, _NODE], table[size, _LETTERS] = node, letters
    table[size, _BEFORE], table[size, _LAST] = a, b


@compiled
def _find(table: Int64, parent: int, unit: int) -> int:
    """The prefix that ``unit`` makes of ``parent``, −1 if nobody has written it yet."""
    child = table[parent, _CHILD]
    while child >= 0 and table[child, _UNIT] != unit:
        child = table[child, _SIBLING]
    return int(child)


@compiled
def search(
    heard: Float64,
    beam: int,
    least: float,
    weights: tuple[float, float],
    tree: tuple[Int32, Int32, Float64],
    marks: tuple[int, int, int],
    language: Arrays,
) -> tuple[Int64, float]:
    """The best text as units, and its score.

    ``heard`` holds ln P of each unit in each frame, [T, units]. ``beam`` prefixes are kept a
    frame; units less likely than ``least`` (ln P) in a frame are not tried. ``weights`` are those
    of the language model (for log10) and of a word, ``tree`` the arrays of the lexicon, ``marks``
    the language model's numbers of <unk>, <s> and </s>, ``language`` its arrays.
    """
    frames, units = heard.shape
    # Survivors of every frame, and behind them the candidates of one.
    table = np.full((1 + frames * beam + beam * units, 8), -1, np.int64)
    worth = np.zeros((len(table), 2))
    table[0, _NODE], table[0, _LETTERS], table[0, _LAST] = 0, 0, marks[1]
    slot = np.full(len(table), -1, np.int64)
    size = 1
    active = np.zeros(1, np.int64)
    blank, other = np.zeros(1), np.full(1, _NEVER)
    for t in range(frames):
        n = active.size
        slot[active] = np.arange(n)
        prefixes = np.empty(n + beam * units, np.int64)
        in_blank, in_other = np.full(prefixes.size, _NEVER), np.full(prefixes.size, _NEVER)
        prefixes[:n] = active
        count, free = n, size
        for i in range(n):
            prefix, last = active[i], table[active[i], _UNIT]
            both = _plus(blank[i], other[i])
            in_blank[i] = both + heard[t, BLANK]
            for unit in range(1, units):
                p = heard[t, unit]
                if p < least or p == _NEVER:
                    continue
                if unit == last:
                    in_other[i] = _plus(in_other[i], other[i] + p)
                if unit == SPACE and (prefix == 0 or last == SPACE):
                    continue
                p += blank[i] if unit == last else both
                if p == _NEVER:
                    continue
                child = _find(table, prefix, unit)
                if child >= 0 and slot[child] >= 0:
                    in_other[slot[child]] = _plus(in_other[slot[child]], p)
                    continue
                if child < 0:
                    child = free
                    _grow(table, worth, child, prefix, unit, weights, tree, marks, language)
                    free += 1
                prefixes[count], in_other[count] = child, p
                count += 1
        slot[active] = -1
        score = np.empty(count)
        for k in range(count):
            rank = worth[prefixes[k], _SAID] + worth[prefixes[k], _GUESS]
            score[k] = _plus(in_blank[k], in_other[k]) + rank
        best = np.argsort(-score, kind="mergesort")[:beam]
        best = best[score[best] > _NEVER]
        active, blank, other = prefixes[best], in_blank[best], in_other[best]
        # Candidates that survive move down into the table; the rows of the others are free again.
        for k in np.argsort(active, kind="mergesort"):
            prefix = active[k]
            if prefix >= size:
                parent = table[prefix, _PARENT]
                table[size] = table[prefix]
                worth[size] = worth[prefix]
                table[size, _SIBLING] = table[parent, _CHILD]
                table[parent, _CHILD] = size
                active[k] = size
                size += 1
    return _finish(table, worth, active, blank, other, weights, tree, marks, language)


@compiled
def _finish(
    table: Int64,
    worth: Float64,
    active: Int64,
    blank: Float64,
    other: Float64,
    weights: tuple[float, float],
    tree: tuple[Int32, Int32, Float64],
    marks: tuple[int, int, int],
    language: Arrays,
) -> tuple[Int64, float]:
    """The best prefix once its last word and the sentence have ended."""
    weight, bonus = weights
    unknown, _, end = marks
    best, highest = 0, _NEVER
    for i in range(active.size):
        prefix = active[i]
        a, b, letters = table[prefix, _BEFORE], table[prefix, _LAST], table[prefix, _LETTERS]
        score = _plus(blank[i], other[i]) + worth[prefix, _SAID]
        if letters:
            word, log10 = _word(table[prefix, _NODE], letters, a, b, unknown, tree[1], language)
            score += weight * log10 + bonus
            a, b = b, word
        score += weight * log10_of(end, a, b, language)
        if score > highest:
            best, highest = prefix, score
    length, at = 0, best
    while at > 0:
        length, at = length + 1, table[at, _PARENT]
    text = np.empty(length, np.int64)
    while best > 0:
        length -= 1
        text[length], best = table[best, _UNIT], table[best, _PARENT]
    return text, highest
