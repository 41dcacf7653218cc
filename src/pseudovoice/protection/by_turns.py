"""A recording of several people: each gets a pseudo-voice, and the recording is put together again.

Every sample goes through a safeguard, whoever it was given to. Each person's turns are cut out and
laid one after the other on a reel of their own, which goes through the chain with their voice; so
do the strips in which several speak at once, and all that lies outside the turns, where somebody
may speak whom nobody noticed. Then each strip goes back to where it was.

Strips overlap by 20 ms, in which one fades out while the next fades in. The weights of all strips
add up to one at every sample, so that a safeguard that changes nothing gives the recording back.
Between the strips of a reel lies silence, longer than the frames of any safeguard of ours, so that
nothing of a turn is smeared into the next.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from pseudovoice.corpus import AudioError, Corpus, Utterance, reading
from pseudovoice.diarisation.turns import Turns
from pseudovoice.errors import UsageError
from pseudovoice.safeguards.channel import PIECE, Channel
from pseudovoice.safeguards.safeguard import Chain, Samples

FADE = 0.01
"""Seconds before and after a border in which both sides are heard."""

GAP = 0.06
"""Seconds of silence between the strips of a reel."""

OVERLAP, OUTSIDE = "\0overlap", "\0outside"
"""Whom strips belong to that are nobody's alone; no name of a person begins so."""

Overlap = Literal["voice", "mute"]

Speak = Callable[[Channel, Utterance], Iterator[Samples]]
"""What the chain makes of a channel, with the voice of the utterance's speaker."""


@dataclass(frozen=True)
class ByTurns:
    """The turns of each recording by its id, and what becomes of several people at once."""

    turns: Mapping[str, Turns]
    overlap: Overlap = "voice"

    def check(self, chain: Chain) -> None:
        """Refuse chains that do not leave everything where it is."""
        if chain.last is not None:
            raise UsageError(
                f"{chain.name}: {chain.last.name} cuts what one person said, and here are several; "
                "leave it out, or give every person files of their own."
            )
        if not chain.keeps_timing:
            raise UsageError(
                f"{chain.name} changes when things are said, so that turns could not be put back; "
                "choose another safeguard."
            )

    def stamp(self, utterance: Utterance) -> list[Any]:
        """All that the recording depends on besides its audio."""
        turns = self.turns.get(utterance.id)
        said = [] if turns is None else [[t.start, t.end, t.person] for t in turns.turns]
        return [self.overlap, said]

    def people(self, corpus: Corpus) -> Corpus:
        """The corpus of all people with their turns, for safeguards that have to hear them first.

        The longest turns come first, since few are listened to. What is nobody's alone comes
        without sound: a voice for it is drawn, not searched.
        """
        found: list[Utterance] = []
        for utterance in corpus:
            turns = self.turns.get(utterance.id)
            alone = [
                strip
                for strip in (() if turns is None else turns.strips(turns.end))
                if len(strip.people) == 1
            ]
            at = utterance.start or 0.0
            for k, strip in enumerate(sorted(alone, key=lambda s: -s.seconds)):
                found.append(
                    replace(
                        utterance,
                        id=f"{k:06d}-{utterance.id}",
                        speaker=strip.people[0],
                        start=at + strip.start,
                        end=at + strip.end,
                        session=utterance.id,
                    )
                )
            for who in (OVERLAP, OUTSIDE):
                name = utterance.id + who
                found.append(replace(utterance, id=name, speaker=name, start=at, end=at))
        return replace(corpus, utterances=tuple(found))

    def protected(
        self, utterance: Utterance, channel: Channel, sample_rate: int, speak: Speak
    ) -> Iterator[Samples]:
        """One channel with everybody in a voice of their own, piece by piece."""
        turns = self.turns.get(utterance.id) or Turns(utterance.id, ())
        strips = _strips(turns, len(channel), sample_rate)
        reels: dict[str, _Reel] = {}
        for strip in strips:
            if strip.who == OVERLAP and self.overlap == "mute":
                continue
            reels.setdefault(strip.who, _Reel(channel, sample_rate)).add(strip)
        made: list[tuple[_Reel, Channel]] = []
        for who, reel in reels.items():
            name = utterance.id + who if who in (OVERLAP, OUTSIDE) else who
            source = channel.another(reel.pieces())
            spoken = channel.another(speak(source, replace(utterance, speaker=name)))
            if len(spoken) != len(source):
                raise UsageError(
                    f"The safeguard gives {len(spoken)} samples for {len(source)}; turns can be "
                    "put back only if they are as many."
                )
            made.append((reel, spoken))
        for first in range(0, len(channel), PIECE):
            last = min(first + PIECE, len(channel))
            total = np.zeros(last - first)
            for reel, spoken in made:
                reel.put_back(spoken, first, total)
            yield total


@dataclass(frozen=True)
class _Strip:
    """Samples from ``first`` to before ``last`` that are somebody's."""

    first: int
    last: int
    who: str


def _strips(turns: Turns, length: int, rate: int) -> list[_Strip]:
    found: list[_Strip] = []
    for strip in turns.strips(length / rate):
        first, last = round(strip.start * rate), min(length, round(strip.end * rate))
        who = strip.people[0] if len(strip.people) == 1 else OVERLAP if strip.people else OUTSIDE
        if found and found[-1].who == who:
            found[-1] = _Strip(found[-1].first, last, who)
        elif last > first:
            found.append(_Strip(first, last, who))
    return found


class _Reel:
    """The strips of one voice, one after the other, and where each came from."""

    def __init__(self, channel: Channel, rate: int) -> None:
        self._channel = channel
        self._fade, self._half_gap = round(FADE * rate), round(GAP * rate / 2)
        self._strips: list[_Strip] = []
        self._places: list[int] = []
        self._ends: list[int] = []
        self._length = self._half_gap

    def add(self, strip: _Strip) -> None:
        low, high = self._reach(strip)
        self._strips.append(strip)
        self._places.append(self._length)
        self._ends.append(high + self._half_gap)
        self._length += high - low + 2 * self._half_gap

    def _reach(self, strip: _Strip) -> tuple[int, int]:
        """From where to before where a strip is heard at all."""
        return max(0, strip.first - self._fade), min(len(self._channel), strip.last + self._fade)

    def pieces(self) -> Iterator[Samples]:
        """What is on the reel: silence, a strip, silence, …"""
        yield np.zeros(self._half_gap)
        for k, strip in enumerate(self._strips):
            low, high = self._reach(strip)
            for first in range(low, high, PIECE):
                last = min(first + PIECE, high)
                yield self._channel.part(first, last) * self._weights(strip, first, last)
            yield np.zeros(self._half_gap * (2 if k + 1 < len(self._strips) else 1))

    def _weights(self, strip: _Strip, first: int, last: int) -> Samples:
        """The share of a strip in each sample; the edges of a recording do not fade."""
        n = np.arange(first, last)
        weights = np.ones(n.size)
        if strip.first > 0:
            weights = self._step(n - strip.first)
        if strip.last < len(self._channel):
            weights = weights - self._step(n - strip.last)
        return weights

    def _step(self, n: np.ndarray[Any, Any]) -> Samples:
        """From 0 before a border to 1 after it, along half a cosine."""
        step: Samples = 0.5 - 0.5 * np.cos(np.pi * np.clip(0.5 + n / (2 * self._fade), 0.0, 1.0))
        return step

    def put_back(self, spoken: Channel, start: int, total: Samples) -> None:
        """Add what the reel has become to the samples from ``start`` on.

        With what a safeguard has spread into the silence around a strip, faded out.
        """
        stop = start + total.size
        for k in range(bisect_right(self._ends, start), len(self._strips)):
            low, high = self._reach(self._strips[k])
            first, last = max(start, low - self._half_gap), min(stop, high + self._half_gap)
            if low - self._half_gap >= stop:
                break
            if last <= first:
                continue
            at = self._places[k] - low
            part = spoken.part(first + at, last + at)
            n = np.arange(first, last)
            outside = np.maximum(np.maximum(low - n, n - high + 1), 0) / self._half_gap
            total[first - start : last - start] += part * (0.5 + 0.5 * np.cos(np.pi * outside))


def matched_turns(corpus: Corpus, turns: Mapping[str, Turns]) -> dict[str, Turns]:
    """The turns of each recording by its id; of one alone, whatever its name is in the file.

    A recording that cannot be heard has none: `diarise` left it out, and so will whoever reads it,
    saying why.
    """
    from pseudovoice.diarisation.formats.names import plain

    if len(corpus) == 1 and len(turns) == 1:
        only = corpus.utterances[0].id
        return {only: replace(next(iter(turns.values())), recording=plain(only))}
    found = {u.id: turns[plain(u.id)] for u in corpus if plain(u.id) in turns}
    absent = [u for u in corpus if u.id not in found]
    if found:
        found |= {u.id: Turns(plain(u.id), ()) for u in absent if _unheard(u)}
    missing: Sequence[str] = [u.id for u in absent if u.id not in found]
    if missing:
        raise UsageError(
            f"There are no turns of {missing[0]!r}"
            + (f" and {len(missing) - 1} other recordings" if len(missing) > 1 else "")
            + "; name the recordings in `turns` as their files are named, and give one in which "
            "nobody speaks an empty file of its own."
        )
    return found


def _unheard(utterance: Utterance) -> bool:
    try:
        with reading(utterance):
            return False
    except AudioError:
        return True
