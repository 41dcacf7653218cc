"""Text token by token, each time the likeliest: what decoders of attention networks share.

The graph is the merged export of a decoder: one branch reads a prompt, the other takes one token
and the keys and values that attention has kept, so that a token costs the same wherever it stands.
A token costs mostly the reading of the weights, and a prompt of thirty little more than two tokens.
So what is likely to have been said can be *offered*: the decoder reads all of it at once, and it is
kept as far as the decoder would have written the same. What is written by a decoder that computes
in floats is the same with an offer, a poor one or none; only the time differs.

Conventions
-----------
- At most :data:`TOKENS_PER_SECOND` tokens a second plus :data:`SPARE_TOKENS`: nobody speaks
  faster, and a decoder that has lost the thread would otherwise write for ever.
- A phrase written :data:`MOST_REPEATS` times on end ends the text: the decoder is in a loop. The
  phrase is kept once.
- An offer that was refused is made again from where its last :data:`AGREED` tokens have been
  written, and no more once it has gained fewer than :data:`WORTH` tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest

import numpy as np
from onnxruntime import InferenceSession, OrtValue
from scipy.special import logsumexp

from pseudovoice.asr.recogniser import Float32

TOKENS_PER_SECOND = 6.5
SPARE_TOKENS = 6
MOST_REPEATS = 4
LONGEST_PHRASE = 12
AGREED = 2
WORTH = 3
AHEAD = 12
"""Tokens of an offer that may have been left out where it is taken up again."""

DECODING = (
    f"greedy, at most {TOKENS_PER_SECOND:g} tokens/s + {SPARE_TOKENS}, stops at the "
    f"{MOST_REPEATS}th repeat"
)
"""How words are searched, for the recogniser's own line."""

_PAST = "past_key_values."
_OWN = ".decoder."
"""In names of what is kept of the tokens, not of the audio."""

Past = dict[str, OrtValue]
"""Keys and values that attention has kept, by name."""


@dataclass(frozen=True)
class GreedyDecoder:
    """What is written after ``prompt``, up to the token ``end``.

    ``never`` are tokens that are not written at all, ``never_first`` not at the beginning.
    """

    session: InferenceSession = field(repr=False)
    prompt: tuple[int, ...]
    end: int
    never: tuple[int, ...] = field(default=(), repr=False)
    never_first: tuple[int, ...] = ()

    @cached_property
    def _states(self) -> list[str]:
        """Names of the kept keys and values: ``0.decoder.key`` and so on."""
        names = [entry.name for entry in self.session.get_inputs()]
        return [name.removeprefix(_PAST) for name in names if name.startswith(_PAST)]

    @cached_property
    def _nothing(self) -> Float32:
        """Keys or values of no token; the graph says how many heads there are and how wide."""
        (_, heads, _, width) = next(
            entry.shape for entry in self.session.get_inputs() if entry.name.startswith(_PAST)
        )
        return np.zeros((1, heads, 0, width), np.float32)

    def __call__(self, heard: Float32, seconds: float, offered: Sequence[int] = ()) -> list[int]:
        """The likeliest token after the ones before, until the end token, the bound or a loop."""
        most = int(seconds * TOKENS_PER_SECOND) + SPARE_TOKENS
        hidden = OrtValue.ortvalue_from_numpy(heard)
        tokens: list[int] = []
        offer, past = Offer(tuple(offered)), None
        while len(tokens) < most:
            ahead = offer.after(tokens)[: most - len(tokens)]
            if past is None or ahead:
                fed = (*self.prompt, *tokens, *ahead)
                logits, past = self._read(hidden, fed)
                rows = logits[len(fed) - len(ahead) - 1 :]
            else:
                rows, past = self._step(hidden, tokens[-1], past)
            before = len(tokens)
            for row, next_fed in zip_longest(rows, ahead):
                token = self._likeliest(row, first=not tokens)
                if token == self.end or len(tokens) >= most:
                    return tokens
                tokens.append(token)
                if loop := looping(tokens):
                    return tokens[: len(tokens) - (MOST_REPEATS - 1) * loop]
                if token != next_fed:
                    break
            if ahead:
                offer.taken(len(tokens) - before - 1)
                # The last token is yet to be read, and what was refused is to be forgotten.
                past = self._first(past, len(self.prompt) + len(tokens) - 1)
        return tokens

    def _read(self, hidden: OrtValue, tokens: Sequence[int]) -> tuple[Float32, Past]:
        """Logits after each of the tokens, and what attention keeps of all of them."""
        nothing = OrtValue.ortvalue_from_numpy(self._nothing)
        return self._run(hidden, tokens, dict.fromkeys(self._states, nothing), cached=False)

    def _step(self, hidden: OrtValue, token: int, past: Past) -> tuple[Float32, Past]:
        """The same for one more token."""
        logits, present = self._run(hidden, (token,), past, cached=True)
        # What attention keeps of the audio never changes; with the cache the graph returns an
        # empty stand-in for it.
        return logits, past | {name: kept for name, kept in present.items() if _OWN in name}

    def _run(
        self, hidden: OrtValue, tokens: Sequence[int], past: Past, *, cached: bool
    ) -> tuple[Float32, Past]:
        value = OrtValue.ortvalue_from_numpy
        logits, *present = self.session.run_with_ort_values(
            ["logits", *(f"present.{name}" for name in self._states)],
            {
                "input_ids": value(np.array([tokens], np.int64)),
                "encoder_hidden_states": hidden,
                "use_cache_branch": value(np.array([cached])),
                **{_PAST + name: kept for name, kept in past.items()},
            },
        )
        return logits.numpy()[0], dict(zip(self._states, present, strict=True))

    def _first(self, past: Past, count: int) -> Past:
        """What attention keeps of the first so many tokens alone."""
        value = OrtValue.ortvalue_from_numpy
        return {
            name: value(np.ascontiguousarray(kept.numpy()[:, :, :count])) if _OWN in name else kept
            for name, kept in past.items()
        }

    def log_probability(self, heard: Float32, tokens: Sequence[int]) -> float:
        """How likely it is that the tokens, and no more, are written of what was heard; in nats."""
        logits, _ = self._read(OrtValue.ortvalue_from_numpy(heard), (*self.prompt, *tokens))
        rows = logits[len(self.prompt) - 1 :].astype(np.float64)
        chosen = rows[np.arange(len(tokens) + 1), [*tokens, self.end]]
        return float((chosen - logsumexp(rows, axis=1)).sum())

    def after(self, heard: Float32, prompt: tuple[int, ...]) -> Float32:
        """The logits of every token that might come first after a prompt."""
        logits, _ = self._read(OrtValue.ortvalue_from_numpy(heard), prompt)
        last: Float32 = logits[-1]
        return last

    def _likeliest(self, logits: Float32, *, first: bool) -> int:
        if self.never or (first and self.never_first):
            logits = logits.copy()
            logits[list(self.never)] = -np.inf
            if first:
                logits[list(self.never_first)] = -np.inf
        return int(logits.argmax())


class Offer:
    """Tokens that are likely to be written, and how far they have been."""

    def __init__(self, tokens: tuple[int, ...]) -> None:
        self._tokens, self._at = tokens, 0

    def after(self, written: Sequence[int]) -> tuple[int, ...]:
        """What is offered behind the tokens that are written; nothing if they have parted."""
        if not written:
            return self._tokens
        tail = tuple(written[-AGREED:])
        for start in range(self._at, min(self._at + AHEAD, len(self._tokens) - AGREED)):
            if self._tokens[start : start + AGREED] == tail:
                self._at = start + AGREED
                return self._tokens[self._at :]
        return ()

    def taken(self, count: int) -> None:
        """So many of them were written just so, and then another token."""
        self._at += count
        if count < WORTH:
            self._tokens = ()


def looping(tokens: Sequence[int]) -> int:
    """Length of the phrase that the last :data:`MOST_REPEATS` phrases repeat, 0 if none does."""
    for length in range(1, LONGEST_PHRASE + 1):
        span = MOST_REPEATS * length
        if len(tokens) < span:
            return 0
        tail = tokens[-span:]
        if tail[length:] == tail[:-length]:
            return length
    return 0
