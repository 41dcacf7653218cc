"""A safeguard of one's own: every speaker gets a spectral tilt that the key draws.

It shows the interface and hides nobody: pseudovoice compare CORPUS --safeguard tilt says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from scipy.signal import lfilter

from pseudovoice.safeguards.safeguard import Samples, Voice, describe


@dataclass(frozen=True)
class Tilt:
    """A one-zero filter whose coefficient lies between minus and plus ``most``."""

    most: float = 0.9

    name: ClassVar[str] = "tilt"
    reference: ClassVar[str] = "an example of pseudovoice"
    deterministic: ClassVar[bool] = False
    level: ClassVar[str] = "speaker"

    def to_dict(self) -> dict[str, Any]:
        return describe(self)

    def __call__(self, samples: Samples, sample_rate: int, voice: Voice) -> Samples:
        del sample_rate  # the same filter at every rate
        coefficient = voice.uniform("tilt", -self.most, self.most)
        tilted: Samples = lfilter([1.0, coefficient], [1.0], samples)
        return tilted
