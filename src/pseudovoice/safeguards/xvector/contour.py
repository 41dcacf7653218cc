"""The pitch of a target: its range, and a contour that is kept, smoothed or drawn anew.

A contour is a mark of a speaker, and it carries what is asked or stressed. ``keep`` moves it as it
is; ``smooth`` leaves what changes slower than a syllable; ``redraw`` keeps nothing but when there
is voice: each stretch between pauses falls, as declarations do, around which a slow drift is drawn
with the key, another for each length: a drift that came back in all recordings of a person would be
a mark itself, and the channels of one recording have to sing together.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from pseudovoice.safeguards.xvector.frames import FRAME, RATE
from pseudovoice.safeguards.xvector.target import Target
from pseudovoice.signal.pitch import HIGHEST, LOWEST

Float64 = NDArray[np.float64]

CONTOURS = {
    "keep": "it stays, at the new voice's pitch",
    "smooth": "only that of syllables stays",
    "redraw": "it is drawn anew; nothing of the speaker's stays",
}

SMOOTHED = 0.12
"""Seconds, the standard deviation of the smoothing: syllables are told apart, their parts not."""

PAUSE = 0.25
"""Seconds without voice after which a phrase begins anew."""

FALL = 1.2
"""Spreads by which a phrase falls from its first voice to its last."""

DRIFT = 0.35
"""Seconds, the standard deviation that smooths what is drawn around the fall."""

LEAST_SPREAD, MOST_STRETCH = 0.05, 1.6
"""A monotone is not stretched to a melody that nobody spoke."""

FEWEST = 10
"""Voiced frames below which a recording has no pitch of its own."""


def statistics(f0: Float64) -> tuple[float, float] | None:
    """Median log F0 and the spread around it; None where there is too little voice."""
    voiced = np.log(f0[f0 > 0])
    if voiced.size < FEWEST:
        return None
    middle = float(np.median(voiced))
    # Half the range of the middle two thirds: octave slips do not widen it.
    low, high = np.quantile(voiced, [1 / 6, 5 / 6])
    return middle, max(LEAST_SPREAD, float(high - low) / 2)


def moved(f0: Float64, target: Target, contour: str, uniform: Callable[[str], float]) -> Float64:
    """F0 of the target for frames of a source, 0 where unvoiced."""
    told = statistics(f0)
    voiced = f0 > 0
    if not voiced.any():
        return f0
    middle, spread = told or (float(np.log(f0[voiced]).mean()), LEAST_SPREAD)
    frames = np.arange(f0.size)
    deviation = np.interp(frames, frames[voiced], np.log(f0[voiced]) - middle)
    if contour == "redraw":
        deviation = target.spread * _drawn(voiced, uniform)
    else:
        if contour == "smooth":
            deviation = _smoothed(deviation, SMOOTHED)
        deviation = deviation * min(target.spread / spread, MOST_STRETCH)
    new = np.clip(target.pitch * np.exp(deviation), LOWEST, HIGHEST)
    return np.where(voiced, new, 0.0)


def _drawn(voiced: NDArray[np.bool_], uniform: Callable[[str], float]) -> Float64:
    """Deviations in spreads: phrases that fall, and a drift with a spread of one half."""
    seed = [int(uniform("contour") * (1 << 53)), voiced.size]
    noise = _smoothed(np.random.default_rng(seed).standard_normal(voiced.size), DRIFT)
    drift = 0.5 * noise / max(1e-9, float(noise.std()))
    places = np.flatnonzero(voiced)
    apart = np.flatnonzero(np.diff(places) > PAUSE * RATE / FRAME)
    fall = np.zeros(voiced.size)
    for phrase in np.split(places, apart + 1):
        first, last = int(phrase[0]), int(phrase[-1]) + 1
        fall[first:last] = FALL * (0.5 - np.arange(last - first) / max(1, last - first))
    both: Float64 = fall + drift
    return both


def _smoothed(values: Float64, seconds: float) -> Float64:
    smooth: Float64 = gaussian_filter1d(values, seconds * RATE / FRAME, mode="nearest")
    return smooth
