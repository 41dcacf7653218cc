"""A long recording in a pseudo-voice: heard as a whole, spoken block by block.

WORLD needs memory for every frame, and Harvest for the square of their number. So the contour is
tracked in blocks, then the long-term spectrum and spread are summed up, then each block is spoken.
Blocks overlap, and end where nobody speaks: the pulses of a voiced stretch would not fit those of
the next block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from pseudovoice.memory import give_back
from pseudovoice.safeguards.channel import Channel
from pseudovoice.safeguards.persona.pseudovoice import TYPICAL_PITCH, PseudoVoice
from pseudovoice.safeguards.persona.shape import LongTermCount, cepstrum_of, reshape
from pseudovoice.safeguards.persona.world import (
    DIGITAL_SILENCE,
    FRAME_SECONDS,
    RATE,
    Floats,
    analyse,
    contour,
    envelope,
    fitted,
    pitch_of,
    sounding,
    synthesise,
)
from pseudovoice.safeguards.safeguard import Samples

FRAME = round(RATE * FRAME_SECONDS)
BLOCK = round(30 / FRAME_SECONDS)
"""Frames that are spoken at a time, at the most."""

SEARCHED = round(10 / FRAME_SECONDS)
"""Frames at the end of a block among which the quietest is looked for."""

MARGIN = round(0.5 / FRAME_SECONDS)
"""Frames around a block that are heard with it, so that it does not begin out of nowhere."""

NEAR = round(0.055 / FRAME_SECONDS)
"""Frames over which it has to be quiet where blocks meet."""

FADE = round(0.015 * RATE)
"""Samples before and after that place in which one block gives way to the next."""


def speak_in_blocks(
    channel: Channel, voice_at: Callable[[float], PseudoVoice]
) -> Iterator[Samples]:
    """A 16 kHz recording in the pseudo-voice for its pitch."""
    f0, power, peak = _contour(channel)
    if peak < DIGITAL_SILENCE:
        yield from (np.zeros(piece.size) for piece in channel.pieces())
        return
    pitch = pitch_of(f0)
    voice = voice_at(pitch or TYPICAL_PITCH)
    blocks = list(pairwise(_borders(f0, power)))
    common = _long_term(channel, f0, blocks, voice).result(pitch)
    fading = np.zeros(0)
    for first, last in blocks:
        heard, x = _heard(channel, first, last)
        frames = reshape(analyse(x, _of(f0, heard, x)), voice, common)
        spoken = synthesise(frames, x.size) * sounding(x)
        begin = (first - heard) * FRAME - fading.size // 2
        spoken[begin : begin + fading.size] *= _rising()[: fading.size]
        spoken[begin : begin + fading.size] += fading
        if last == f0.size:
            yield spoken[begin:]
            return
        end = (last - heard) * FRAME
        fading = spoken[end - FADE : end + FADE] * _rising()[::-1]
        yield spoken[begin : end - FADE]


def _long_term(
    channel: Channel, f0: Floats, blocks: Sequence[tuple[int, int]], voice: PseudoVoice
) -> LongTermCount:
    count = LongTermCount()
    for first, last in blocks:
        heard, x = _heard(channel, first, last)
        frames = envelope(x, _of(f0, heard, x))[first - heard :]
        count.add(cepstrum_of(frames[: last - first], voice))
    return count


def _contour(channel: Channel) -> tuple[Floats, Floats, float]:
    """F0 and power of every frame, and the largest sample."""
    frames = len(channel) // FRAME + 1
    f0, power, peak = np.zeros(frames), np.zeros(frames), 0.0
    for first in range(0, frames, BLOCK):
        last = min(first + BLOCK, frames)
        heard, x = _heard(channel, first, last)
        f0[first:last] = contour(x)[first - heard :][: last - first]
        own = fitted(x[(first - heard) * FRAME :], (last - first) * FRAME)
        power[first:last] = np.square(own).reshape(-1, FRAME).sum(axis=1)
        peak = max(peak, float(np.abs(x).max()))
    return f0, power, peak


def _borders(f0: Floats, power: Floats) -> list[int]:
    """Frames at which blocks meet: the quietest ones, where nothing is voiced."""
    quiet = uniform_filter1d(power, NEAR)
    voiced = maximum_filter1d((f0 > 0).astype(np.uint8), NEAR) > 0
    borders = [0]
    # What is left for the last block is never less than the margin.
    while f0.size - borders[-1] > BLOCK + MARGIN:
        end = borders[-1] + BLOCK
        searched = slice(end - SEARCHED, end)
        loud = np.where(voiced[searched], np.inf, quiet[searched])
        if np.isinf(loud).all():
            loud = quiet[searched]
        borders.append(end - SEARCHED + int(np.argmin(loud)))
    return [*borders, f0.size]


def _heard(channel: Channel, first: int, last: int) -> tuple[int, Samples]:
    """The samples of a block with its margins, and the frame that they begin with."""
    give_back()  # what the block before took: WORLD takes dozens of megabytes for each
    begin = max(0, first - MARGIN)
    return begin, channel.part(begin * FRAME, (last + MARGIN) * FRAME)


def _of(f0: Floats, heard: int, x: Samples) -> Floats:
    return f0[heard : heard + x.size // FRAME + 1]


def _rising() -> Samples:
    """Of equal power with its reverse: where blocks meet there is noise, which does not add up."""
    return np.sin(np.pi / 2 * (np.arange(2 * FADE) + 0.5) / (2 * FADE))
