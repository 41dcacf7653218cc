"""A back-off language model of up to three words, as arrays that compiled code can walk.

Conventions
-----------
- P(w | u v) is that of the trigram u v w if the model has it, else the back-off weight of u v
  times P(w | v), and so on down to single words (the ARPA definition).
- Logarithms are to base 10, as in ARPA files.
- A word outside the vocabulary is ``<unk>``. ``<s>`` is only ever a context.
- Entries that share a context lie next to each other, sorted by word: the words after word i are
  ``bigrams.word[bigrams.start[i]:bigrams.start[i + 1]]``, those after the j-th bigram
  ``trigrams.word[trigrams.start[j]:trigrams.start[j + 1]]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pseudovoice.compiled import compiled
from pseudovoice.errors import InputError
from pseudovoice.text.tokens import BEGIN, END, UNKNOWN

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

NEVER = -99.0
"""What ARPA files write for the logarithm of 0."""


@dataclass(frozen=True)
class Level:
    """The n-grams of one order above the first, by context; see the conventions."""

    start: Int64
    word: Int64
    log10: Float64
    backoff: Float64

    def __len__(self) -> int:
        return self.word.size


class Arrays(NamedTuple):
    """A model as compiled code takes it: logarithms and back-off weights of one, two, three words,
    and where the words after a context begin; see the conventions."""

    log1: Float64
    backoff1: Float64
    start2: Int64
    word2: Int64
    log2: Float64
    backoff2: Float64
    start3: Int64
    word3: Int64
    log3: Float64


@dataclass(frozen=True)
class NGram:
    """A language model; ``words`` gives each number its word."""

    words: tuple[str, ...]
    log10: Float64
    backoff: Float64
    bigrams: Level
    trigrams: Level

    @cached_property
    def index(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def unknown(self) -> int:
        try:
            return self.index[UNKNOWN]
        except KeyError:
            raise InputError(f"The language model has no {UNKNOWN}; train it with one.") from None

    def number(self, word: str) -> int:
        """The number of a word, that of ``<unk>`` if it has none of its own."""
        found = self.index.get(word)
        return self.unknown if found is None else found

    def numbers(self, words: Iterable[str]) -> Int64:
        return np.array([self.number(word) for word in words], dtype=np.int64)

    def log_probability(self, word: str, context: Sequence[str] = ()) -> float:
        """log10 P(word | context), of which the last two words count."""
        before = self.numbers(context)[-2:]
        a, b = (-1, -1, *before)[-2:]
        return float(log10_of(self.number(word), a, b, self.arrays))

    @cached_property
    def arrays(self) -> Arrays:
        """What compiled code needs."""
        two, three = self.bigrams, self.trigrams
        return Arrays(
            log1=self.log10,
            backoff1=self.backoff,
            start2=two.start,
            word2=two.word,
            log2=two.log10,
            backoff2=two.backoff,
            start3=three.start,
            word3=three.word,
            log3=three.log10,
        )

    def sentence(self, words: Sequence[str]) -> Float64:
        """log10 of each word of a whole sentence and of its end, each given those before it."""
        whole = [BEGIN, *words, END]
        return np.array(
            [
                self.log_probability(word, whole[max(0, k - 2) : k])
                for k, word in enumerate(whole)
                if k
            ]
        )

    def perplexity(self, sentences: Iterable[Sequence[str]]) -> float:
        """10 to the mean −log10 P over all words and sentence ends; unknown words count."""
        scores = np.concatenate([self.sentence(words) for words in sentences])
        return float(10.0 ** -scores.mean())


@compiled
def find(words: Int64, low: int, high: int, word: int) -> int:
    """Where ``word`` stands in the sorted ``words[low:high]``; −1 if it does not."""
    last = high
    while low < high:
        middle = (low + high) // 2
        if words[middle] < word:
            low = middle + 1
        else:
            high = middle
    return low if low < last and words[low] == word else -1


@compiled
def follows(a: int, b: int, model: Arrays) -> int:
    """Which bigram a b is; −1 if the model has none."""
    return find(model.word2, model.start2[a], model.start2[a + 1], b)


@compiled
def log10_of(word: int, a: int, b: int, model: Arrays) -> float:
    """log10 P(word | a b); −1 for a context word that is not there."""
    weight = 0.0
    if a >= 0 and b >= 0:
        context = follows(a, b, model)
        if context >= 0:
            at = find(model.word3, model.start3[context], model.start3[context + 1], word)
            if at >= 0:
                return float(model.log3[at])
            weight = model.backoff2[context]
    if b >= 0:
        at = follows(b, word, model)
        if at >= 0:
            return float(weight + model.log2[at])
        weight += model.backoff1[b]
    return float(weight + model.log1[word])
