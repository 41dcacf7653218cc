"""The words of a language model as a tree of letters, which the search walks letter by letter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.asr.ctc.units import LETTERS, UNITS, spelt
from pseudovoice.text.ngram import Float64, NGram
from pseudovoice.text.tokens import SPECIAL

Int32 = NDArray[np.int32]

NOWHERE = -1


@dataclass(frozen=True)
class Lexicon:
    """A tree whose root is node 0; :data:`NOWHERE` stands for what is not there.

    ``children[node, unit]`` is the node a letter leads to, ``word[node]`` the language model's
    number of the word that ends there, ``ahead[node]`` the log10 P of the likeliest single word
    below: what a word that is still being written may come to.
    """

    children: Int32
    word: Int32
    ahead: Float64

    @property
    def words(self) -> int:
        return int(np.count_nonzero(self.word != NOWHERE))


def lexicon_of(language: NGram) -> Lexicon:
    """The words that can be written with our letters; the others cannot be recognised."""
    usable = set(LETTERS)
    spellings = [
        (number, spelt(word))
        for number, word in enumerate(language.words)
        if word not in SPECIAL and usable.issuperset(word)
    ]
    most = 1 + sum(units.size for _, units in spellings)
    children = np.full((most, len(UNITS)), NOWHERE, np.int32)
    ending = np.full(most, NOWHERE, np.int32)
    ahead = np.full(most, -np.inf)
    size = 1
    for number, units in spellings:
        likely = language.log10[number]
        node = 0
        ahead[0] = max(ahead[0], likely)
        for unit in units:
            if children[node, unit] == NOWHERE:
                children[node, unit] = size
                size += 1
            node = children[node, unit]
            ahead[node] = max(ahead[node], likely)
        ending[node] = number
    return Lexicon(children[:size].copy(), ending[:size].copy(), ahead[:size].copy())
