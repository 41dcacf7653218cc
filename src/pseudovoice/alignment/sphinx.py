"""The embedded aligner: Viterbi search of pocketsphinx over the words of the transcript.

Model and dictionary travel in the package's wheel. The words become a chain with an optional
silence before, between and after them, so that every word is found exactly once and silences
are nobody's. Words outside the dictionary are added with the pronunciations of
:mod:`pseudovoice.alignment.pronounce`.

Conventions
-----------
- Frame i is a window of 25.6 ms that begins at 10 i ms. The border between frames i − 1 and i
  lies between the middles of their windows, at 10 i + 7.8 ms.
- A phone has three states and so lasts three frames at least: 30 ms, and whoever speaks fast has
  shorter ones. What does not fit so, or only badly, is tried again with frames of 7 and of 5 ms,
  and the surest counts.
- A window that a word reaches into only a little is louder than silence already: beside a pause,
  words are found to begin too early and to end too late, and the times are moved by what was
  measured on words of known times (5 and 15 ms). Between words nothing is moved.
- The score of a frame is the log-likelihood of its aligned state less that of the best state
  that the search considers there, hence at most 0. Where words are not what is said, other states
  of the transcript fit the sound better all the time.
- Confidence is the probability that a word is what is said, given the mean score s (nats) of its
  frames and even odds: 1 / (1 + exp(−(s + 3))), fitted to right and to wrong transcripts of
  120 utterances of native and foreign speakers. Pauses beside the word count where they lower it:
  speech that no word of the transcript fits is taken for silence, and scores badly as such.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
import soxr  # type: ignore[import-untyped, unused-ignore]

from pseudovoice.alignment.pronounce import Pronunciation, Unpronounceable, pronunciations
from pseudovoice.alignment.word import AlignmentError, Word
from pseudovoice.corpus import Sound, Utterance
from pseudovoice.corpus.audio import mono
from pseudovoice.errors import Problem

RATE = 16_000
_WINDOW = 0.025625
# Beams of the search: those of the package, then wider ones for speech that fits the model
# badly, where the true path is pruned.
_BEAMS = ((1e-48, 1e-48, 7e-29), (1e-100, 1e-100, 1e-80), (1e-200, 1e-200, 1e-160))
# Frames a second: those of the package, then more for speech that is too fast for its states.
_TRIES = ((100, _BEAMS), (140, _BEAMS[1:]), (200, _BEAMS[2:]))
_SURE = 0.5
# How likely silence is between words, before anything is heard. The package has 0.005, to the power
# of a language model's weight: then the closure of a t or p takes the pause before it.
_SILENCE = 1.0
# Scores come as powers of 1.0001, rounded to the 1024th power: natural logarithm of one step.
_STEP = math.log(1.0001)
_NATS = 1024 * _STEP
_EVEN = 3.0
# Silence of three states lasts three frames at least; see Conventions for what is moved there.
_PAUSE = 3
_TOO_EARLY, _TOO_LATE = 0.005, 0.015
_TINY = 1e-300

Timed = tuple[float, float, float]
"""Start, end and confidence of a word."""

_ALTERNATE = re.compile(r"\(\d+\)$")
_PLAIN = re.compile(r"[\w'.\-]+")


class SphinxAligner:
    """Forced alignment with pocketsphinx; safe to call from several threads."""

    name = "pocketsphinx"

    @property
    def identity(self) -> str:
        # Increase the number where the times of the same search change.
        return f"{self.name} {version('pocketsphinx')} times 4"

    def __init__(self) -> None:
        self._of_thread = threading.local()

    def __reduce__(self) -> tuple[Any, ...]:
        return SphinxAligner, ()  # decoders stay where they are

    def __call__(
        self, utterance: Utterance, sound: Sound, written: tuple[str, ...]
    ) -> tuple[Word, ...]:
        place = f"{utterance.id} ({utterance.place})"
        try:
            found = self._surest(written, _pcm(utterance, sound))
        except Unpronounceable as word:
            raise AlignmentError(
                "fit",
                Problem(
                    place,
                    f"no pronunciation of {str(word)!r} is known, since it is not in Latin letters",
                    "read alignments of another aligner; it is left out",
                ),
            ) from None
        if found:
            return tuple(Word(text, *times) for text, times in zip(written, found, strict=True))
        raise AlignmentError(
            "fit",
            Problem(
                place,
                f"the transcript ({len(written)} words) does not fit the audio "
                f"({sound.duration:.2f} s)",
                "check that it is what is said; it is left out",
            ),
        )

    def _surest(self, written: tuple[str, ...], pcm: bytes) -> list[Timed]:
        """Start, end and confidence of each word, of the first try that is sure or the surest."""
        best: list[Timed] = []
        for rate, tried in _TRIES:
            search = self._search(rate)
            names = search.names(written)
            aligned = (search.align(names, pcm, beams) for beams in tried)
            found = next((one for one in aligned if one is not None), None)
            if found is not None and _mean(found) > _mean(best):
                best = found
            if _mean(best) >= _SURE:
                break
        return best

    def _search(self, rate: int) -> _Search:
        # A decoder holds the state of one utterance, so each thread has its own.
        if not hasattr(self._of_thread, "searches"):
            self._of_thread.searches = {}
        searches: dict[int, _Search] = self._of_thread.searches
        if rate not in searches:
            searches[rate] = _Search(rate)
        return searches[rate]


class _Search:
    """One decoder of so many frames a second, and the words it was taught."""

    def __init__(self, rate: int) -> None:
        from pocketsphinx import Decoder

        self._frame = 1 / rate
        # bestpath would rescore a lattice, which loses frames and even words.
        self._decoder: Any = Decoder(
            lm=None,
            loglevel="FATAL",
            bestpath=False,
            samprate=RATE,
            frate=rate,
            silprob=_SILENCE,
        )
        self._names: dict[str, str] = {}

    def names(self, written: Iterable[str]) -> list[str]:
        """The decoder's names of words, taught where they are new."""
        return [self._name(word) for word in written]

    def _name(self, word: str) -> str:
        if word not in self._names:
            self._names[word] = self._teach(word)
        return self._names[word]

    def _teach(self, word: str) -> str:
        ways = pronunciations(word, self._lookup)
        # Names of our own, so that they can never be taken for a dictionary word.
        name = f"word-{len(self._names)}"
        for number, phones in enumerate(ways, 1):
            alternate = name if number == 1 else f"{name}({number})"
            self._decoder.add_word(alternate, " ".join(phones), False)
        return name

    def _lookup(self, form: str) -> list[Pronunciation]:
        """The dictionary's ways to say a word; fillers such as <sil> are no words."""
        if not _PLAIN.fullmatch(form):
            return []
        ways = []
        name, number = form, 1
        while (phones := self._decoder.lookup_word(name)) is not None:
            ways.append(tuple(phones.split()))
            number += 1
            name = f"{form}({number})"
        return ways

    def align(
        self, names: list[str], pcm: bytes, beams: tuple[float, float, float]
    ) -> list[Timed] | None:
        """Start, end and confidence of each word; None if the search did not reach the end."""
        decoder = self._decoder
        for option, value in zip(("beam", "pbeam", "wbeam"), beams, strict=True):
            decoder.config[option] = value
        try:
            # Means and noise floor would else carry over, and times depend on what came before.
            decoder.reinit_feat()
            decoder.set_align_text(" ".join(names))
            decoder.start_utt()
            decoder.process_raw(pcm, full_utt=True)
            decoder.end_utt()
        except RuntimeError:
            return None
        heard, spans = [], []
        scores, pauses = [], [_Scored(0, 0.0)]
        for segment in decoder.seg() or ():
            name = _ALTERNATE.sub("", segment.word)
            frames = segment.end_frame + 1 - segment.start_frame
            nats = math.log(max(segment.ascore, _TINY)) / _STEP * _NATS
            if name.startswith(("<", "[")):  # silence, noise, and the ends of the utterance
                pauses[-1] += _Scored(frames, nats)
                continue
            heard.append(name)
            spans.append((segment.start_frame, segment.end_frame + 1))
            scores.append(_Scored(frames, nats))
            pauses.append(_Scored(0, 0.0))
        if heard != names:
            return None
        times = _times(spans, decoder.n_frames(), self._frame)
        return [(*time, one) for time, one in zip(times, _sure(scores, pauses), strict=True)]


@dataclass(frozen=True)
class _Scored:
    """So many frames, and the sum of their scores in nats."""

    frames: int
    nats: float

    def __add__(self, other: _Scored) -> _Scored:
        return _Scored(self.frames + other.frames, self.nats + other.nats)

    @property
    def mean(self) -> float:
        return self.nats / self.frames


def _sure(words: Sequence[_Scored], pauses: Sequence[_Scored]) -> list[float]:
    """The confidence of each word; pauses, before the first word and after each, may lower it."""
    beside = zip(words, pauses[:-1], pauses[1:], strict=True)
    return [confidence(min(word.mean, (a + word + b).mean)) for word, a, b in beside]


def _mean(words: Sequence[Timed]) -> float:
    """How sure an alignment is, over speaking time; less than anything if there is none."""
    spoken = sum(end - start for start, end, _ in words)
    return sum(sure * (end - start) for start, end, sure in words) / spoken if words else -1.0


def _times(
    spans: Sequence[tuple[int, int]], frames: int, frame: float
) -> list[tuple[float, float]]:
    """Start and end in seconds of words in first frame and frame after the last."""
    border = (_WINDOW - frame) / 2
    times = []
    for k, (first, after) in enumerate(spans):
        before = first - (spans[k - 1][1] if k else 0)
        behind = (spans[k + 1][0] if k + 1 < len(spans) else frames) - after
        start = frame * first + (border if first else 0.0)
        end = frame * after + border
        times.append(
            (
                start + (_TOO_EARLY if before >= _PAUSE else 0.0),
                end - (_TOO_LATE if behind >= _PAUSE else 0.0),
            )
        )
    return times


def confidence(score: float) -> float:
    """A word's mean score per frame (nats) as a number from 0 to 1."""
    return 1 / (1 + math.exp(min(-(score + _EVEN), 700.0)))


def _pcm(utterance: Utterance, sound: Sound) -> bytes:
    samples = mono(utterance, sound.samples, "mean")
    if sound.sample_rate != RATE:
        samples = soxr.resample(samples, sound.sample_rate, RATE, quality="HQ")
    steps = np.clip(np.rint(np.asarray(samples) * 32768.0), -32768, 32767)
    return bytes(steps.astype("<i2").tobytes())
