"""Cut a recording at its pauses into utterances of a few seconds.

Conventions
-----------
- The level is the mean power of 50 ms around each hop of 10 ms, in dB of full scale.
- Quiet is what lies below the middle between the recording's floor (5th percentile) and its speech
  (90th): recordings differ by 30 dB in their noise, so no fixed threshold serves them all. Digital
  silence, which editors put at the ends, says nothing about the floor and does not count. Whoever
  hardly pauses has no floor to be seen; quiet is then what lies `LEAST_DROP` below the speech.
- A pause is a quiet stretch of at least `PAUSE`; stop consonants close the mouth for less.
- Levels alone are kept, a hundred a second: a recording of any length goes by block by block.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

HOP = 0.01
SMOOTHING = 5
"""Hops over which power is averaged."""

SHORTEST, LONGEST = 3.0, 8.0
"""Seconds of an utterance."""

PAUSE = 0.2
DIP = 0.1
"""Seconds of quiet at which fluent speech is cut where it has no pause within `LONGEST`."""

LONGEST_PAUSE = 1.0
"""Seconds of quiet that an utterance may hold inside; after a longer one begins a new one."""

LEAST_SPEECH = 0.6
"""Share of an utterance that must not be quiet."""

MARGIN = 0.1
"""Seconds of a pause left at either end, so that no first or last sound is cut off."""

LEAST_DROP = 10.0
"""dB between speech and quiet, at least."""

SILENT = -90.0
"""dB: below this nothing was recorded."""

Samples = NDArray[np.floating]


@dataclass(frozen=True)
class Span:
    """From ``start`` to ``end``, in seconds."""

    start: float
    end: float

    @property
    def seconds(self) -> float:
        return self.end - self.start


@dataclass(frozen=True)
class Powers:
    """The mean power of every hop of a recording, and its seconds."""

    hops: NDArray[np.float64]
    seconds: float

    def between(self, start: float, end: float) -> Powers:
        """Of a part that begins and ends at a hop."""
        first, last = round(start / HOP), round(end / HOP)
        return Powers(self.hops[first:last], (last - first) * HOP)


def powers_of(blocks: Iterable[Samples], rate: int) -> Powers:
    """Listen to one channel, block by block; ``rate`` is a multiple of 100 Hz."""
    hop, samples = round(HOP * rate), 0
    found = [np.zeros(0)]
    waiting = np.zeros(0)
    for block in blocks:
        samples += len(block)
        waiting = np.concatenate([waiting, block])
        whole = waiting.size // hop * hop
        frames = waiting[:whole].astype(np.float64).reshape(-1, hop)
        found.append(np.square(frames).mean(axis=1))
        waiting = waiting[whole:]
    return Powers(np.concatenate(found), samples / rate)


def cut_at_pauses(powers: Powers) -> list[Span]:
    """Utterances of 3 to 8 s that begin after a pause and end before one, in their order.

    Each is as short as the pauses allow. What cannot be cut so (a stretch of fluent speech, a long
    silence) is left out; a recording without speech gives none.
    """
    quiet = _quiet(powers.hops)
    if quiet is None:
        return []
    spoken = _stretches(~quiet, DIP)
    found: list[Span] = []
    first = 0
    while first < len(spoken):
        last = _last(spoken, first)
        if last is None:
            first += 1
            continue
        begin, end = spoken[first][0], spoken[last][1]
        if 1.0 - quiet[begin:end].mean() >= LEAST_SPEECH:
            found.append(_with_margins(spoken, first, last, powers.seconds))
        first = last + 1
    return found


def _quiet(hops: NDArray[np.float64]) -> NDArray[np.bool_] | None:
    """Which hops are quiet; None where nothing stands out from anything."""
    if hops.size == 0:
        return None
    power = np.convolve(hops, np.ones(SMOOTHING) / SMOOTHING, "same")[: hops.size]
    level = 10.0 * np.log10(power + 1e-12)
    recorded = level[level > SILENT]
    if recorded.size == 0:
        return None
    floor, speech = np.percentile(recorded, (5, 90))
    quiet: NDArray[np.bool_] = level < min((floor + speech) / 2.0, speech - LEAST_DROP)
    return quiet


def _stretches(spoken: NDArray[np.bool_], gap: float) -> list[tuple[int, int]]:
    """Hops [begin, end) of speech; what less than ``gap`` seconds of quiet parts is one."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], spoken.astype(np.int8), [0]))))
    joined: list[tuple[int, int]] = []
    for begin, end in edges.reshape(-1, 2).tolist():
        if joined and (begin - joined[-1][1]) * HOP < gap:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((begin, end))
    return joined


def _last(spoken: list[tuple[int, int]], first: int) -> int | None:
    """The stretch that ends the utterance: before the first pause, else before the longest dip."""
    begin = spoken[first][0]
    ends: dict[int, float] = {}
    for k in range(first, len(spoken)):
        seconds = (spoken[k][1] - begin) * HOP
        after = (spoken[k + 1][0] - spoken[k][1]) * HOP if k + 1 < len(spoken) else PAUSE
        if seconds > LONGEST - 2.0 * MARGIN:
            break
        if seconds >= SHORTEST:
            if after >= PAUSE:
                return k
            ends[k] = after
        elif after > LONGEST_PAUSE:
            return None
    return max(ends, key=lambda k: ends[k], default=None)


def _with_margins(spoken: list[tuple[int, int]], first: int, last: int, total: float) -> Span:
    """Half of the quiet on either side, at most `MARGIN`: neighbours never share a sample."""
    before = spoken[first - 1][1] * HOP if first else 0.0
    after = spoken[last + 1][0] * HOP if last + 1 < len(spoken) else total
    begin, end = spoken[first][0] * HOP, spoken[last][1] * HOP
    return Span(begin - min(MARGIN, (begin - before) / 2.0), end + min(MARGIN, (after - end) / 2.0))
