"""One channel in a target's voice, block by block; a short recording is one block."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from pseudovoice.corpus import resampled
from pseudovoice.safeguards.blocks import Block, Blocks
from pseudovoice.safeguards.channel import Channel, of_length
from pseudovoice.safeguards.heard_before import LONGEST, HeardBefore, heard_before
from pseudovoice.safeguards.loudness import FULL_SCALE
from pseudovoice.safeguards.safeguard import Samples
from pseudovoice.safeguards.world import DIGITAL_SILENCE, sounding
from pseudovoice.safeguards.xvector.contour import moved
from pseudovoice.safeguards.xvector.frames import (
    FRAME,
    RATE,
    SHARED,
    log_energy,
    loudest,
    pitch_of,
    steps,
)
from pseudovoice.safeguards.xvector.speaking_voice import SpeakingVoice
from pseudovoice.safeguards.xvector.target import Target

SHORTEST = 800
"""Samples (50 ms): below them there is nothing to hear."""


def speak(
    channel: Channel,
    sample_rate: int,
    voice: SpeakingVoice,
    target: Target,
    contour: str,
    uniform: Callable[[str], float],
) -> Iterator[Samples]:
    """As many samples come out as went in."""
    heard = channel.another(resampled(channel.pieces(), sample_rate, RATE, quality="VHQ"))
    spoken = _speak_16k(heard, voice, target, contour, uniform)
    yield from of_length(resampled(spoken, RATE, sample_rate, quality="VHQ"), len(channel))


def _speak_16k(
    channel: Channel,
    voice: SpeakingVoice,
    target: Target,
    contour: str,
    uniform: Callable[[str], float],
) -> Iterator[Samples]:
    """The same for a recording of 16 kHz."""
    blocks = Blocks(channel, RATE, FRAME)
    # Nobody tries many voices on a long recording, though some of its blocks would be kept.
    hear = heard_before if len(channel) <= LONGEST else HeardBefore(0)
    tracked = None
    if len(channel) >= SHORTEST:
        tracked = blocks.track(lambda x: hear("pitch", pitch_of, x.astype(np.float32)))
    if tracked is None or tracked.peak < DIGITAL_SILENCE:
        yield from (np.zeros(piece.size) for piece in channel.pieces())
        return
    loud = loudest(log_energy(np.concatenate([[0.0], tracked.power]) / FRAME))
    pitch = moved(tracked.f0, target, contour, uniform)
    place = np.array(target.place)

    def speak_block(block: Block) -> Samples:
        x = block.samples.astype(np.float32)
        f0 = np.zeros(SHARED * steps(x.size))
        own = pitch[block.heard : block.heard + f0.size]
        f0[: own.size] = own
        content = hear(f"content {voice.identity}", voice.content, x)
        # A voice speaks at one level; that of the recording is given back to it.
        made = np.exp(loud / 2) * voice.say(content, f0, place)[: x.size]
        return _unclipped(made) * sounding(block.samples)

    yield from blocks.spoken(blocks.borders(tracked), speak_block)


def _unclipped(samples: Samples) -> Samples:
    peak = float(np.abs(samples).max(initial=0.0))
    return samples * (FULL_SCALE / peak) if peak > FULL_SCALE else samples
