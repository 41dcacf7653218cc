"""From what a network hears in each frame to words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pseudovoice.asr.ctc.beam import search
from pseudovoice.asr.ctc.lexicon import Lexicon, lexicon_of
from pseudovoice.asr.ctc.units import UNITS, collapsed, written
from pseudovoice.asr.recogniser import Float32
from pseudovoice.errors import UsageError
from pseudovoice.text.ngram import Float64, NGram
from pseudovoice.text.tokens import BEGIN, END

LEAST = 1e-5
"""Units less likely than this in a frame are not tried there."""


@dataclass(frozen=True)
class Decoded:
    """A text and its score, ln P of the network plus what the language model adds."""

    text: str
    score: float


@dataclass(frozen=True)
class Decoder:
    """Searches with a language model, or takes the likeliest unit of each frame without one.

    ``weight`` is the exponent of the language model's probability, ``bonus`` what a word adds to
    the score, which keeps the language model from preferring few words.
    """

    language: NGram | None = None
    weight: float = 0.8
    bonus: float = 1.0
    beam: int = 64

    def __post_init__(self) -> None:
        if self.beam < 1:
            raise UsageError(f"beam must be at least 1, not {self.beam}.")
        if not (self.weight >= 0.0 and math.isfinite(self.bonus)):
            raise UsageError("weight must be at least 0 and bonus a finite number.")

    @cached_property
    def lexicon(self) -> Lexicon | None:
        return None if self.language is None else lexicon_of(self.language)

    @property
    def said(self) -> str:
        """One line on how words are searched."""
        if self.language is None or self.lexicon is None:
            return "likeliest unit of each frame, no language model"
        return (
            f"prefix beam search, beam {self.beam}, {self.lexicon.words:,} words, language model "
            f"to the power {self.weight:g}, word bonus {self.bonus:g}"
        )

    def __call__(self, heard: Float32 | Float64, *, least: float = LEAST) -> Decoded:
        """The best text for ln P of each unit in each frame, [T, units]."""
        if heard.ndim != 2 or heard.shape[1] != len(UNITS):
            raise UsageError(
                f"There are ln P of the shape {heard.shape}, but texts are searched among "
                f"{len(UNITS)} units: [frames, {len(UNITS)}]."
            )
        if self.language is None or self.lexicon is None:
            path = heard.argmax(axis=1)
            text = " ".join(written(collapsed(path)).split())
            return Decoded(text, float(heard.max(axis=1).sum()))
        index, tree = self.language.index, self.lexicon
        units, score = search(
            np.ascontiguousarray(heard, np.float64),
            self.beam,
            math.log(least) if least > 0.0 else -math.inf,
            # The language model's logarithms are to base 10, the network's natural.
            (self.weight * math.log(10.0), self.bonus),
            (tree.children, tree.word, tree.ahead),
            (self.language.unknown, index[BEGIN], index[END]),
            self.language.arrays,
        )
        return Decoded(written(units).strip(), float(score))
