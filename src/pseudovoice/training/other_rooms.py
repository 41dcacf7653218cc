"""Speech as another microphone in another, noisier room would have it.

A voice that learns from recordings as they are learns that content heard through a room is to be
spoken in that room, and the room is a mark of whoever was recorded there.
"""

from __future__ import annotations

import numpy as np
from scipy.signal import fftconvolve, firwin2

from pseudovoice.safeguards.xvector.frames import RATE, Float32, Float64

TILT, RIPPLE = 6.0, 5.0
"""dB at most by which a microphone lifts or lowers the highs, and any band of its own."""
BANDS = 7
TAPS = 129
SHORTEST_ECHO, LONGEST_ECHO = 0.08, 0.5
"""Seconds in which an echo falls by 60 dB."""
DRIEST, WETTEST = 25.0, 3.0
"""dB of the direct sound over the echo."""
QUIETEST, NOISIEST = 40.0, 10.0
"""dB of speech over noise."""


def in_another_room(waveform: Float32, rng: np.random.Generator) -> Float32:
    """As many samples, drawn with ``rng``: echo, then noise of the room, then the microphone."""
    x = waveform.astype(np.float64)
    power = float(np.mean(np.square(x)))
    if power == 0.0:
        return waveform
    x = _echoed(x, rng)
    noise = _coloured(x.size, rng)
    level = power * 10 ** (-rng.uniform(NOISIEST, QUIETEST) / 10)
    x = x + noise * np.sqrt(level / np.mean(np.square(noise)))
    heard: Float64 = fftconvolve(x, _microphone(rng))[TAPS // 2 :][: waveform.size]
    heard *= np.sqrt(power / max(float(np.mean(np.square(heard))), 1e-12))
    return heard.astype(np.float32)


def _echoed(x: Float64, rng: np.random.Generator) -> Float64:
    seconds = rng.uniform(SHORTEST_ECHO, LONGEST_ECHO)
    times = np.arange(1, round(seconds * RATE)) / RATE
    echo = rng.standard_normal(times.size) * 10 ** (-3 * times / seconds)
    echo *= np.sqrt(10 ** (-rng.uniform(WETTEST, DRIEST) / 10) / np.sum(np.square(echo)))
    whole: Float64 = fftconvolve(x, np.concatenate([[1.0], echo]))[: x.size]
    return whole


def _coloured(size: int, rng: np.random.Generator) -> Float64:
    """Noise whose power falls with the frequency, as that of rooms does."""
    spectrum = np.fft.rfft(rng.standard_normal(size))
    slope = rng.uniform(0.0, 1.0)
    spectrum *= np.maximum(np.arange(spectrum.size), 20 * size / RATE) ** -slope
    noise: Float64 = np.fft.irfft(spectrum, size)
    return noise


def _microphone(rng: np.random.Generator) -> Float64:
    places = np.linspace(0.0, 1.0, BANDS)
    gain = rng.uniform(-TILT, TILT) * (places - 0.5) * 2 + rng.uniform(-RIPPLE, RIPPLE, BANDS)
    taps: Float64 = firwin2(TAPS, places, 10 ** (gain / 20))
    return taps
