"""Speech as frames that a neural voice hears and speaks: content, pitch, and WORLD's envelope.

Conventions
-----------
- 16 kHz. The voice speaks a frame every 8 ms (:data:`FRAME` samples), at times 0, 8 ms, …; every
  three of them share one frame of content, which belongs to the time of the middle one.
- The recogniser hears 895 samples around each of its own frames, 384 apart and without padding:
  its vectors are interpolated to the times of ours.
- Pitch is SwiftF0's, in training as in use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyworld
from numpy.typing import NDArray

from pseudovoice.signal.pitch import HOP, pitch

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

RATE = 16_000
FRAME = 128
"""Samples from one frame to the next: 8 ms."""
SHARED = 3
"""Frames that share a frame of content."""
STEP = FRAME * SHARED
"""Samples from one frame of content to the next, in ours and in the recogniser's time."""
CENTRE = 447
"""The sample around which the recogniser's first frame lies."""
ENVELOPE = 60
"""Numbers that an envelope is coded in."""
SPOKEN = ENVELOPE + 1
"""What is spoken in a frame: the envelope, and the aperiodicity, of which 16 kHz have one band."""
FFT = 1024
SILENCE = 1e-10
"""Energy below which there is nothing: −100 dB of full scale."""

LOUD = 0.95
"""The quantile of a recording's log energy that is its level."""

Hear = Callable[[Float32], Float32]
"""A waveform to the recogniser's frames [T, n]."""


def steps(samples: int) -> int:
    """Frames of content that so many samples have."""
    return max(1, -(-samples // STEP))


def content_of(hear: Hear, waveform: Float32, *, stretch: float = 1.0) -> Float32:
    """Frames of content [steps, n] of a waveform.

    A ``stretch`` other than 1 says that the waveform was made so many times longer first; what
    comes out is in the time of the original.
    """
    heard = hear(waveform)
    own = (CENTRE + STEP * np.arange(len(heard))) / stretch
    count = steps(round(waveform.size / stretch))
    wanted = FRAME + STEP * np.arange(count)
    place = np.clip(np.interp(wanted, own, np.arange(len(heard))), 0, len(heard) - 1)
    before = place.astype(np.intp)
    after = np.minimum(before + 1, len(heard) - 1)
    share = (place - before).astype(np.float32)[:, None]
    return np.asarray((1 - share) * heard[before] + share * heard[after], np.float32)


def pitch_of(waveform: Float32) -> Float64:
    """F0 in Hz of every frame [3 · steps], 0 where unvoiced."""
    tracked = pitch(waveform)
    times = FRAME * np.arange(SHARED * steps(waveform.size))
    return f0_at(times, HOP * np.arange(tracked.size), tracked)


def f0_at(times: NDArray[Any], own: NDArray[Any], tracked: Float64) -> Float64:
    """F0 at other times than its own, evenly spaced ones; voiced where the nearest value is."""
    voiced = tracked > 0
    if not voiced.any():
        return np.zeros(times.size)
    f0 = np.exp(np.interp(times, own[voiced], np.log(tracked[voiced])))
    hop = own[1] - own[0] if own.size > 1 else 1
    nearest = np.clip(np.round(times / hop).astype(np.intp), 0, tracked.size - 1)
    return np.where(voiced[nearest], f0, 0.0)


def energy_of(waveform: Float32) -> Float64:
    """Log energy of every frame [3 · steps], of 16 ms around it."""
    count = SHARED * steps(waveform.size)
    x = np.zeros((count + 1) * FRAME)
    x[FRAME : FRAME + waveform.size] = waveform[: x.size - FRAME]
    return log_energy(np.square(x).reshape(-1, FRAME).mean(axis=1))


def log_energy(power: Float64) -> Float64:
    """Log energy [n] of the 8 ms before and after each frame, whose power is given [n + 1]."""
    energy: Float64 = np.log(0.5 * (power[:-1] + power[1:]) + SILENCE)
    return energy


def loudest(energy: Float64) -> float:
    """The level of a recording: what its log energy seldom exceeds."""
    return float(np.quantile(energy, LOUD))


def spoken_of(waveform: Float32, f0: Float64) -> Float32:
    """What was spoken [frames, :data:`SPOKEN`]: the coded envelope and aperiodicity in dB."""
    x = np.zeros(f0.size * FRAME)
    x[: waveform.size] = waveform[: x.size]
    times = np.arange(f0.size) * (FRAME / RATE)
    # Some noise, below what 16 bits resolve, for digital silence has no envelope.
    x += 1e-5 * np.random.default_rng(0).standard_normal(x.size)
    envelope = pyworld.cheaptrick(x, f0, times, RATE, fft_size=FFT)
    aperiodicity = pyworld.d4c(x, f0, times, RATE, fft_size=FFT)
    coded = pyworld.code_spectral_envelope(envelope, RATE, ENVELOPE)
    band = pyworld.code_aperiodicity(aperiodicity, RATE)
    return np.hstack([coded, band]).astype(np.float32)


def waveform_of(spoken: Float32, f0: Float64) -> Float64:
    """Samples of what is spoken, :data:`FRAME` a frame."""
    coded = np.ascontiguousarray(spoken, np.float64)
    envelope = pyworld.decode_spectral_envelope(
        np.ascontiguousarray(coded[:, :ENVELOPE]), RATE, FFT
    )
    band = np.ascontiguousarray(np.minimum(coded[:, ENVELOPE:], 0.0))
    aperiodicity = pyworld.decode_aperiodicity(band, RATE, FFT)
    made: Float64 = pyworld.synthesize(
        np.ascontiguousarray(f0), envelope, aperiodicity, RATE, 1000 * FRAME / RATE
    )
    out = np.zeros(f0.size * FRAME)
    kept = min(out.size, made.size)
    out[:kept] = made[:kept]
    return out
