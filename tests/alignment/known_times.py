"""Speech whose word times are known: recorded digits, cut apart and joined with pauses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.corpus import Utterance

RATE, HOP = 16_000, 160
# Where the other digits begin or end (f, th, v, t) is hardly louder than the room.
CLEAR = {"ZERO", "ONE", "SIX", "SEVEN", "NINE"}

Samples = NDArray[np.float64]


@dataclass(frozen=True)
class Joined:
    """An utterance of joined digits and when each begins and ends."""

    utterance: Utterance
    times: list[tuple[float, float]]


def words_between_gaps(samples: Samples, count: int) -> list[tuple[int, int]] | None:
    """The ``count`` stretches of sound between the longest gaps; None if it is unclear which."""
    starts = range(0, samples.size - HOP, HOP)
    level = np.array([np.square(samples[k : k + 2 * HOP]).mean() for k in starts])
    loud = np.flatnonzero(level > np.quantile(level, 0.1) * 10 + level.max() * 1e-3)
    gaps = np.diff(loud)
    order = np.argsort(gaps)
    if gaps[order[-count + 1]] < 1.5 * gaps[order[-count]]:
        return None
    cuts = np.sort(order[-count + 1 :])
    begins = loud[np.concatenate([[0], cuts + 1])]
    ends = loud[np.concatenate([cuts, [loud.size - 1]])] + 1
    return [(int(a) * HOP, int(b) * HOP) for a, b in zip(begins, ends, strict=True)]


def join(
    samples: Samples, words: list[str], pauses: tuple[float, float] = (0.1, 0.4)
) -> tuple[Samples, list[str], list[tuple[float, float]]]:
    """The clear words of a string of digits, with so many seconds of the room's own quiet."""
    rng = np.random.default_rng(samples.size)
    places = words_between_gaps(samples, len(words)) or []
    power = np.convolve(np.square(samples), np.ones(6 * HOP), "valid")
    at = int(np.argmin(power))
    quiet = samples[at : at + 6 * HOP]
    quiet = np.tile(np.concatenate([quiet, quiet[::-1]]), 20)
    pieces, kept, times = [], [], []
    at = 0
    for word, (begin, end) in zip(words, places, strict=False):
        if word not in CLEAR:
            continue
        pause = quiet[: int(rng.uniform(*pauses) * RATE)]
        ramp = np.minimum(1.0, np.arange(end - begin) / 80)
        pieces += [pause, samples[begin:end] * ramp * ramp[::-1]]
        at += pause.size + end - begin
        times.append(((at - end + begin) / RATE, at / RATE))
        kept.append(word)
    return np.concatenate([*pieces, quiet[: RATE // 5]]), kept, times
