"""Light augmentation on log-mel energies, where it costs next to nothing.

Speed and noise are those of the waveform, carried over to energies; masks are SpecAugment (Park et
al. 2019). There is no random gain: removing the mean over time undoes it exactly.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pseudovoice.signal.frames import Float32

SPEEDS = (1.0, 0.9, 1.1)
"""Kaldi's three. Pitch and formants move along, so each makes another speaker of a speaker."""

VARIED = tuple(round(0.84 + 0.02 * k, 2) for k in range(17))
"""Speeds among which nobody becomes somebody else: about as far as safeguards move formants."""

NOISE_SNR_DB = (10.0, 30.0)
VOICE_SNR_DB = (13.0, 25.0)
WIDEST_MASK = 8
LONGEST_MASK = 20

_LOW_HZ, _HIGH_HZ = 20.0, 8000.0
_LOUDNESS_TO_LOG = np.log(10.0) / 10.0


def span(frames: int, speed: float) -> int:
    """How many frames of the source ``change_speed`` needs for ``frames`` of its result."""
    return int(np.ceil((frames - 1) * speed)) + 1


def change_speed(features: Float32, frames: int, speed: float) -> Float32:
    """The energies of speech played ``speed`` times as fast: [span, bands] → [frames, bands].

    Time is read at t·speed and frequency at f/speed. Above 8 kHz · speed a slowed recording is
    empty; there the highest band is repeated, lest emptiness give the speed away.
    """
    if speed == 1.0:
        return features[:frames]
    at = np.arange(frames) * speed
    left = np.minimum(at.astype(int), len(features) - 1)
    right = np.minimum(left + 1, len(features) - 1)
    share = (at - left).astype(np.float32)[:, None]
    resampled = features[left] * (1 - share) + features[right] * share
    below, part = _source_bands(features.shape[1], speed)
    warped: Float32 = resampled[:, below] * (1 - part) + resampled[:, below + 1] * part
    return warped


def add_noise(features: Float32, rng: np.random.Generator) -> Float32:
    """Stationary noise of a random colour, 10 to 30 dB below the speech.

    The colour varies about that of the speech: white noise 10 dB below would drown all but the
    lowest formants.
    """
    frames, bands = features.shape
    colour = np.log(np.exp(features).mean(axis=0) + 1e-3)
    bumps = np.interp(np.arange(bands), np.linspace(0, bands - 1, 6), rng.normal(0.0, 1.5, 6))
    # The power of noise in a band is a sum of few squares, hence a gamma variable.
    grain = np.log(rng.gamma(3.0, 1.0 / 3.0, (frames, bands)) + 1e-3)
    return _mix(features, (colour + bumps + grain).astype(np.float32), rng.uniform(*NOISE_SNR_DB))


def add_voice(features: Float32, other: Float32, rng: np.random.Generator) -> Float32:
    """Somebody else speaking in the background, 13 to 25 dB below."""
    return _mix(features, other, rng.uniform(*VOICE_SNR_DB))


def mask(features: Float32, rng: np.random.Generator) -> Float32:
    """SpecAugment: one stretch of time and one of frequency set to the mean, which is 0 by now."""
    masked = features.copy()
    frames, bands = features.shape
    long, wide = rng.integers(0, LONGEST_MASK + 1), rng.integers(0, WIDEST_MASK + 1)
    start, low = rng.integers(0, max(1, frames - long)), rng.integers(0, bands - wide)
    masked[start : start + long] = 0.0
    masked[:, low : low + wide] = 0.0
    return masked


def _mix(speech: Float32, other: Float32, snr_db: float) -> Float32:
    """Energies of independent sounds add; their ratio is set over the whole piece."""
    level = _loudness(speech) - _loudness(other) - np.float32(snr_db * _LOUDNESS_TO_LOG)
    mixed: Float32 = np.logaddexp(speech, other + level)
    return mixed


def _loudness(features: Float32) -> np.float32:
    # logaddexp.reduce would be slow; the highest value keeps the exponentials in range.
    top = features.max()
    return np.float32(top + np.log(np.exp(features - top).mean()))


@lru_cache
def _source_bands(bands: int, speed: float) -> tuple[NDArray[np.intp], Float32]:
    """Where each band's frequency divided by speed lies: the band below it, and how far above."""
    low, high = 1127.0 * np.log1p(np.array([_LOW_HZ, _HIGH_HZ]) / 700.0)
    centres = np.linspace(low, high, bands + 2)[1:-1]
    hertz = 700.0 * np.expm1(centres / 1127.0) / speed
    at = np.interp(1127.0 * np.log1p(hertz / 700.0), centres, np.arange(bands))
    below = np.minimum(at.astype(np.intp), bands - 2)
    return below, (at - below).astype(np.float32)
