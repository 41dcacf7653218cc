"""Utterances and their protected twins: what is heard in each, how good they sound, how alike.

What a store holds is taken from it; audio is decoded only for what is missing. The words of several
are written down together, which takes less time; everything else of one pair after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pseudovoice.asr.recogniser import SpeechRecogniser, Together
from pseudovoice.corpus import AudioError, Channel, Utterance, audio_hash, load
from pseudovoice.corpus.audio import is_silent
from pseudovoice.corpus.recording import reading
from pseudovoice.errors import InputError, Problem
from pseudovoice.signal.pitch import RATE, tracker
from pseudovoice.utility.prosody import Prosody, compare_prosody
from pseudovoice.utility.quality import Quality, QualityPredictor
from pseudovoice.utility.store import Notes, NotKeptError, measure_key

T = TypeVar("T")

LONGEST_TOGETHER = 60.0
"""Seconds of an utterance whose words are written down with those of others: what is longer gains
little, and several would take much memory."""


@dataclass(frozen=True)
class HeardUtterance:
    """One side of a pair; what was not asked for is None."""

    seconds: float
    text: str | None
    quality: Quality | None


@dataclass(frozen=True)
class Measured:
    """An utterance with all that was measured of its two versions; texts are as recognised."""

    utterance: Utterance
    original: HeardUtterance
    protected: HeardUtterance
    prosody: Prosody | None


@dataclass(frozen=True)
class Instruments:
    """What measures; None leaves a measurement out."""

    recogniser: SpeechRecogniser | None
    quality: QualityPredictor | None
    prosody: bool
    channel: Channel = "mean"

    def measure(
        self, original: Utterance, protected: Utterance, notes: Notes
    ) -> Measured | Problem:
        """Measure a pair; a file that cannot be used is a problem of the pair."""
        return self.measured(*self.sides(original, protected, notes), notes)

    def measured(self, original: Side, protected: Side, notes: Notes) -> Measured | Problem:
        """The same of two sides, of which some may have been heard already."""
        place = original.utterance.place
        try:
            before = original.heard()
            place = protected.utterance.place
            after = protected.heard()
            prosody = self._prosody(original, protected, notes) if self.prosody else None
        except NotKeptError:
            raise
        except AudioError as error:
            return error.problem
        except InputError as error:
            return Problem(place, str(error).rstrip("."), "it is left out")
        except Exception as error:  # onnxruntime's own exceptions share no base class of theirs
            # A recording that a model cannot take costs itself only, whosever model it is.
            reason = next(iter(str(error).splitlines()), "").rstrip(".") or type(error).__name__
            return Problem(place, f"cannot be measured ({reason})", "it is left out")
        finally:
            original.let_go()
            protected.let_go()
        return Measured(original.utterance, before, after, prosody)

    def sides(self, original: Utterance, protected: Utterance, notes: Notes) -> tuple[Side, Side]:
        return (
            Side(original, self, notes, refuse_silence=True),
            # A safeguard that leaves nothing to hear has lost the words: that is a result.
            Side(protected, self, notes, refuse_silence=False),
        )

    def _prosody(self, original: Side, protected: Side, notes: Notes) -> Prosody:
        def compute() -> dict[str, Any]:
            return asdict(compare_prosody(original.at(RATE), protected.at(RATE)))

        key = measure_key("prosody", tracker(), original.audio, protected.audio, str(self.channel))
        return Prosody(**notes.kept(key, compute))


@dataclass(frozen=True)
class Pair:
    """An utterance and its twin, and what measures them."""

    by: Instruments
    original: Utterance
    protected: Utterance


def measure_together(pairs: Sequence[Pair], notes: Notes) -> list[Measured | Problem]:
    """Every pair, as if it were alone."""
    sides = [pair.by.sides(pair.original, pair.protected, notes) for pair in pairs]
    by_recogniser: dict[int, tuple[Together, list[Side]]] = {}
    for pair, both in zip(pairs, sides, strict=True):
        # Whoever takes one at a time is asked when its turn comes.
        if isinstance(pair.by.recogniser, Together):
            of = by_recogniser.setdefault(id(pair.by.recogniser), (pair.by.recogniser, []))
            of[1].extend(both)
    for recogniser, theirs in by_recogniser.values():
        _write_down(recogniser, theirs, notes)
    return [pair.by.measured(*both, notes) for pair, both in zip(pairs, sides, strict=True)]


def _write_down(recogniser: Together, sides: Sequence[Side], notes: Notes) -> None:
    """Note the words of all that are not known yet."""
    waveforms: dict[str, NDArray[np.float32]] = {}
    # What cannot be used is said when the turn of its pair comes.
    with suppress(Exception):
        for side in sides:
            with suppress(AudioError):
                key = side.words_key(recogniser)
                if notes.has(key) or side.lasts_longer(LONGEST_TOGETHER):
                    continue
                samples = side.at(recogniser.sample_rate)
                if samples.size > LONGEST_TOGETHER * recogniser.sample_rate:
                    side.let_go()  # its header did not tell
                elif not is_silent(samples):
                    waveforms[key] = samples
        texts = recogniser.transcribe_together(list(waveforms.values()))
        notes.fresh.update(zip(waveforms, texts, strict=True))


class Side:
    """One version of an utterance, decoded when first needed and kept until it is let go of."""

    def __init__(
        self, utterance: Utterance, by: Instruments, notes: Notes, *, refuse_silence: bool
    ) -> None:
        self.utterance, self._by, self._notes = utterance, by, notes
        self._refuse_silence = refuse_silence
        self._samples: dict[int, NDArray[np.float32]] = {}

    @cached_property
    def audio(self) -> str:
        return audio_hash(self.utterance)

    def lasts_longer(self, seconds: float) -> bool:
        """By its header, without being decoded; False where that does not tell."""
        if self.utterance.command is not None:  # it would have to be run for that
            return False
        with reading(self.utterance) as recording:
            return recording.seconds is not None and recording.seconds > seconds

    def let_go(self) -> None:
        self._samples.clear()

    def at(self, rate: int) -> NDArray[np.float32]:
        if rate not in self._samples:
            self._samples[rate] = load(
                self.utterance,
                sample_rate=rate,
                channel=self._by.channel,
                refuse_silence=self._refuse_silence,
            )
        return self._samples[rate]

    def heard(self) -> HeardUtterance:
        return HeardUtterance(
            self._kept(("seconds",), lambda: self.at(RATE).size / RATE),
            None if self._by.recogniser is None else self._text(self._by.recogniser),
            None if self._by.quality is None else self._quality(self._by.quality),
        )

    def _text(self, recogniser: SpeechRecogniser) -> str:
        def transcribe() -> str:
            samples = self.at(recogniser.sample_rate)
            return "" if is_silent(samples) else recogniser.transcribe(samples)

        return self._notes.kept(self.words_key(recogniser), transcribe)

    def words_key(self, recogniser: SpeechRecogniser) -> str:
        hashes = (f"{name} {value}" for name, value in sorted(recogniser.sha256s.items()))
        return self._key("words", recogniser.name, recogniser.decoding, *hashes)

    def _quality(self, predictor: QualityPredictor) -> Quality:
        def rate() -> dict[str, float]:
            scores = asdict(predictor.rate(self.at(predictor.sample_rate)))
            if not np.isfinite(list(scores.values())).all():
                raise InputError(f"{predictor.name} gives no usable score.")
            return scores

        return Quality(**self._kept(("quality", predictor.name, predictor.sha256), rate))

    def _kept(self, what: tuple[str, ...], compute: Callable[[], T]) -> T:
        return self._notes.kept(self._key(*what), compute)

    def _key(self, *what: str) -> str:
        return measure_key(*what, self.audio, str(self._by.channel))
