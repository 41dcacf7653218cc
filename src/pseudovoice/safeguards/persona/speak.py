"""One channel in a pseudo-voice, in one piece or, where it is long, in blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from pseudovoice.corpus import resampled
from pseudovoice.safeguards.channel import Channel, of_length
from pseudovoice.safeguards.persona.blocks import speak_in_blocks
from pseudovoice.safeguards.persona.pseudovoice import PseudoVoice
from pseudovoice.safeguards.persona.shape import reshape
from pseudovoice.safeguards.safeguard import Samples
from pseudovoice.safeguards.world import (
    DIGITAL_SILENCE,
    RATE,
    TYPICAL_PITCH,
    analyse,
    fitted,
    pitch_of,
    resample,
    sounding,
    synthesise,
)

SHORTEST = 800
"""Samples (50 ms): below them there is no period to find, and nothing to hear either."""

LONGEST = 60.0
"""Seconds that are spoken in one piece; WORLD takes 0.6 GB for them, and more than in proportion
for longer ones."""

VoiceAt = Callable[[float], PseudoVoice]
"""The pseudo-voice for a source of this median F0."""


def speak(channel: Channel, sample_rate: int, voice_at: VoiceAt) -> Iterator[Samples]:
    """As many samples come out as went in."""
    if len(channel) <= LONGEST * sample_rate:
        yield speak_at_once(channel.part(0, len(channel)), sample_rate, voice_at)
        return
    heard = channel.another(resampled(channel.pieces(), sample_rate, RATE, quality="VHQ"))
    spoken = speak_in_blocks(heard, voice_at)
    yield from of_length(resampled(spoken, RATE, sample_rate, quality="VHQ"), len(channel))


def speak_at_once(samples: Samples, sample_rate: int, voice_at: VoiceAt) -> Samples:
    """The same in one piece, however long."""
    x = resample(samples, sample_rate, RATE)
    if x.size < SHORTEST or np.abs(x).max() < DIGITAL_SILENCE:
        return np.zeros(samples.size)
    speech = analyse(x)
    pitch = pitch_of(speech.f0) or TYPICAL_PITCH
    spoken = synthesise(reshape(speech, voice_at(pitch)), x.size)
    return fitted(resample(spoken * sounding(x), RATE, sample_rate), samples.size)
