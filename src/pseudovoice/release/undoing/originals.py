"""Whether a recording, or some of it, is original speech.

Peaks of the spectrogram, taken in pairs, are looked up among those of all originals: pairs that
agree on one and the same shift say where the sound may come from (wang2003). That is a hint alone,
since many safeguards leave the melody where it was. What decides is the wave itself: for stretches
of half a second, the correlation of its slope with the original's there. Copies, cut, louder, as
MP3 or at another rate, give 0.995 and more; McAdams with its weakest α of 0.9 stays below 0.94.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter
from scipy.signal import correlate, stft

from pseudovoice.corpus import AudioError, Corpus, load
from pseudovoice.errors import Problem

RATE = 8000
WINDOW, HOP = 512, 256
AROUND = (15, 9)
"""Bins and frames in which a peak is the highest."""
AHEAD, PARTNERS = 30, 4
STRETCH = RATE // 2
"""Samples over which waves are compared."""
ALIKE = 0.95
SLACK = 2 * HOP
"""Samples by which the hint may be wrong."""
TRIED = 8
QUIET = 1e-3
"""Root mean square below which nothing is said."""

Wave = NDArray[np.float32]


@dataclass
class Originals:
    """Original speech, in which anything else can be looked up; ``problems`` cannot be."""

    waves: list[tuple[str, Wave]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    _pairs: dict[int, list[tuple[int, int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, corpus: Corpus) -> Originals:
        found = cls()
        for utterance in corpus:
            try:
                found.add(utterance.place, load(utterance, sample_rate=RATE))
            except AudioError as error:
                found.problems.append(error.problem)
        return found

    def add(self, name: str, wave: NDArray[np.floating]) -> None:
        self.waves.append((name, np.asarray(wave, np.float32)))
        for pair, at in _pairs(self.waves[-1][1]):
            self._pairs.setdefault(pair, []).append((len(self.waves) - 1, at))

    def holds(self, wave: NDArray[np.floating]) -> tuple[str, float] | None:
        """The original of which some is in ``wave``, and at which second; None if there is none."""
        heard = np.asarray(wave, np.float32)
        votes: Counter[tuple[int, int]] = Counter()
        for pair, at in _pairs(heard):
            votes.update({(one, there - at) for one, there in self._pairs.get(pair, ())})
        tried: list[tuple[int, int]] = []
        for (one, shift), count in votes.most_common(4 * TRIED):
            if count < 2 or len(tried) == TRIED:
                break
            if any(one == other and abs(shift - near) <= 1 for other, near in tried):
                continue
            tried.append((one, shift))
            name, original = self.waves[one]
            second = _same(heard, original, shift * HOP)
            if second is not None:
                return name, second
        return None


def _pairs(wave: Wave) -> Iterator[tuple[int, int]]:
    """Pairs of peaks as numbers, and the frame of the first."""
    if len(wave) < WINDOW:
        return
    _, _, spectrum = stft(wave, nperseg=WINDOW, noverlap=WINDOW - HOP, boundary=None)
    level = np.abs(spectrum)
    highest = (level == maximum_filter(level, AROUND)) & (level > 1e-3 * level.max(initial=0.0))
    bins, frames = np.nonzero(highest)
    order = np.lexsort((bins, frames))
    peaks = list(zip(frames[order].tolist(), bins[order].tolist(), strict=True))
    for k, (at, low) in enumerate(peaks):
        near = (p for p in peaks[k + 1 : k + 1 + 4 * PARTNERS] if 0 < p[0] - at <= AHEAD)
        for later, high in list(near)[:PARTNERS]:
            yield (low << 20) | (high << 8) | (later - at), at


def _same(heard: Wave, original: Wave, shift: int) -> float | None:
    """The first second of ``heard`` at which the waves are alike; sample k goes with k + shift."""
    # Slopes, since low tones alone are alike in many voices.
    heard, original = np.diff(heard), np.diff(original)
    for start in range(0, max(1, len(heard) - STRETCH + 1), STRETCH // 2):
        one = heard[start : start + STRETCH].astype(np.float64)
        low = start + shift - SLACK
        other = original[max(0, low) : low + len(one) + 2 * SLACK].astype(np.float64)
        if len(one) < STRETCH // 2 or len(other) < len(one) or _rms(one) < QUIET:
            continue
        products = correlate(other, one, mode="valid", method="fft")
        squares = np.cumsum(np.concatenate([[0.0], other**2]))
        energy = np.maximum(squares[len(one) :] - squares[: -len(one)], 1e-12)
        alike = np.abs(products) / np.sqrt(energy * float(one @ one))
        if float(alike.max(initial=0.0)) >= ALIKE:
            return start / RATE
    return None


def _rms(wave: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.mean(wave**2)))
