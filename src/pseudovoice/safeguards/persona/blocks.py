"""A long recording in a pseudo-voice: heard as a whole, spoken block by block.

Harvest needs memory for the square of the frames. Between tracking and speaking, the long-term
spectrum and spread are summed up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from pseudovoice.safeguards.blocks import Block, Blocks
from pseudovoice.safeguards.channel import Channel
from pseudovoice.safeguards.persona.pseudovoice import PseudoVoice
from pseudovoice.safeguards.persona.shape import LongTermCount, cepstrum_of, reshape
from pseudovoice.safeguards.safeguard import Samples
from pseudovoice.safeguards.world import (
    DIGITAL_SILENCE,
    FRAME_SECONDS,
    RATE,
    TYPICAL_PITCH,
    Floats,
    analyse,
    contour,
    envelope,
    pitch_of,
    sounding,
    synthesise,
)

FRAME = round(RATE * FRAME_SECONDS)


def speak_in_blocks(
    channel: Channel, voice_at: Callable[[float], PseudoVoice]
) -> Iterator[Samples]:
    """A 16 kHz recording in the pseudo-voice for its pitch."""
    blocks = Blocks(channel, RATE, FRAME)
    tracked = blocks.track(contour)
    if tracked.peak < DIGITAL_SILENCE:
        yield from (np.zeros(piece.size) for piece in channel.pieces())
        return
    pitch = pitch_of(tracked.f0)
    voice = voice_at(pitch or TYPICAL_PITCH)
    borders = blocks.borders(tracked)
    count = LongTermCount()
    for first, last in borders:
        block = blocks.block(first, last)
        frames = envelope(block.samples, _of(tracked.f0, block))[first - block.heard :]
        count.add(cepstrum_of(frames[: last - first], voice))
    common = count.result(pitch)

    def speak(block: Block) -> Samples:
        frames = reshape(analyse(block.samples, _of(tracked.f0, block)), voice, common)
        return synthesise(frames, block.samples.size) * sounding(block.samples)

    yield from blocks.spoken(borders, speak)


def _of(f0: Floats, block: Block) -> Floats:
    return f0[block.heard : block.heard + block.samples.size // FRAME + 1]
