"""Speech taken apart by WORLD and put together again (Morise et al. 2016).

Pitch by DIO and StoneMask, the spectral envelope by CheapTrick, aperiodicity by D4C. Everything is
done at 16 kHz, whatever the rate of the recording: a voice then does not depend on it, and what
lies above 8 kHz, which would go on telling who speaks, is not kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyworld
import soxr
from numpy.typing import NDArray

from pseudovoice.safeguards.safeguard import Samples

Floats = NDArray[np.float64]

RATE = 16_000
FRAME_SECONDS = 0.005
BINS = 513
"""Of CheapTrick's envelope at 16 kHz, from 0 to 8 kHz."""

DIGITAL_SILENCE = 1e-5
"""−100 dB of full scale: below it there is nothing to analyse, and zeros stay zeros."""


@dataclass(frozen=True)
class Speech:
    """Frames of 5 ms: F0 in Hz (0 where unvoiced), log power envelope, and aperiodicity."""

    f0: Floats
    envelope: Floats
    aperiodicity: Floats


def analyse(samples: Samples) -> Speech:
    """WORLD's three parts of 16 kHz samples."""
    x = np.ascontiguousarray(samples, np.float64)
    period = 1000 * FRAME_SECONDS
    rough, times = pyworld.dio(x, RATE, frame_period=period)
    f0 = pyworld.stonemask(x, rough, times, RATE)
    envelope = pyworld.cheaptrick(x, f0, times, RATE)
    return Speech(f0, np.log(envelope), pyworld.d4c(x, f0, times, RATE))


def synthesise(speech: Speech, length: int) -> Samples:
    """Samples of the three parts, cut or filled to ``length``."""
    made = pyworld.synthesize(
        np.ascontiguousarray(speech.f0),
        np.exp(np.ascontiguousarray(speech.envelope)),
        np.ascontiguousarray(np.clip(speech.aperiodicity, 1e-6, 1.0)),
        RATE,
        1000 * FRAME_SECONDS,
    )
    return fitted(made, length)


def fitted(samples: Samples, length: int) -> Samples:
    """As many samples as asked for: cut, or filled with zeros at the end."""
    out = np.zeros(length)
    kept = min(length, samples.size)
    out[:kept] = samples[:kept]
    return out


def resample(samples: Samples, before: int, after: int) -> Samples:
    if before == after:
        return samples
    resampled: Samples = soxr.resample(samples, before, after, quality="VHQ")
    return resampled


def pitch_of(f0: Floats) -> float | None:
    """The median F0 of voiced frames in Hz; None where there are too few to tell."""
    voiced = f0[f0 > 0]
    return float(np.median(voiced)) if voiced.size >= 10 else None
