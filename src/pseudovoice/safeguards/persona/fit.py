"""The pseudo-voice of speech that is known in clear and protected.

Both sides are taken apart by WORLD; frames are those of the same moments. Median F0 and intonation
are a line through both contours. What the vocal tract did is found by trying: the clear side in a
tract of this warp and bend, with this contrast and blur, is compared with the protected envelope;
tilt and level are what a least-squares fit of cosines leaves least unexplained.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.stats import theilslopes

from pseudovoice.safeguards.persona.pseudovoice import (
    LIMITS,
    TILT_TERMS,
    PseudoVoice,
)
from pseudovoice.safeguards.persona.shape import DECIBEL, SPEECH_SHARE, reshape, tilt_waves
from pseudovoice.safeguards.safeguard import Pairs
from pseudovoice.safeguards.world import (
    FRAME_SECONDS,
    RATE,
    TYPICAL_PITCH,
    Floats,
    Speech,
    analyse,
    contour,
    pitch_of,
    resample,
)

FRAME = round(RATE * FRAME_SECONDS)

ENOUGH = 8.0
"""Seconds of each pair whose envelopes are compared: more tell little that is new."""

WARPS = np.linspace(-0.42, 0.42, 15)
BENDS = (0.9, 1.0, 1.1)
"""Where the search begins: the best of these, each with the other."""

COARSE = 5
"""Every so many frames are enough for all but the blur."""

STEPS = (0.03, 0.03, 0.05)
"""First steps of the search in warp, bend and contrast."""

TIMBRES = ((0.95, 1.4), (1.1, 1.4), (0.95, 1.9))
"""Contrasts and blurs with which their search begins."""

FEWEST_VOICED, MOST_VOICED = 20, 300
"""Frames voiced on both sides: with fewer intonation cannot be told, more tell nothing new."""

HEARD_BLUR = 0.9
"""Blur in frames that WORLD adds when it takes protected speech apart again (measured)."""


@dataclass(frozen=True)
class _Pair:
    """Frames of both sides of the same moments, and which of them are speech."""

    clear: Speech
    protected: Speech
    speaking: NDArray[np.bool_]

    def coarse(self) -> _Pair:
        clear, protected = (_every(side, COARSE) for side in (self.clear, self.protected))
        return _Pair(clear, protected, self.speaking[::COARSE])


def fitted_voice(pairs: Pairs, sample_rate: int, evenness: float) -> PseudoVoice:
    """The voice that the second of each pair has, given what the first sounded like."""
    at_rate = [tuple(resample(side, sample_rate, RATE) for side in pair) for pair in pairs]
    contours = [tuple(map(contour, sides)) for sides in at_rate]
    pitch, intonation = _pitch(contours)
    plain = PseudoVoice(
        warp=0.0,
        bend=1.0,
        pitch=pitch,
        intonation=intonation,
        contrast=1.0,
        breath=0.0,
        blur=0.0,
        tilt=(0.0,) * TILT_TERMS,
        evenness=evenness,
    )
    heard = [_heard(sides, f0) for sides, f0 in zip(at_rate, contours, strict=True)]
    few = [pair.coarse() for pair in heard]
    grid = [replace(plain, warp=float(warp), bend=bend) for warp in WARPS for bend in BENDS]
    begin = min(grid, key=lambda voice: _unexplained(few, voice)[0])

    def at(place: Sequence[float]) -> PseudoVoice:
        warp, bend, contrast = place
        return replace(
            plain,
            warp=_within("warp", warp),
            bend=_within("bend", bend),
            contrast=_within("contrast", contrast),
        )

    first = np.array([begin.warp, begin.bend, begin.contrast])
    found = minimize(
        lambda place: _unexplained(few, at(place))[0],
        first,
        method="Nelder-Mead",
        options={
            "initial_simplex": first + np.vstack([np.zeros(3), np.diag(STEPS)]),
            "xatol": 1e-3,
            "fatol": 1e-5,
        },
    )
    tract = at(found.x)

    def timbre(place: Sequence[float]) -> PseudoVoice:
        contrast, blur = place
        return replace(tract, contrast=_within("contrast", contrast), blur=_within("blur", blur))

    # Contrast once more, with the blur, which takes some of it away.
    found = minimize(
        lambda place: _unexplained(heard, timbre(place))[0],
        (1.0, 1.6),
        method="Nelder-Mead",
        options={"initial_simplex": TIMBRES, "xatol": 0.02, "fatol": 1e-4},
    )
    voice = timbre(found.x)
    blur = float(np.sqrt(max(0.0, voice.blur**2 - HEARD_BLUR**2)))
    tilt = _unexplained(heard, voice)[1]
    return replace(voice, blur=blur, tilt=tuple(_within("tilt", term) for term in tilt))


def _within(name: str, value: float) -> float:
    low, high = LIMITS[name]
    return float(min(max(value, low), high))


def _heard(sides: Sequence[Floats], contours: Sequence[Floats]) -> _Pair:
    most = round(ENOUGH / FRAME_SECONDS)
    clear, protected = (
        analyse(side[: (most - 1) * FRAME], f0[:most])
        for side, f0 in zip(sides, contours, strict=True)
    )
    level = clear.envelope.mean(axis=1)
    return _Pair(clear, protected, level >= np.quantile(level, 1 - SPEECH_SHARE))


def _every(speech: Speech, step: int) -> Speech:
    return Speech(speech.f0[::step], speech.envelope[::step], speech.aperiodicity[::step])


def _pitch(contours: Sequence[Sequence[Floats]]) -> tuple[float, float]:
    """Median F0 that the voice has, and how much of the contour's deviation is left.

    A line through log F0 of both sides, of frames that are voiced in both: those of one side alone
    would move its median. Halves and doubles of F0 are mistakes, which medians pass over.
    """
    before, after = [], []
    for clear, protected in contours:
        both = (clear > 0) & (protected > 0)
        if both.sum() >= FEWEST_VOICED:
            before.append(np.log(clear[both] / np.median(clear[clear > 0])))
            after.append(np.log(protected[both]))
    if not before:
        pitch = pitch_of(np.concatenate([protected for _, protected in contours]))
        return pitch or TYPICAL_PITCH, 1.0
    x, y = np.concatenate(before), np.concatenate(after)
    some = np.linspace(0, x.size - 1, min(x.size, MOST_VOICED)).astype(int)
    slope = _within("intonation", theilslopes(y[some], x[some]).slope)
    return float(np.exp(np.median(y - slope * x))), slope


def _unexplained(heard: Sequence[_Pair], voice: PseudoVoice) -> tuple[float, Floats]:
    """Mean square of what is left of the protected envelopes, and the tilt in dB that helps."""
    lacking = [
        (pair.protected.envelope - reshape(pair.clear, voice).envelope)[pair.speaking]
        for pair in heard
    ]
    # Level differs between utterances, tilt does not.
    waves = tilt_waves(TILT_TERMS)
    mean = np.mean([rest.mean(axis=0) - rest.mean() for rest in lacking], axis=0)
    basis = np.column_stack([np.ones(mean.size), waves.T])
    tilt = np.linalg.lstsq(basis, mean, rcond=None)[0][1:]
    curve = tilt @ waves
    left = [np.square(rest - curve - (rest - curve).mean()).mean() for rest in lacking]
    return float(np.mean(left)), tilt / DECIBEL
