"""One search of pocketsphinx: which frames are which word, and how well they fit.

Conventions
-----------
- Frame i is a window of 25.6 ms that begins at 10 i ms. The border between frames i − 1 and i
  lies between the middles of their windows, at 10 i + 7.8 ms.
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
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pseudovoice.alignment.pronounce import Pronunciation, listed, pronunciations

RATE = 16_000
_WINDOW = 0.025625
# Beams of the search: those of the package, then wider ones for speech that fits the model
# badly, where the true path is pruned.
BEAMS = ((1e-48, 1e-48, 7e-29), (1e-100, 1e-100, 1e-80), (1e-200, 1e-200, 1e-160))
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


class Search:
    """One decoder of so many frames a second, and the words it was taught.

    With ``all_states`` each frame is scored against the best of all states of the model, not of
    those that the transcript could be in there: so different transcripts can be compared.
    """

    def __init__(self, rate: int, all_states: bool = False) -> None:
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
            compallsen=all_states,
        )
        self._names: dict[str, str] = {}

    def names(self, written: Iterable[str]) -> list[str]:
        """The decoder's names of words, taught where they are new."""
        return [self._name(word) for word in written]

    def knows(self, word: str) -> bool:
        """Whether the dictionary says how the word is pronounced."""
        return bool(listed(word, self._lookup))

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
        if not self._decode(names, pcm, beams):
            return None
        heard, spans = [], []
        scores, pauses = [], [Scored(0, 0.0)]
        for segment in self._decoder.seg() or ():
            name = _ALTERNATE.sub("", segment.word)
            frames = segment.end_frame + 1 - segment.start_frame
            nats = _nats(segment)
            if name.startswith(("<", "[")):  # silence, noise, and the ends of the utterance
                pauses[-1] += Scored(frames, nats)
                continue
            heard.append(name)
            spans.append((segment.start_frame, segment.end_frame + 1))
            scores.append(Scored(frames, nats))
            pauses.append(Scored(0, 0.0))
        if heard != names:
            return None
        times = times_of(spans, self._decoder.n_frames(), self._frame)
        return [(*time, one) for time, one in zip(times, sure(scores, pauses), strict=True)]

    def log_likelihood(self, names: list[str], pcm: bytes) -> float | None:
        """Of the best path, in nats, less that of the best state of every frame; None without."""
        for beams in BEAMS[1:]:  # what is compared should not be pruned
            if self._decode(names, pcm, beams):
                segments = list(self._decoder.seg() or ())
                heard = [_ALTERNATE.sub("", one.word) for one in segments]
                if [name for name in heard if not name.startswith(("<", "["))] == names:
                    return sum(map(_nats, segments))
        return None

    def _decode(self, names: list[str], pcm: bytes, beams: tuple[float, float, float]) -> bool:
        """Whether the search could be made."""
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
            return False
        return True


def _nats(segment: Any) -> float:
    """The sum of the scores of a segment's frames."""
    return math.log(max(segment.ascore, _TINY)) / _STEP * _NATS


@dataclass(frozen=True)
class Scored:
    """So many frames, and the sum of their scores in nats."""

    frames: int
    nats: float

    def __add__(self, other: Scored) -> Scored:
        return Scored(self.frames + other.frames, self.nats + other.nats)

    @property
    def mean(self) -> float:
        return self.nats / self.frames


def sure(words: Sequence[Scored], pauses: Sequence[Scored]) -> list[float]:
    """The confidence of each word; pauses, before the first word and after each, may lower it."""
    beside = zip(words, pauses[:-1], pauses[1:], strict=True)
    return [confidence(min(word.mean, (a + word + b).mean)) for word, a, b in beside]


def times_of(
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
