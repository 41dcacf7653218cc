"""Whisper: a second and a third opinion on words, that have nothing of Moonshine in them.

A voice that was built or chosen by what one recogniser hears must not be judged by that one.
Whisper (Radford et al. 2022) was trained by others on other speech, and hears log-mel energies.
Only the weights of the package are used. Its encoder always takes 30 s, so a short utterance costs
nearly as much as a long one; the text is written token by token (:mod:`pseudovoice.asr.greedy`).

Conventions
-----------
- The prompt names the language, transcribe, no times. Which language is spoken is another question
  (:meth:`Whisper.languages_heard`), asked of up to 30 s.
- Tokens that are no speech (brackets, notes of music) are never written, as in the published
  decoder. Its retries at a higher temperature draw at random and are left out, and so is its guess
  whether anybody speaks at all: in noise it may invent words.
- More than :data:`LONGEST_SECONDS` is cut at its quietest places; the texts are joined.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from scipy.special import softmax

from pseudovoice.asr.greedy import DECODING, GreedyDecoder
from pseudovoice.asr.languages import ENGLISH, language_name
from pseudovoice.asr.recogniser import Float32, admit, in_pieces, joined_texts
from pseudovoice.asr.whisper_tokens import Rules, read_rules, read_table, text_of
from pseudovoice.models import fetch
from pseudovoice.models.once import mark_of, once
from pseudovoice.models.session import open_session
from pseudovoice.signal.mel_whisper import SECONDS, whisper_mel

LONGEST_SECONDS = float(SECONDS)

_HEARD = "last_hidden_state"
_PARTS = ("encoder", "decoder", "tokens", "rules")


@dataclass(frozen=True)
class Whisper:
    """A :class:`SpeechRecogniser`; the sessions are shared by all threads that call it."""

    name: str
    licence: str
    sha256s: dict[str, str]
    table: tuple[bytes, ...] = field(repr=False)
    rules: Rules = field(repr=False)
    encoder: onnxruntime.InferenceSession = field(repr=False)
    decoder: onnxruntime.InferenceSession = field(repr=False)
    sample_rate: int = 16_000
    language: str = ENGLISH

    def __reduce__(self) -> tuple[Any, ...]:
        return _in_language, (self.language, self.name, mark_of(self))

    @property
    def decoding(self) -> str:
        language = language_name(self.language)
        return f"{DECODING}, {language}, no times, pieces of at most {LONGEST_SECONDS:g} s"

    @property
    def languages(self) -> tuple[str, ...]:
        """Codes of all languages it knows, the one that it writes first."""
        others = (code for code in self.rules.languages if code != self.language)
        return (self.language, *others)

    def in_language(self, code: str) -> Whisper:
        """The same, writing another language."""
        return replace(self, language=code)

    def languages_heard(self, samples: NDArray[Any]) -> dict[str, float]:
        """How probable each language is in the first 30 s, by its code; they sum to 1."""
        most = int(LONGEST_SECONDS * self.sample_rate)
        heard = self._heard(admit(samples, self.name)[:most])
        logits = self._decode.after(heard, (self.rules.start,))
        codes = tuple(self.rules.languages)
        told = softmax(logits[[self.rules.languages[code] for code in codes]].astype(np.float64))
        return dict(zip(codes, map(float, told), strict=True))

    def transcribe(self, samples: NDArray[Any]) -> str:
        """See :meth:`SpeechRecogniser.transcribe`."""
        return joined_texts(map(self._piece, in_pieces(samples, self, LONGEST_SECONDS)))

    def _piece(self, waveform: Float32) -> str:
        # One at a time: the decoder's weights are whole numbers, and activations are rounded over
        # all that is read at once, so another recording would change what is written of this one.
        (tokens,) = self._decode([self._heard(waveform)], [waveform.size / self.sample_rate])
        return text_of(tokens, self.table, self.rules.end)

    def _heard(self, waveform: Float32) -> Float32:
        features = whisper_mel(waveform)[None]
        heard: Float32 = self.encoder.run([_HEARD], {"input_features": features})[0][0]
        return heard

    @cached_property
    def _decode(self) -> GreedyDecoder:
        rules = self.rules
        # Behind the end stand tokens that steer, and times.
        (size,) = (entry.shape[-1] for entry in self.decoder.get_outputs()[:1])
        steering = range(rules.end + 1, size)
        never = tuple(sorted({*rules.never, *steering}))
        prompt = rules.prompt(self.language)
        return GreedyDecoder(self.decoder, prompt, rules.end, never, rules.never_first)


def load_whisper(name: str, *, threads: int = 1) -> Whisper:
    """Load ``whisper-base`` or ``whisper-small``, fetching its files the first time."""
    weights = {part: fetch(f"{name}-{part}") for part in _PARTS}
    return Whisper(
        name=name,
        licence=weights["encoder"].artefact.licence,
        sha256s={part: found.artefact.sha256 for part, found in weights.items()},
        table=read_table(weights["tokens"].path.read_bytes()),
        rules=read_rules(weights["rules"].path.read_bytes()),
        encoder=open_session(weights["encoder"].path, threads=threads, only=_HEARD),
        decoder=open_session(weights["decoder"].path, threads=threads),
    )


@lru_cache(maxsize=8)
def _in_language(language: str, name: str, mark: str) -> Whisper:
    """As it arrives in another process."""
    return once(load_whisper, name, mark).in_language(language)
