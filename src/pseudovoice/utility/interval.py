"""Ratios of sums with intervals over speakers.

Every figure here is Σ numerator / Σ denominator over speakers: errors over words, scores over
utterances, words over seconds. Speakers are drawn with replacement, their utterances staying
together, and the 2.5 % and 97.5 % percentiles of the ratio are its interval. There is no
calibration that could overstate anything, so percentiles need no reflection as the
disclosure metrics do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.assessment.replicates import draw_speakers

Float64 = NDArray[np.float64]

LEAST_UNITS = 3
"""Speakers (or utterances of one speaker) below which no interval is given: it would only seem
narrow."""


@dataclass(frozen=True)
class Ratio:
    """Numerators and denominators by unit (speaker or utterance), in one order."""

    numerator: Float64
    denominator: Float64

    @property
    def value(self) -> float:
        below = self.denominator.sum()
        return float(self.numerator.sum() / below) if below else float("nan")

    def replicates(self, drawn: Float64) -> Float64:
        """The ratio in each replicate, from how often each unit is drawn; NaN where undefined."""
        above, below = drawn @ self.numerator, drawn @ self.denominator
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(below > 0, above / below, np.nan)


@dataclass(frozen=True)
class Interval:
    """A value with its 95 % interval, None where there are too few units for one."""

    value: float
    low: float | None = None
    high: float | None = None


def interval(
    ratio: Ratio, *, minus: Ratio | None = None, drawn: Float64 | None, events: bool = False
) -> Interval:
    """The ratio, or its difference to another under the same draws (a paired comparison).

    ``events`` says that the numerator counts something that may not have happened at all. Draws
    of speakers to whom nothing happened show no spread, yet it may happen to the next: of n
    speakers without any event, the share of speakers with one is below 1 − 0.025^(1/n).
    """
    value = ratio.value - (minus.value if minus is not None else 0.0)
    usable = np.count_nonzero(ratio.denominator)
    if drawn is None or usable < LEAST_UNITS:
        return Interval(value)
    if events and not ratio.numerator.any() and (minus is None or not minus.numerator.any()):
        bound = float(1.0 - 0.025 ** (1.0 / usable))
        return Interval(value, 0.0 if minus is None else -bound, bound)
    spread = ratio.replicates(drawn)
    if minus is not None:
        spread = spread - minus.replicates(drawn)
    kept = spread[np.isfinite(spread)]
    if kept.size < 20:
        return Interval(value)
    low, high = np.quantile(kept, [0.025, 0.975])
    return Interval(value, float(min(low, value)), float(max(high, value)))


def draws(units: int, replicates: int, seed: int) -> Float64 | None:
    """How often each of ``units`` is drawn in each replicate; None for no replicates."""
    if units == 0 or replicates == 0:
        return None
    return draw_speakers(np.random.default_rng(seed), replicates, units)
