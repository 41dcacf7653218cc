"""Whether a recording, or some of it, is original speech.

Peaks of the spectrogram, taken in pairs, are looked up among those of all originals: pairs that
agree on one and the same shift say where the sound may come from (wang2003). That is a hint alone,
since many safeguards leave the melody where it was. What decides is the wave itself, in two ways.

Of stretches of half a second, the correlation of the slope with the original's there: copies, cut,
louder, as MP3 or at another rate, give 0.995 and more; McAdams with its weakest α of 0.9 stays
below it. Noise would hide such a copy, most of all at high frequencies. So, over two seconds at
one and the same shift, the median of those correlations between 200 and 2000 Hz: noise takes little
there, while McAdams moves other formants from sound to sound and is like its original only here
and there. `benchmarks/hidden_originals.py` has the figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter
from scipy.signal import butter, correlate, resample_poly, sosfiltfilt, stft

from pseudovoice.corpus import AudioError, Corpus, load
from pseudovoice.errors import Problem

RATE = 8000
WINDOW, HOP = 512, 256
AROUND = (15, 9)
"""Bins and frames in which a peak is the highest."""
AHEAD, PARTNERS = 30, 4
BLOCK = 4096
"""Frames of a spectrogram at once: a long recording takes no more memory."""
STRETCH = RATE // 2
"""Samples over which waves are compared."""
ALIKE = 0.97
BAND = (200.0, 2000.0)
"""Hz: where speech is louder than most noise."""
LASTING, LASTING_ALIKE = 4 * STRETCH, 0.93
"""Samples at one shift, and the median of their stretches in the band."""
FEWEST = 3
"""Stretches of them in which something is said."""
SLACK = 2 * HOP
"""Samples by which the hint may be wrong."""
FINE = 8
"""Parts of a sample that a shift is known to."""
HOPELESS = 0.6
"""Correlation, at whole samples and of two seconds as a whole, below which nobody looks closer."""
TRIED = 4
"""Hints for each two seconds."""
QUIET = 1e-3
"""Root mean square below which nothing is said."""
_SHIFTS = 2**40
"""More than there are samples in any recording."""

Wave = NDArray[np.float32]
Whole = NDArray[np.int64]


class Pairs(NamedTuple):
    """Pairs of peaks as numbers, and where the first of each is."""

    pair: Whole
    at: Whole

    def between(self, first: int, last: int) -> Pairs:
        """Those from one place on to before another, if they are in order of their places."""
        here = slice(*np.searchsorted(self.at, (first, last)))
        return Pairs(self.pair[here], self.at[here])


def together(several: list[Pairs]) -> Pairs:
    pair, at = zip(*several, strict=True)
    return Pairs(np.concatenate(pair), np.concatenate(at))


@dataclass(frozen=True)
class Originals:
    """Original speech by name, in which anything else can be looked up; ``problems`` cannot be."""

    waves: Sequence[tuple[str, Wave]]
    problems: Sequence[Problem] = ()

    @classmethod
    def of(cls, corpus: Corpus) -> Originals:
        waves: list[tuple[str, Wave]] = []
        problems: list[Problem] = []
        for utterance in corpus:
            try:
                waves.append((utterance.place, load(utterance, sample_rate=RATE)))
            except AudioError as error:
                problems.append(error.problem)
        return cls(waves, problems)

    @cached_property
    def _looked_up(self) -> tuple[Whole, Whole, Whole]:
        """All pairs in order of their numbers, which original each is of, and at which sample."""
        pairs = [_pairs(wave) for _, wave in self.waves]
        whose = np.repeat(np.arange(len(pairs)), [len(one.at) for one in pairs])
        every = together([Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64)), *pairs])
        order = np.argsort(every.pair, kind="stable")
        return every.pair[order], whose[order], every.at[order]

    def holds(self, wave: NDArray[np.floating]) -> tuple[str, float] | None:
        """The original of which some is in ``wave``, and at which second; None if there is none."""
        heard = np.asarray(wave, np.float32)
        # From four places within a frame: one of them fits the frames of the original.
        offsets = range(0, HOP, HOP // 4)
        pairs = [Pairs(one.pair, one.at + k) for k in offsets for one in [_pairs(heard[k:])]]
        # Two seconds at a time: what surrounds a short stretch of an original has pairs of its own.
        for start in range(0, max(1, len(heard) - LASTING // 2), LASTING // 2):
            part = heard[start : start + LASTING]
            near = together([every.between(start, start + LASTING) for every in pairs])
            for one, shift in self._hints(near):
                name, original = self.waves[one]
                second = _same(part, original, start + shift)
                if second is None and _lasts(part, original, start + shift):
                    second = 0.0
                if second is not None:
                    return name, start / RATE + second
        return None

    def _hints(self, pairs: Pairs) -> Iterator[tuple[int, int]]:
        """Originals and shifts in samples on which most pairs agree."""
        known, whose, there = self._looked_up
        low, high = (np.searchsorted(known, pairs.pair, side) for side in ("left", "right"))
        count = high - low
        # Every pair votes for all places where it stands in an original.
        rank = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        found = np.repeat(low, count) + rank
        shift = there[found] - np.repeat(pairs.at, count)
        votes = whose[found] * _SHIFTS + (shift + _SHIFTS // 2)
        places, first, agreed = np.unique(votes, return_index=True, return_counts=True)
        tried: list[tuple[int, int]] = []
        for k in np.lexsort((first, -agreed))[: 16 * TRIED]:
            if agreed[k] < 2 or len(tried) == TRIED:
                return
            one, shifted = divmod(int(places[k]), _SHIFTS)
            by = shifted - _SHIFTS // 2
            if any(one == other and abs(by - near) <= HOP for other, near in tried):
                continue
            tried.append((one, by))
            yield one, by


def _pairs(wave: Wave) -> Pairs:
    """Each peak with a few of those that follow, in order of the first's sample."""
    at, bins = _peaks(wave)
    after = np.arange(len(at))[:, None] + np.arange(1, 4 * PARTNERS + 1)
    there = after < len(at)
    after = np.where(there, after, 0)
    ahead = at[after] - at[:, None]
    near = there & (ahead > 0) & (ahead <= AHEAD)
    near &= np.cumsum(near, axis=1) <= PARTNERS
    first, _ = np.nonzero(near)
    return Pairs((bins[first] << 20) | (bins[after[near]] << 8) | ahead[near], at[first] * HOP)


def _peaks(wave: Wave) -> tuple[Whole, Whole]:
    """Frames and bins of what is louder than all around it, in order."""
    count = -(-(len(wave) - WINDOW) // HOP) + 1 if len(wave) >= WINDOW else 0
    margin = AROUND[1] // 2
    found, loudest = [np.zeros((3, 0))], 0.0
    for start in range(0, count, BLOCK):
        begin, end = max(0, start - margin), min(count, start + BLOCK + margin)
        part = wave[begin * HOP : (end - 1) * HOP + WINDOW]
        _, _, spectrum = stft(part, nperseg=WINDOW, noverlap=WINDOW - HOP, boundary=None)
        level = np.abs(spectrum)
        highest = level == maximum_filter(level, AROUND)
        own = slice(start - begin, min(start + BLOCK, count) - begin)
        frames, bins = np.nonzero(highest[:, own].T)
        loudest = max(loudest, float(level[:, own].max(initial=0.0)))
        found.append(np.stack([frames + start, bins, level[:, own].T[frames, bins]]))
    frames, bins, levels = np.concatenate(found, axis=1)
    heard = levels > 1e-3 * loudest
    return frames[heard].astype(np.int64), bins[heard].astype(np.int64)


def _same(heard: Wave, original: Wave, shift: int) -> float | None:
    """The first second of ``heard`` at which the waves are alike; sample k goes with k + shift."""
    # Of a long original, what could go with any of it; sample k then goes with k + shift there.
    first = max(0, shift - SLACK)
    original, shift = original[first : max(0, shift + len(heard) + SLACK + 1)], shift - first
    # Slopes, since low tones alone are alike in many voices.
    heard, original = np.diff(heard), np.diff(original)
    for start in range(0, max(1, len(heard) - STRETCH + 1), STRETCH // 2):
        one = heard[start : start + STRETCH].astype(np.float64)
        low = start + shift - SLACK
        other = original[max(0, low) : low + len(one) + 2 * SLACK].astype(np.float64)
        if len(one) < STRETCH // 2 or len(other) < len(one) or _rms(one) < QUIET:
            continue
        # At half samples, too: hissing sounds are not alike half a sample off.
        closest = max(
            (_closest(half, one) for half in (other, resample_poly(other, 2, 1)[1::2])),
            key=lambda found: found[0],
        )
        if closest[0] >= HOPELESS and _alike(one, _finely(other, one, closest[1])) >= ALIKE:
            return start / RATE
    return None


def _closest(other: NDArray[np.float64], one: NDArray[np.float64]) -> tuple[float, int]:
    """How alike ``one`` is to the likest part of ``other``, and where that begins."""
    products = correlate(other, one, mode="valid", method="fft")
    squares = np.cumsum(np.concatenate([[0.0], other**2]))
    energy = np.maximum(squares[len(one) :] - squares[: -len(one)], 1e-12)
    alike = np.abs(products) / np.sqrt(energy * _energy(one))
    at = int(np.argmax(alike))
    return float(alike[at]), at


def _lasts(heard: Wave, original: Wave, shift: int) -> bool:
    """Whether the median of the stretches is alike at one shift, noise or not."""
    low = max(0, shift - SLACK)
    one, other = _banded(heard), _banded(original[low : shift + len(heard) + SLACK])
    if len(one) < 2 * STRETCH or len(other) < len(one):
        return False
    products = np.abs(correlate(other, one, mode="valid", method="fft"))
    at = int(np.argmax(products))
    if products[at] < HOPELESS * np.sqrt(_energy(one) * _energy(other[at : at + len(one)])):
        return False
    pairs = zip(_stretches(one), _stretches(_finely(other, one, at)), strict=True)
    loud = max(map(_rms, _stretches(one))) / 4
    alike = [_alike(a, b) for a, b in pairs if _rms(a) > max(loud, QUIET) and _rms(b) > 0]
    return len(alike) >= FEWEST and float(np.median(alike)) >= LASTING_ALIKE


def _finely(other: NDArray[np.float64], one: NDArray[np.float64], at: int) -> NDArray[np.float64]:
    """As much of ``other`` as there is of ``one``, from about ``at`` on, where both are most alike.

    To an eighth of a sample: whoever cuts a recording at another rate cuts between our samples.
    """
    first = max(0, at - 1)
    fine = resample_poly(other[first : at + len(one) + 2], FINE, 1)
    parts = [fine[lag::FINE][: len(one)] for lag in range(2 * FINE + 1)]
    return max((p for p in parts if len(p) == len(one)), key=lambda p: abs(float(p @ one)))


def _banded(wave: NDArray[np.floating]) -> NDArray[np.float64]:
    if len(wave) < WINDOW:
        return np.zeros(len(wave))
    sections = butter(4, BAND, "bandpass", fs=RATE, output="sos")
    return np.asarray(sosfiltfilt(sections, wave.astype(np.float64)))


def _stretches(wave: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    starts = range(0, len(wave) - STRETCH + 1, STRETCH // 2)
    return [wave[start : start + STRETCH] for start in starts]


def _alike(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    return float(abs(one @ other) / np.sqrt(max(_energy(one) * _energy(other), 1e-24)))


def _energy(wave: NDArray[np.float64]) -> float:
    return float(wave @ wave)


def _rms(wave: NDArray[np.float64]) -> float:
    return float(np.sqrt(np.mean(wave**2)))
