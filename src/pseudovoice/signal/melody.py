"""Melody and rhythm of an utterance: how somebody speaks, whatever their voice sounds like.

Conventions
-----------
- Frames are those of :mod:`pseudovoice.signal.pitch`, every 16 ms.
- The melody is in semitones around its median: a voice that is moved up or down keeps it.
- Loudness is in decibel below what a twentieth of the frames pass, and never below -30: noise
  between the words is the room's, not the speaker's.
- What cannot be had of an utterance, such as the lengths of pauses where there are none, is NaN.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.polynomial.legendre import legvander
from numpy.typing import NDArray
from scipy.ndimage import uniform_filter1d
from scipy.signal import find_peaks, welch

from pseudovoice.signal.frames import Float32
from pseudovoice.signal.pitch import HOP, RATE, Float64, pitch

SECONDS = HOP / RATE
"""Of a frame."""
FLOOR, SPEECH, QUIET = -30.0, -25.0, -22.0
"""dB: nothing counts as softer, speech begins and ends above, a pause is below."""
LEAST_RUN, LEAST_VOICED = 3, 20
"""Frames of a voiced stretch, and of all of them: fewer are slips of the pitch tracker."""
SLIP = 11.0
"""Semitones from the median: nearly an octave, which is a slip as well."""
PAUSE, GAP = 0.14, 0.25
"""Seconds: a pause is longer than the first; a gap between voiced stretches is shorter than the
second."""
MELODY_HZ = (0.2, 0.5, 1.0, 1.5, 2.2, 3.2, 4.6, 6.5, 9.0)
LOUDNESS_HZ = (0.2, 0.5, 1, 1.5, 2, 2.7, 3.5, 4.5, 5.7, 7.2, 9, 12, 16, 22, 31.2)
"""Edges of the bands in which the two are modulated."""
DEGREE = 3
"""Of the polynomials that describe a syllable: height, slope, bend and one turn more."""
LONGEST_FALL = 4.0
"""Seconds of declination that are counted: a longer phrase falls no further."""

Marks = NDArray[np.bool_]


@dataclass(frozen=True)
class Melody:
    """An utterance frame by frame, from the first to the last frame of speech.

    ``tone`` is in semitones around the median, NaN where ``voiced`` is False; ``loudness`` in dB.
    """

    tone: Float64
    voiced: Marks
    loudness: Float64

    @property
    def seconds(self) -> float:
        return self.voiced.size * SECONDS


def melody(samples: Float32) -> Melody | None:
    """The melody of samples at 16 kHz; None where hardly anything is voiced."""
    f0 = pitch(samples)
    framed = np.lib.stride_tricks.sliding_window_view(np.pad(samples, (HOP, 4 * HOP)), 2 * HOP)
    power = np.abs(np.fft.rfft(framed[::HOP][: f0.size] * np.hanning(2 * HOP))) ** 2
    # From 94 Hz: what hums below is no speech.
    level = 10.0 * np.log10(power[:, 3:250].sum(axis=1, dtype=np.float64) + 1e-10)
    return tracked(f0[: level.size], level)


def tracked(f0: Float64, level: Float64) -> Melody | None:
    """The melody of F0 in Hz, 0 where unvoiced, and of the level in dB, frame by frame."""
    loudness = np.maximum(level - np.percentile(level, 95), FLOOR)
    voiced = f0 > 0
    for start, end in stretches(voiced):
        if end - start < LEAST_RUN:
            voiced[start:end] = False
    if voiced.sum() < LEAST_VOICED:
        return None
    tone = 12.0 * np.log2(np.where(voiced, f0, 1.0))
    voiced &= np.abs(tone - np.median(tone[voiced])) <= SLIP
    tone = np.where(voiced, tone - np.median(tone[voiced]), np.nan)
    (loud,) = np.nonzero(loudness > SPEECH)
    speech = slice(loud[0], loud[-1] + 1)
    runs = [end - start for start, end in stretches(voiced[speech])]
    if sum(runs) < LEAST_VOICED or max(runs) < LEAST_RUN:
        return None
    return Melody(tone[speech], voiced[speech], loudness[speech])


def stretches(marks: Marks) -> list[tuple[int, int]]:
    """Where marks are True: the first frame of each stretch, and the one after its last."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], marks, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def described(heard: Melody) -> Float64:
    """The utterance in figures: melody, loudness, rhythm and pauses."""
    pauses = _pauses(heard)
    parts = (_spread, _slopes, _phrases, _modulation, _loudness, _rhythm)
    with np.errstate(all="ignore"):
        return np.concatenate([np.asarray(list(part(heard, pauses)), np.float64) for part in parts])


def syllables(heard: Melody) -> Float64:
    """Tone and loudness of each syllable as polynomials, and its length: [syllables, 9].

    A syllable is a voiced stretch, or a part of one between two dips of the loudness.
    """
    dips, _ = find_peaks(-_smooth(heard.loudness), prominence=2.0, distance=4)
    found = []
    for start, end in stretches(heard.voiced):
        inside = dips[(dips >= start + 4) & (dips <= end - 5)]
        edges = [start, *inside.tolist(), end]
        for a, b in pairwise(edges):
            if b - a >= DEGREE + 2:
                fit = _polynomials(b - a)
                shapes = (fit @ heard.tone[a:b], fit @ heard.loudness[a:b], [np.log(b - a)])
                found.append(np.concatenate(shapes))
    return np.array(found).reshape(-1, 2 * (DEGREE + 1) + 1)


@lru_cache(maxsize=256)
def _polynomials(frames: int) -> Float64:
    return np.linalg.pinv(legvander(np.linspace(-1.0, 1.0, frames), DEGREE)).astype(np.float64)


def _smooth(values: Float64) -> Float64:
    smooth: Float64 = uniform_filter1d(values, 5)
    return smooth


def _pauses(heard: Melody) -> list[tuple[int, int]]:
    quiet = uniform_filter1d((heard.loudness < QUIET).astype(np.float64), 3) > 0.5
    return [
        (start, end)
        for start, end in stretches(quiet & ~heard.voiced)
        if (end - start) * SECONDS >= PAUSE
    ]


Pauses = list[tuple[int, int]]


def _spread(heard: Melody, _: Pauses) -> Iterator[float]:
    """How far the melody goes up and down."""
    tone = heard.tone[heard.voiced]
    spread = tone.std()
    yield from np.percentile(tone, [5, 10, 25, 75, 90, 95])
    yield from (spread, ((tone - tone.mean()) ** 3).mean() / (spread**3 + 1e-3), tone.mean())


def _slopes(heard: Melody, _: Pauses) -> Iterator[float]:
    """How fast it rises and falls, and how it bends."""
    runs = [heard.tone[a:b] for a, b in stretches(heard.voiced) if b - a >= LEAST_RUN]
    rise = np.concatenate([np.diff(uniform_filter1d(run, 3, mode="nearest")) for run in runs])
    rise /= SECONDS
    bend = np.concatenate([np.diff(run, 2) for run in runs]) / SECONDS**2
    yield from np.percentile(rise, [5, 10, 25, 50, 75, 90, 95])
    yield from (np.log1p(rise.std()), (rise > 0).mean())
    bends = np.percentile(bend, [10, 25, 75, 90])
    yield from np.sign(bends) * np.log1p(np.abs(bends))
    yield np.log1p(bend.std())


def _phrases(heard: Melody, pauses: Pauses) -> Iterator[float]:
    """Between pauses: how far the melody falls, and how it begins and ends."""
    middles = [(start + end) // 2 for start, end in pauses]
    found = []
    edges = [0, *middles, heard.voiced.size]
    for start, end in pairwise(edges):
        (at,) = np.nonzero(heard.voiced[start:end])
        if at.size > LEAST_VOICED:
            tone, time = heard.tone[start + at], (at - at[0]) * SECONDS
            fall = np.polyfit(time, tone, 1)[0] * min(time[-1], LONGEST_FALL)
            about = tone - tone.mean()
            found.append((fall, about[-10:].mean(), about[:10].mean(), tone.std()))
    mean = np.mean(found, axis=0) if found else np.full(4, np.nan)
    yield from (*mean[:3], np.log(mean[3] + 0.1))


def _modulation(heard: Melody, _: Pauses) -> Iterator[float]:
    """How slow and fast changes of tone and of loudness share their power."""
    (at,) = np.nonzero(heard.voiced)
    filled = np.interp(np.arange(heard.tone.size), at, heard.tone[at])
    for values, edges in ((filled, MELODY_HZ), (heard.loudness, LOUDNESS_HZ)):
        length = min(values.size, 256)
        hz, power = welch(values, 1 / SECONDS, nperseg=length, nfft=512, detrend="linear")
        bands = np.diff([power[hz < edge].sum() for edge in edges])
        yield from np.log(bands / bands.sum() + 1e-4)
        yield np.log(bands.sum() + 1e-3)


def _loudness(heard: Melody, _: Pauses) -> Iterator[float]:
    """How loudness is spread, how fast it changes, and whether it goes with the tone."""
    yield from np.percentile(heard.loudness, [10, 25, 50, 75, 90])
    yield heard.loudness[heard.voiced].std()
    change = np.diff(_smooth(heard.loudness)) / SECONDS
    yield from np.percentile(change, [5, 25, 75, 95]) / 100.0
    yield np.corrcoef(heard.loudness[heard.voiced], heard.tone[heard.voiced])[0, 1]


def _rhythm(heard: Melody, pauses: Pauses) -> Iterator[float]:
    """Pauses, and the lengths of what is voiced and what is not."""
    quiet = np.array([end - start for start, end in pauses], np.float64) * SECONDS
    yield from (quiet.size / heard.seconds, quiet.sum() / heard.seconds)
    if quiet.size:
        yield from (np.log(quiet.mean()), np.log(quiet.max()))
    else:
        yield from (np.log(PAUSE), np.log(PAUSE))
    yield np.log(quiet.std() + 0.05) if quiet.size > 1 else np.nan
    speaking = heard.seconds - quiet.sum()
    voiced, other = (
        np.array([end - start for start, end in stretches(marks)], np.float64) * SECONDS
        for marks in (heard.voiced, ~heard.voiced)
    )
    other = other[other < GAP]
    yield from (voiced.size / speaking, voiced.sum() / speaking)
    yield from np.percentile(np.log(voiced), [10, 25, 50, 75, 90])
    yield np.log(voiced).std()
    yield from np.percentile(np.log(other), [25, 50, 75]) if other.size > 2 else [np.nan] * 3
    yield len(syllables(heard)) / speaking
