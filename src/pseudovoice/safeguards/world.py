"""Speech taken apart by WORLD and put together again (Morise et al. 2016).

Pitch by Harvest and StoneMask, the spectral envelope by CheapTrick, aperiodicity by D4C. Everything
is done at 16 kHz, whatever the rate of the recording: a voice then does not depend on it, and what
lies above 8 kHz, which would go on telling who speaks, is not kept.

Words hang on the pitch: DIO, the quicker tracker, calls a quarter of the voiced frames unvoiced,
which come out whispered, and two words in a hundred more are lost. Harvest is slow at the full
rate, and costs a fifth of that on input resampled to 2 kHz, with the same words in the end.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import pyworld
import soxr
from numpy.typing import NDArray

from pseudovoice.safeguards.heard_before import heard_before
from pseudovoice.safeguards.safeguard import Samples

Floats = NDArray[np.float64]

RATE = 16_000
FRAME_SECONDS = 0.005
BINS = 513
"""Of CheapTrick's envelope at 16 kHz, from 0 to 8 kHz."""

PITCH_RATE = 2_000
"""Of what Harvest listens to: enough for two harmonics of its highest F0."""

LOWEST_PITCH, HIGHEST_PITCH = 71.0, 500.0
"""Hz, of Harvest's search."""

MALE_PITCH, FEMALE_PITCH = 115.0, 200.0
"""Typical median F0 of men and women in Hz."""

TYPICAL_PITCH = float(np.sqrt(MALE_PITCH * FEMALE_PITCH))
"""Of whom nothing is known."""

BAND, LEAST_NOISE, ALL_NOISE = 192, -60.0, 1 - 1e-12
"""Of D4C: the bin at 3 kHz, dB of noise at 0 Hz, and what unvoiced frames have everywhere."""

DIGITAL_SILENCE = 1e-5
"""−100 dB of full scale: below it there is nothing to analyse, and zeros stay zeros."""


@dataclass(frozen=True)
class Speech:
    """Frames of 5 ms: F0 in Hz (0 where unvoiced), log power envelope, and aperiodicity."""

    f0: Floats
    envelope: Floats
    aperiodicity: Floats


def analyse(samples: Samples, f0: Floats | None = None) -> Speech:
    """WORLD's three parts of 16 kHz samples; F0 as given, where it is known already."""
    x = np.ascontiguousarray(samples, np.float64)
    f0 = contour(x) if f0 is None else f0
    mark = hashlib.blake2b(f0.tobytes(), digest_size=16).hexdigest()
    noise = heard_before(f"d4c {mark}", lambda x: _noise(x, f0), x)
    return Speech(f0, envelope(x, f0), _aperiodicity(noise))


def _noise(x: Floats, f0: Floats) -> Floats:
    """D4C's answer for every frame, in dB: at 16 kHz it hears one band, about 3 kHz."""
    heard = pyworld.d4c(x, f0, _times(f0), RATE)
    voiced = heard[:, 0] < ALL_NOISE
    decibels: Floats = np.where(voiced, 20 * np.log10(heard[:, BAND]), np.inf)
    return decibels


def _aperiodicity(noise: Floats) -> Floats:
    """All bins of it: straight lines in dB from −60 at 0 Hz over the band to nearly 0 at 8 kHz."""
    voiced = np.isfinite(noise)
    share = np.arange(BINS) / BAND
    lines = np.where(
        share[None] <= 1,
        LEAST_NOISE + (noise[voiced, None] - LEAST_NOISE) * share,
        noise[voiced, None] * (BINS - 1 - np.arange(BINS)) / (BINS - 1 - BAND),
    )
    whole = np.full((noise.size, BINS), ALL_NOISE)
    whole[voiced] = 10 ** (lines / 20)
    return whole


def envelope(samples: Samples, f0: Floats) -> Floats:
    """The log power envelope of every frame."""
    x = np.ascontiguousarray(samples, np.float64)
    power: Floats = np.log(pyworld.cheaptrick(x, f0, _times(f0), RATE))
    return power


def _times(f0: Floats) -> Floats:
    return np.arange(f0.size, dtype=np.float64) * FRAME_SECONDS


def contour(samples: Samples) -> Floats:
    """F0 in Hz of every frame of 16 kHz samples, 0 where unvoiced.

    It takes longer than the other two parts, and is kept for the next voice.
    """
    return heard_before("harvest", _tracked, np.ascontiguousarray(samples, np.float64))


def _tracked(x: Floats) -> Floats:
    rough, _ = pyworld.harvest(
        resample(x, RATE, PITCH_RATE),
        PITCH_RATE,
        LOWEST_PITCH,
        HIGHEST_PITCH,
        frame_period=1000 * FRAME_SECONDS,
    )
    times = np.arange(int(x.size / (RATE * FRAME_SECONDS)) + 1) * FRAME_SECONDS
    f0: Floats = pyworld.stonemask(x, fitted(rough, times.size), times, RATE)
    return f0


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


def sounding(x: Samples) -> Samples:
    """0 where the recording is digitally silent, 1 elsewhere, with 5 ms between."""
    loud = np.abs(x) >= DIGITAL_SILENCE
    if loud.all():
        return np.ones_like(x)
    width = int(0.02 * RATE)
    reach = np.convolve(loud, np.ones(2 * width + 1), "same") > 0.5
    ramp = np.ones(81) / 81
    gate: Samples = np.convolve(reach.astype(np.float64), ramp, "same")
    return np.clip(gate, 0.0, 1.0)
