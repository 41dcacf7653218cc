"""What distinctiveness is for: the diarisation error against G_VD, over safeguards.

Voices must stay distinct so that one can tell who spoke when (noe2020 §2, noe2022 §2.2). Whether
G_VD says how well that still works is to be seen here: the error of a plain diariser on composed
conversations upwards, the gain of voice distinctiveness to the right, unprotected speech at 0 dB.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from pseudovoice.assessment.estimate import Estimate, Row
from pseudovoice.calibration.ladder import Floats
from pseudovoice.figures.style import CONDITION_LINES, LIGHT, SERIES_LINES, plain_legend, shown
from pseudovoice.figures.tidy import Columns, columns
from pseudovoice.figures.wording import measured, named, number

UNPROTECTED = "unprotected"


@dataclass(frozen=True)
class Distinct:
    """One system: G_VD in dB, and the diarisation error rate as a fraction, with intervals."""

    name: str
    g_vd: Row | Estimate
    der: Estimate


def draw_diarisation(ax: Axes, systems: Sequence[Distinct], original: Estimate) -> None:
    """Every system with both intervals, and unprotected speech at 0 dB."""
    line = CONDITION_LINES["oo"]
    ax.axhline(100.0 * float(original.value), color=LIGHT, lw=0.7, zorder=0)
    handles = [_point(ax, Estimate(0.0), original, line.colour, line.marker)]
    labels = [UNPROTECTED]
    for k, one in enumerate(systems):
        look = SERIES_LINES[k % len(SERIES_LINES)]
        handles.append(_point(ax, one.g_vd, one.der, look.colour, look.marker))
        labels.append(shown(one.name, 28))
    ax.set_ylim(bottom=0.0)
    ax.margins(x=0.08)
    ax.set_xlabel(r"gain of distinctiveness $G_\mathrm{VD}$ [dB]")
    ax.set_ylabel("diarisation error rate [%]")
    plain_legend(ax, handles, labels, loc="upper center", bbox_to_anchor=(0.45, -0.16), ncols=2)


def diarisation_data(systems: Sequence[Distinct], original: Estimate) -> Columns:
    """One row per point; the error in percent."""
    points = [Distinct(UNPROTECTED, Estimate(0.0), original), *systems]
    return columns(
        system=[one.name for one in points],
        **{
            f"g_vd_{part}" if part != "value" else "g_vd_db": [
                _times(1.0, getattr(one.g_vd, part)) for one in points
            ]
            for part in ("value", "low", "high")
        },
        **{
            f"der_{part}" if part != "value" else "der_percent": [
                _times(100.0, getattr(one.der, part)) for one in points
            ]
            for part in ("value", "low", "high")
        },
    )


def diarisation_caption(systems: Sequence[Distinct], original: Estimate) -> str:
    """Both numbers of every system."""
    parts = [f"Unprotected: DER {_percent(original)}."]
    for one in systems:
        gain = measured(one.g_vd) if isinstance(one.g_vd, Row) else f"G_VD {one.g_vd.value} dB"
        parts.append(f"{named(one.name)}: {gain}, DER {_percent(one.der)}.")
    return (
        "Diarisation error rate of composed conversations against the gain of voice "
        "distinctiveness; bars are 95 % intervals, of DER over conversations and of G_VD over "
        f"speakers. Lower right is ideal. {' '.join(parts)}"
    )


def _point(ax: Axes, x: Row | Estimate, y: Estimate, colour: str, marker: str) -> Line2D:
    at = float(x.value), 100.0 * float(y.value)
    ax.errorbar(
        *at,
        xerr=_reach(x, 1.0),
        yerr=_reach(y, 100.0),
        color=colour,
        marker=marker,
        ms=5,
        lw=1.0,
        capsize=2,
        zorder=4,
    )
    return Line2D([], [], color=colour, marker=marker, ms=5, lw=1.0)


def _reach(result: Row | Estimate, factor: float) -> Floats | None:
    if result.low is None or result.high is None or not math.isfinite(float(result.value)):
        return None
    value, low, high = (float(v) for v in (result.value, result.low, result.high))
    return factor * np.array([[max(0.0, value - low)], [max(0.0, high - value)]])


def _percent(result: Estimate) -> str:
    text = f"{number(100.0 * float(result.value), 1)} %"
    if result.low is None or result.high is None:
        return text
    low, high = (number(100.0 * float(v), 1) for v in (result.low, result.high))
    return f"{text} [{low}, {high}]"


def _times(factor: float, value: float | str | None) -> float | None:
    return None if value is None else factor * float(value)
