"""The atom of every result: a number with its interval and its null level."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pseudovoice.assessment.metrics import chance_bound, metric_named
from pseudovoice.assessment.quantiles import quantiles
from pseudovoice.assessment.zebra import TAGS, tag
from pseudovoice.calibration.ladder import Floats


@dataclass(frozen=True)
class Estimate:
    """A value, its 95 % interval over speakers, and what chance alone gives.

    ``null`` is the mean over speaker permutations and ``null_95`` the value that 95 % of them
    do not pass on the side of evidence. ``chance`` is True where the figure cannot be told
    from chance: its interval includes the null level, or the value itself does not pass
    ``null_95``. What could not be had is None.
    """

    value: float | str
    low: float | str | None = None
    high: float | str | None = None
    null: float | None = None
    null_95: float | None = None
    chance: bool | None = None


def estimate(
    metric: str,
    value: float,
    replicates: Floats | None = None,
    null: Floats | None = None,
    *,
    observed: float | None = None,
) -> Estimate:
    """Turn a value and its replicates into an estimate.

    The interval is the *basic* bootstrap interval [2θ − q97.5, 2θ − q2.5]: refitting PAV to
    resampled speakers overstates evidence about as much as the first fit did, and reflecting
    the quantiles takes that bias out again, where percentiles would double it (see
    benchmarks/interval_coverage.py). l_w is an extreme of the sample, not an average, and keeps its
    percentiles. Bounds are clipped to the metric's range. ``observed`` is the value on the
    rounded scores the replicates ran on, if they were rounded.
    """
    info = metric_named(metric)
    low = high = None
    if replicates is not None and (kept := replicates[np.isfinite(replicates)]).size >= 20:
        shift = 0.0 if observed is None else value - observed
        q_low, q_high = (q + shift for q in quantiles(kept, 0.025, 0.975))
        if metric not in ("l_w", "tag"):
            q_low, q_high = 2.0 * value - q_high, 2.0 * value - q_low
        low = float(min(max(q_low, info.low), value))
        high = float(max(min(q_high, info.high), value))
    if null is None or (spread := null[np.isfinite(null)]).size < 20:
        return Estimate(value, low, high)
    level, bound = float(spread.mean()), chance_bound(metric, spread)
    within = value <= bound if info.evidence > 0 else value >= bound
    inside = low is not None and high is not None and low <= level <= high
    chance = bool(within or inside) if info.judged else None
    return Estimate(value, low, high, level, bound, chance)


def tag_estimate(l_w: Estimate) -> Estimate:
    """The tag of a worst case, with the range of tags its interval spans; a tag has no null."""
    low, high = (None if bound is None else tag(float(bound)) for bound in (l_w.low, l_w.high))
    assert not (low and high) or TAGS.index(low) <= TAGS.index(high)
    return Estimate(tag(float(l_w.value)), low, high)


@dataclass(frozen=True)
class Row:
    """One line of the tidy result table."""

    condition: str
    attacker: str
    metric: str
    value: float | str
    low: float | str | None
    high: float | str | None
    null: float | None
    null_95: float | None
    chance: bool | None
    n_mated: int
    n_nonmated: int
    unit: str
    direction: str
    method: str
    group: str = "all"
    """Which of the speakers: all of them, or those of one gender."""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
