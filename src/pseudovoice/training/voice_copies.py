"""Copies of a recording as somebody else might have said it: what a voice hears while it learns.

What is left of a speaker in content goes with the size of their mouth. Copies are played faster or
slower, and have their formants bent, so that a network that has to say the recording itself cannot
read the speaker off them. In use recordings are heard as they are: bending those, too, costs words
and hides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import soxr

from pseudovoice.safeguards.channel import Channel, whole
from pseudovoice.safeguards.mcadams import move_poles
from pseudovoice.safeguards.xvector.frames import RATE, Float32

STRETCH = 0.18
"""Largest logarithm of the factor by which a copy is played slower or faster."""
BENT = (0.84, 1.14)
"""McAdams coefficients of a copy whose formants are bent."""
BENDS = (False, True, True)
"""Of each copy, whether its formants are bent besides."""
COPIES = len(BENDS)


def copies(waveform: Float32, rng: np.random.Generator) -> Iterator[Float32]:
    """Each as long as it became."""
    for bends in BENDS:
        factor = float(np.exp(rng.uniform(-STRETCH, STRETCH)))
        changed = np.asarray(soxr.resample(waveform, RATE, RATE * factor), np.float32)
        yield _bent(changed, float(rng.uniform(*BENT))) if bends else changed


def _bent(waveform: Float32, coefficient: float) -> Float32:
    samples = Channel(None, [waveform.astype(np.float64)])
    return whole(move_poles(samples, RATE, coefficient)).astype(np.float32)
