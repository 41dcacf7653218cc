"""A long recording, tracked as a whole and spoken block by block.

Who speaks anew needs memory for every frame. So the contour is tracked in blocks first, and then
each block is spoken. Blocks overlap, and end where nobody speaks: the pulses of a voiced stretch
would not fit those of the next block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from pseudovoice.memory import give_back
from pseudovoice.safeguards.channel import Channel
from pseudovoice.safeguards.safeguard import Samples

Floats = NDArray[np.float64]

SECONDS = 30.0
"""Of a block, at the most."""
SEARCHED = 10.0
"""Seconds at the end of a block among which the quietest place is looked for."""
MARGIN = 0.5
"""Seconds around a block that are heard with it, so that it does not begin out of nowhere."""
NEAR = 0.055
"""Seconds over which it has to be quiet where blocks meet."""
FADE = 0.015
"""Seconds before and after that place in which one block gives way to the next."""


@dataclass(frozen=True)
class Tracked:
    """F0 and power of every frame of a recording, and its largest sample."""

    f0: Floats
    power: Floats
    peak: float


@dataclass(frozen=True)
class Block:
    """Frames ``first`` to before ``last`` of a recording, heard from the frame ``heard`` on."""

    first: int
    last: int
    heard: int
    samples: Samples


@dataclass(frozen=True)
class Blocks:
    """A recording of ``rate`` in frames of ``frame`` samples."""

    channel: Channel
    rate: int
    frame: int

    def _frames(self, seconds: float) -> int:
        return round(seconds * self.rate / self.frame)

    def block(self, first: int, last: int) -> Block:
        """The samples of a block with its margins."""
        give_back()  # what the block before took: dozens of megabytes for each
        margin = self._frames(MARGIN)
        begin = max(0, first - margin)
        return Block(
            first,
            last,
            begin,
            self.channel.part(begin * self.frame, (last + margin) * self.frame),
        )

    def track(self, contour: Callable[[Samples], Floats]) -> Tracked:
        """``contour`` gives F0 of every frame of samples, 0 where unvoiced."""
        frames, size = len(self.channel) // self.frame + 1, self._frames(SECONDS)
        f0, power, peak = np.zeros(frames), np.zeros(frames), 0.0
        for first in range(0, frames, size):
            last = min(first + size, frames)
            block = self.block(first, last)
            x, before = block.samples, first - block.heard
            own = contour(x)[before:][: last - first]
            f0[first : first + own.size] = own
            sounds = np.zeros((last - first) * self.frame)
            rest = x[before * self.frame :][: sounds.size]
            sounds[: rest.size] = rest
            power[first:last] = np.square(sounds).reshape(-1, self.frame).sum(axis=1)
            peak = max(peak, float(np.abs(x).max(initial=0.0)))
        return Tracked(f0, power, peak)

    def borders(self, tracked: Tracked) -> list[tuple[int, int]]:
        """First and last frame of each block; they meet where it is quiet and nothing is voiced."""
        near, size, searched = (self._frames(s) for s in (NEAR, SECONDS, SEARCHED))
        quiet = uniform_filter1d(tracked.power, near)
        voiced = maximum_filter1d((tracked.f0 > 0).astype(np.uint8), near) > 0
        borders, frames = [0], tracked.f0.size
        # What is left for the last block is never less than the margin.
        while frames - borders[-1] > size + self._frames(MARGIN):
            end = borders[-1] + size
            last = slice(end - searched, end)
            loud = np.where(voiced[last], np.inf, quiet[last])
            if np.isinf(loud).all():
                loud = quiet[last]
            borders.append(end - searched + int(np.argmin(loud)))
        return list(pairwise([*borders, frames]))

    def spoken(
        self, borders: list[tuple[int, int]], speak: Callable[[Block], Samples]
    ) -> Iterator[Samples]:
        """All blocks in turn, faded into each other; ``speak`` gives as many samples as it gets."""
        fade = round(FADE * self.rate)
        # Of equal power with its reverse: where blocks meet there is noise, which does not add up.
        rising = np.sin(np.pi / 2 * (np.arange(2 * fade) + 0.5) / (2 * fade))
        fading = np.zeros(0)
        for first, last in borders:
            block = self.block(first, last)
            made = speak(block)
            begin = (first - block.heard) * self.frame - fading.size // 2
            made[begin : begin + fading.size] *= rising[: fading.size]
            made[begin : begin + fading.size] += fading
            if last == borders[-1][1]:
                yield made[begin:]
                return
            end = (last - block.heard) * self.frame
            fading = made[end - fade : end + fade] * rising[::-1]
            yield made[begin : end - fade]
