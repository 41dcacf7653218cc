"""The level of protected speech: that of the original, without clipping."""

from __future__ import annotations

import numpy as np

from pseudovoice.safeguards.safeguard import Samples

FULL_SCALE = 1.0 - 2.0**-15


def match_level(protected: Samples, original: Samples) -> Samples:
    """Scale to the energy of the original; where that would clip, as far as the peak allows.

    Silence stays silence: there is nothing to scale, and noise must not be blown up to speech.
    """
    before, after = np.square(original).sum(), np.square(protected).sum()
    if before < 1e-20 or after < 1e-20:
        return np.zeros_like(protected)
    matched: Samples = protected * np.sqrt(before / after)
    peak, allowed = np.abs(matched).max(), max(FULL_SCALE, np.abs(original).max())
    return matched if peak <= allowed else matched * (allowed / peak)
