"""The edges of a recording: more of its own background noise, or less of what is quietest.

Padding with zeros would be stripped by whoever looks for zeros. So it is noise with the spectrum
and level of the quietest moments near that edge, and it is there before the safeguard is, which
then treats it like the rest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import chain

import numpy as np

from pseudovoice.safeguards.channel import PIECE, Channel
from pseudovoice.safeguards.safeguard import Samples

# Where the background is looked for, how long a look is, and what share of the looks is quiet.
_NEAR, _LOOK, _QUIET = 1.0, 0.032, 0.25


def padded(channels: Sequence[Channel], sample_rate: int, step: int, seed: bytes) -> list[Channel]:
    """Up to the next multiple of ``step`` samples; ``seed`` says how much of it goes before."""
    length = len(channels[0])
    extra = -length % step
    before = int.from_bytes(_stretched(seed, "split", 8), "big") % (extra + 1)
    near = max(1, round(_NEAR * sample_rate))
    made = []
    for number, channel in enumerate(channels):
        mark = bytes([number % 256])
        edges = (
            (channel.part(0, near), before, _stretched(seed, "before", 16) + mark),
            (
                channel.part(length - near, length),
                extra - before,
                _stretched(seed, "after", 16) + mark,
            ),
        )
        first, last = (_background(part, sample_rate, size, its) for part, size, its in edges)
        made.append(channel.another(chain([first], channel.pieces(), [last])))
    return made


def trimmed(channels: Sequence[Channel], step: int) -> list[Channel]:
    """Down to a multiple of ``step`` samples, without the edges that hold the least energy."""
    length = len(channels[0])
    kept = length // step * step
    extra = length - kept
    lost = np.zeros(extra + 1)
    for channel in channels:
        lost[1:] += np.cumsum(np.square(channel.part(0, extra)))
        lost[:-1] += np.cumsum(np.square(channel.part(kept, length))[::-1])[::-1]
    first = int(np.argmin(lost))
    return [
        channel.another(
            channel.part(at, min(at + PIECE, first + kept))
            for at in range(first, first + kept, PIECE)
        )
        for channel in channels
    ]


def _stretched(seed: bytes, purpose: str, size: int) -> bytes:
    return hashlib.sha256(seed + purpose.encode()).digest()[:size]


def _background(near: Samples, sample_rate: int, size: int, seed: bytes) -> Samples:
    """So many samples of noise like the quietest moments of ``near``."""
    if size == 0:
        return np.zeros(0)
    look = max(2, min(round(_LOOK * sample_rate), len(near)) // 2 * 2)
    return _like(_floor(near, look), look, size, seed)


def _floor(samples: Samples, look: int) -> Samples:
    """Power spectrum of the quietest looks, in units of a window's energy."""
    if len(samples) < look:
        samples = np.pad(samples, (0, look - len(samples)))
    looks = np.lib.stride_tricks.sliding_window_view(samples, look)[:: look // 2]
    energies = np.square(looks).sum(axis=1)
    quiet = looks[np.argsort(energies, kind="stable")[: max(1, round(_QUIET * len(looks)))]]
    window = _window(look)
    power: Samples = np.square(np.abs(np.fft.rfft(quiet * window))).mean(axis=0)
    power /= np.square(window).sum()
    return power


def _like(power: Samples, look: int, frames: int, seed: bytes) -> Samples:
    """Gaussian noise with that power spectrum, from looks that overlap by half."""
    half = look // 2
    count = frames // half + 2
    # The raw numbers of a generator are the same in every version; its methods' need not be.
    raw = np.random.PCG64(int.from_bytes(seed, "big")).random_raw(2 * count * look)
    uniform = (np.asarray(raw, dtype=np.uint64) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    first, second = uniform.reshape(2, count, look)
    white = np.sqrt(-2.0 * np.log1p(-first)) * np.cos(2.0 * np.pi * second)
    coloured = np.fft.irfft(np.fft.rfft(white) * np.sqrt(power), look) * _window(look)
    noise = np.zeros((count + 1) * half)
    for number, part in enumerate(coloured):
        noise[number * half : number * half + look] += part
    return noise[half : half + frames]


def _window(look: int) -> Samples:
    """Halves of it, squared, add up to one: noise that overlaps by half keeps its power."""
    window: Samples = np.sin(np.pi * (np.arange(look) + 0.5) / look)
    return window
