"""Text token by token, each time the likeliest: what decoders of attention networks share.

The graph is the merged export of a decoder: one branch reads a prompt, the other takes one token
and the keys and values that attention has kept, so that a token costs the same wherever it stands.
It costs mostly the reading of the weights, so several recordings are decoded *together*, a token of
each in one step. What a decoder writes that computes in floats is the same in any company.

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
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnxruntime import InferenceSession, OrtValue
from scipy.special import logsumexp

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

MASK = "padding"
"""Input [recording, 1, 1, time] of a graph that takes recordings of several lengths: added to the
logarithms of the attention to the audio, 0, or −∞ for padding."""

_PAST = "past_key_values."
_OWN = ".decoder."
"""In names of what is kept of the tokens, not of the audio."""


class Text:
    """The tokens that are written of one recording."""

    def __init__(self, seconds: float) -> None:
        self._most = int(seconds * TOKENS_PER_SECOND) + SPARE_TOKENS
        self.tokens: list[int] = []
        self.ended = False

    def append(self, token: int, end: int) -> None:
        """Go on, or end: at the end token, the bound or a loop."""
        if token == end:
            self.ended = True
            return
        self.tokens.append(token)
        loop = looping(self.tokens)
        if loop:
            del self.tokens[-(MOST_REPEATS - 1) * loop :]
        self.ended = loop > 0 or len(self.tokens) >= self._most


@dataclass(frozen=True)
class Kept:
    """What the graph is fed of some recordings at every step, each a row of every array.

    The audio, which of it is padding, and the keys and values that attention has kept, by name.
    """

    hidden: OrtValue
    mask: OrtValue
    past: dict[str, OrtValue]

    def of_rows(self, rows: Sequence[int]) -> Kept:
        def some(value: OrtValue) -> OrtValue:
            return OrtValue.ortvalue_from_numpy(value.numpy()[list(rows)])

        past = {name: some(value) for name, value in self.past.items()}
        return Kept(some(self.hidden), some(self.mask), past)


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
    def _inputs(self) -> dict[str, list[Any]]:
        return {entry.name: entry.shape for entry in self.session.get_inputs()}

    @cached_property
    def _states(self) -> list[str]:
        """Names of the kept keys and values: ``0.decoder.key`` and so on."""
        return [name.removeprefix(_PAST) for name in self._inputs if name.startswith(_PAST)]

    def __call__(self, heard: Sequence[Float32], seconds: Sequence[float]) -> list[list[int]]:
        """The tokens of what was heard in each recording, [time, size], that lasts so long."""
        texts = [Text(each) for each in seconds]
        rows = texts
        logits, kept = self._read(heard, self.prompt)
        while True:
            for text, row in zip(rows, logits[:, -1], strict=True):
                if not text.ended:
                    text.append(self._likeliest(row, first=not text.tokens), self.end)
            going = [k for k, text in enumerate(rows) if not text.ended]
            if not going:
                return [text.tokens for text in texts]
            # To leave one out costs as much as some steps with it, whatever it says there.
            if 2 * len(going) <= len(rows):
                rows, kept = [rows[k] for k in going], kept.of_rows(going)
            last = [text.tokens[-1] if text.tokens else self.end for text in rows]
            logits, kept = self._step(last, kept)

    def _read(self, heard: Sequence[Float32], tokens: Sequence[int]) -> tuple[Float32, Kept]:
        """Logits after each of the tokens, and what is kept of them; the same for everybody."""
        count, longest = len(heard), max(map(len, heard))
        hidden = np.zeros((count, longest, heard[0].shape[1]), np.float32)
        mask = np.zeros((count, 1, 1, longest), np.float32)
        for row, frames in enumerate(heard):
            hidden[row, : len(frames)] = frames
            mask[row, ..., len(frames) :] = -np.inf
        _, heads, _, width = self._inputs[_PAST + self._states[0]]
        value = OrtValue.ortvalue_from_numpy
        nothing = value(np.zeros((count, heads, 0, width), np.float32))
        kept = Kept(value(hidden), value(mask), dict.fromkeys(self._states, nothing))
        logits, past = self._run(
            np.tile(np.array(tokens, np.int64), (count, 1)), kept, cached=False
        )
        return logits, Kept(kept.hidden, kept.mask, past)

    def _step(self, tokens: Sequence[int], kept: Kept) -> tuple[Float32, Kept]:
        """The same after one more token of each."""
        logits, past = self._run(np.array(tokens, np.int64)[:, None], kept, cached=True)
        # What attention keeps of the audio never changes; with the cache the graph returns an
        # empty stand-in for it.
        own = {name: value for name, value in past.items() if _OWN in name}
        return logits, Kept(kept.hidden, kept.mask, kept.past | own)

    def _run(
        self, tokens: NDArray[np.int64], kept: Kept, *, cached: bool
    ) -> tuple[Float32, dict[str, OrtValue]]:
        value = OrtValue.ortvalue_from_numpy
        logits, *present = self.session.run_with_ort_values(
            ["logits", *(f"present.{name}" for name in self._states)],
            {
                "input_ids": value(tokens),
                "encoder_hidden_states": kept.hidden,
                "use_cache_branch": value(np.array([cached])),
                **{_PAST + name: some for name, some in kept.past.items()},
                **({MASK: kept.mask} if MASK in self._inputs else {}),
            },
        )
        return logits.numpy(), dict(zip(self._states, present, strict=True))

    def log_probability(self, heard: Float32, tokens: Sequence[int]) -> float:
        """How likely it is that the tokens, and no more, are written of what was heard; in nats."""
        logits, _ = self._read([heard], (*self.prompt, *tokens))
        rows = logits[0, len(self.prompt) - 1 :].astype(np.float64)
        chosen = rows[np.arange(len(tokens) + 1), [*tokens, self.end]]
        return float((chosen - logsumexp(rows, axis=1)).sum())

    def after(self, heard: Float32, prompt: tuple[int, ...]) -> Float32:
        """The logits of every token that might come first after a prompt."""
        logits, _ = self._read([heard], prompt)
        last: Float32 = logits[0, -1]
        return last

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
