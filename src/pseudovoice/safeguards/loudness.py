"""The level of protected speech: that of the original, without clipping."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from pseudovoice.safeguards.safeguard import Samples

FULL_SCALE = 1.0 - 2.0**-15


@dataclass(frozen=True)
class Loudness:
    """The energy and the largest size of samples."""

    energy: float
    peak: float


def level_of(pieces: Iterable[Samples]) -> Loudness:
    energy, peak = 0.0, 0.0
    for piece in pieces:
        energy += float(np.square(piece).sum())
        peak = max(peak, float(np.abs(piece).max(initial=0.0)))
    return Loudness(energy, peak)


@dataclass(frozen=True)
class Gain:
    """What gives protected speech the energy of the original; where that would clip, less of it.

    Silence stays silence: there is nothing to scale, and noise must not be blown up to speech.
    """

    protected: Loudness
    original: Loudness

    def __call__(self, samples: Samples) -> Samples:
        before, after = self.original.energy, self.protected.energy
        if before < 1e-20 or after < 1e-20:
            return np.zeros_like(samples)
        factor = np.sqrt(before / after)
        peak, allowed = self.protected.peak * factor, max(FULL_SCALE, self.original.peak)
        matched: Samples = samples * factor
        return matched if peak <= allowed else matched * (allowed / peak)
