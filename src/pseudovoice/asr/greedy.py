"""Text token by token, each time the likeliest: what decoders of attention networks share.

The graph is the merged export of a decoder: one branch reads a prompt, the other takes one token
and the keys and values that attention has kept, so that a token costs the same wherever it stands.

Conventions
-----------
- At most :data:`TOKENS_PER_SECOND` tokens a second plus :data:`SPARE_TOKENS`: nobody speaks
  faster, and a decoder that has lost the thread would otherwise write for ever.
- A phrase written :data:`MOST_REPEATS` times on end ends the text: the decoder is in a loop. The
  phrase is kept once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import onnxruntime

from pseudovoice.asr.recogniser import Float32

TOKENS_PER_SECOND = 6.5
SPARE_TOKENS = 6
MOST_REPEATS = 4
LONGEST_PHRASE = 12

DECODING = (
    f"greedy, at most {TOKENS_PER_SECOND:g} tokens/s + {SPARE_TOKENS}, stops at the "
    f"{MOST_REPEATS}th repeat"
)
"""How words are searched, for the recogniser's own line."""

_PAST = "past_key_values."


@dataclass(frozen=True)
class GreedyDecoder:
    """What is written after ``prompt``, up to the token ``end``.

    ``never`` are tokens that are not written at all, ``never_first`` not at the beginning.
    """

    session: onnxruntime.InferenceSession = field(repr=False)
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

    def __call__(self, heard: Float32, seconds: float) -> list[int]:
        """The likeliest token after the ones before, until the end token, the bound or a loop."""
        most = int(seconds * TOKENS_PER_SECOND) + SPARE_TOKENS
        value = onnxruntime.OrtValue.ortvalue_from_numpy
        past = dict.fromkeys(self._states, value(self._nothing))
        outputs = ["logits", *(f"present.{name}" for name in self._states)]
        hidden = value(heard)
        flags = [value(np.array([flag])) for flag in (False, True)]
        tokens: list[int] = []
        given = self.prompt
        while len(tokens) < most:
            logits, *present = self.session.run_with_ort_values(
                outputs,
                {
                    "input_ids": value(np.array([given], np.int64)),
                    "encoder_hidden_states": hidden,
                    "use_cache_branch": flags[bool(tokens)],
                    **{_PAST + name: kept for name, kept in past.items()},
                },
            )
            token = self._likeliest(logits.numpy()[0, -1], first=not tokens)
            if token == self.end:
                break
            # What attention keeps of the audio never changes; with the cache the graph returns
            # an empty stand-in for it.
            for name, kept in zip(self._states, present, strict=True):
                if not tokens or ".decoder." in name:
                    past[name] = kept
            tokens.append(token)
            given = (token,)
            if loop := looping(tokens):
                return tokens[: len(tokens) - (MOST_REPEATS - 1) * loop]
        return tokens

    def after(self, heard: Float32, prompt: tuple[int, ...]) -> Float32:
        """The logits of every token that might come first after a prompt."""
        feeds = {_PAST + name: self._nothing for name in self._states}
        feeds |= {
            "input_ids": np.array([prompt], np.int64),
            "encoder_hidden_states": heard,
            "use_cache_branch": np.array([False]),
        }
        logits: Float32 = self.session.run(["logits"], feeds)[0][0, -1]
        return logits

    def _likeliest(self, logits: Float32, *, first: bool) -> int:
        if self.never or (first and self.never_first):
            logits = logits.copy()
            logits[list(self.never)] = -np.inf
            if first:
                logits[list(self.never_first)] = -np.inf
        return int(logits.argmax())


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
