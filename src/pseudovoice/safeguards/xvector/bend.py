"""A recording is heard as somebody else might have said it: each a little otherwise, by chance.

What is left of a speaker in content goes with the size of their mouth. Recordings that are played
faster or slower, and whose formants are bent, before they are heard, have that in common no more.
The voice learnt from copies like these, so it loses few words by them.

By which recording it is, not by the key: somebody who gets one recording under several keys would
else hear it bent in several ways, and could average.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import soxr  # type: ignore[import-untyped, unused-ignore]

from pseudovoice.safeguards.channel import Channel, whole
from pseudovoice.safeguards.mcadams import move_poles
from pseudovoice.safeguards.xvector.frames import RATE, Float32, Hear, content_of

STRETCH = 0.18
"""Largest logarithm of the factor by which a recording is played slower or faster."""
BENT = (0.84, 1.14)
"""McAdams coefficients of a recording whose formants are bent."""
_TOLD_BY = 1 << 17
"""Samples at the beginning that tell which recording it is: a few seconds."""


@dataclass(frozen=True)
class Bend:
    """Played ``factor`` times slower, and the angles of poles to the power of ``coefficient``."""

    factor: float
    coefficient: float

    def __call__(self, waveform: Float32) -> Float32:
        return bent(played(waveform, self.factor), self.coefficient)


STRAIGHT = Bend(1.0, 1.0)


def bend_of(channel: Channel) -> Bend:
    """The bend of a recording, by chance and always the same."""
    # In steps of 16 bits, for programs that decode or resample may differ in the last digits.
    told = np.rint(32768 * channel.part(0, _TOLD_BY)).astype("<i4").tobytes()
    seed = int.from_bytes(hashlib.sha256(told).digest()[:16], "little")
    rng = np.random.default_rng(seed)
    return Bend(float(np.exp(rng.uniform(-STRETCH, STRETCH))), float(rng.uniform(*BENT)))


def played(waveform: Float32, factor: float) -> Float32:
    """So many times slower, and lower."""
    return np.asarray(soxr.resample(waveform, RATE, RATE * factor), np.float32)


def bent(waveform: Float32, coefficient: float) -> Float32:
    """With formants elsewhere."""
    samples = Channel(None, [waveform.astype(np.float64)])
    return whole(move_poles(samples, RATE, coefficient)).astype(np.float32)


def content_in_time(hear: Hear, waveform: Float32, changed: Float32) -> Float32:
    """Frames of content of what was ``changed``, in the time of the waveform."""
    return content_of(hear, changed, stretch=changed.size / waveform.size)
