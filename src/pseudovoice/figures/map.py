"""De-identification against gain of voice distinctiveness (noe2020 Fig. 3).

The ideal system stands upper right: nobody is recognised and voices stay as distinct as they
were. Published baselines are a faint backdrop.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import Bbox

from pseudovoice.assessment.estimate import Estimate, Row
from pseudovoice.calibration.ladder import Floats
from pseudovoice.figures.labels import place_labels, settle
from pseudovoice.figures.published import PUBLISHED, Published
from pseudovoice.figures.style import GREY, LIGHT, SERIES_LINES, SMALL, plain_legend, shown
from pseudovoice.figures.tidy import Columns, columns
from pseudovoice.figures.wording import attacker_of, measured, named, number

_MARKERS = {"B1": "^", "B2": "s", "B2r": "D"}
_PALE = "#9a9a9a"


@dataclass(frozen=True)
class System:
    """One assessed system: DeID as a fraction and G_VD in dB, each with its interval."""

    name: str
    deid: Row | Estimate
    g_vd: Row | Estimate


def draw_map(
    ax: Axes, systems: Sequence[System], published: Sequence[Published] = PUBLISHED
) -> None:
    """The systems with their intervals in front of the published baselines."""
    handles, labels = _backdrop(ax, published)
    floor = _frame(ax, systems, published)
    ax.axhline(0.0, color=LIGHT, lw=0.7, zorder=0)
    x, y = [], []
    for k, system in enumerate(systems):
        look = SERIES_LINES[k % len(SERIES_LINES)]
        deid, gain = 100.0 * _value(system.deid), max(_value(system.g_vd), floor)
        x.append(deid)
        y.append(gain)
        ax.errorbar(
            deid,
            gain,
            xerr=_reach(system.deid, deid, 100.0),
            yerr=_reach(system.g_vd, gain, 1.0),
            color=look.colour,
            marker="v" if _value(system.g_vd) < floor else look.marker,
            ms=5,
            lw=1.0,
            capsize=2,
            zorder=4,
        )
        handles.append(Line2D([], [], color=look.colour, marker=look.marker, ms=5, lw=1.0))
        labels.append(shown(system.name, 28))
    ax.annotate(
        "ideal",
        (1.0, 1.0),
        (-3, -2),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="right",
        va="top",
        fontsize=SMALL,
        style="italic",
        color=GREY,
    )
    ax.yaxis.set_major_locator(MaxNLocator(7, integer=True))
    ax.set_xlabel("de-identification DeID [%]")
    ax.set_ylabel(r"gain of distinctiveness $G_\mathrm{VD}$ [dB]")
    plain_legend(ax, handles, labels, loc="upper center", bbox_to_anchor=(0.45, -0.14), ncols=2)
    figure = ax.get_figure(root=True)
    assert figure is not None
    settle(figure)
    place_labels(
        ax,
        x + [p.deid for p in published],
        y + [p.g_vd for p in published],
        [shown(s.name) for s in systems],
        which=range(len(systems)),
        clear_of=[
            _thin(ax, *bar) for s, *at in zip(systems, x, y, strict=True) for bar in _bars(s, *at)
        ],
    )


def map_data(systems: Sequence[System], published: Sequence[Published] = PUBLISHED) -> Columns:
    """One row per point; DeID in percent, bounds empty where nothing was published."""
    mine = [
        (
            "this assessment",
            s.name,
            "",
            *(_times(100.0, v) for v in (s.deid.value, s.deid.low, s.deid.high)),
            *(_times(1.0, v) for v in (s.g_vd.value, s.g_vd.low, s.g_vd.high)),
        )
        for s in systems
    ]
    theirs = [
        (p.source, p.system, p.dataset, p.deid, None, None, p.g_vd, None, None) for p in published
    ]
    names = ["source", "system", "dataset", "deid_percent", "deid_low", "deid_high"]
    names += ["g_vd_db", "g_vd_low", "g_vd_high"]
    table = [*mine, *theirs]
    return columns(**{name: [row[k] for row in table] for k, name in enumerate(names)})


def map_caption(systems: Sequence[System], published: Sequence[Published] = PUBLISHED) -> str:
    """DeID and G_VD of every system with intervals, and what the backdrop is."""
    parts = []
    for system in systems:
        both = []
        for result, name in ((system.deid, "DeID"), (system.g_vd, "G_VD")):
            if isinstance(result, Row):
                both.append(measured(result))
            else:
                value = 100.0 * _value(result) if name == "DeID" else _value(result)
                both.append(f"{name} {number(value, 1)} {'%' if name == 'DeID' else 'dB'}")
        attacker = attacker_of([system.deid], "op") if isinstance(system.deid, Row) else ""
        head = f"{named(system.name)}{f', {attacker}' if attacker else ''}"
        parts.append(f"{head}: {', '.join(both)}.")
    sources = sorted({p.citation for p in published})
    behind = (
        f" Grey, as context only, since speakers and recogniser are others: {'; '.join(sources)}."
        if sources
        else ""
    )
    return (
        "De-identification and gain of voice distinctiveness, bars are 95 % intervals over "
        f"speakers; upper right is ideal. {' '.join(parts)}{behind}"
    )


def _backdrop(ax: Axes, published: Sequence[Published]) -> tuple[list[Line2D], list[str]]:
    handles, labels = [], []
    for source, system in dict.fromkeys((p.source, p.system) for p in published):
        here = [p for p in published if (p.source, p.system) == (source, system)]
        # Hollow is the older paper, full the newer: one look per table and system.
        fill = "none" if source == "noe2020" else LIGHT
        (line,) = ax.plot(
            [p.deid for p in here],
            [p.g_vd for p in here],
            ls="none",
            marker=_MARKERS.get(system, "o"),
            ms=4,
            mfc=fill,
            mec=_PALE,
            mew=0.7,
            zorder=1,
        )
        handles.append(line)
        labels.append(f"{system}, Noé et al. {source[-4:]}")
    return handles, labels


def _frame(ax: Axes, systems: Sequence[System], published: Sequence[Published]) -> float:
    """Set the axes; returns the lowest G_VD shown, where −∞ (no diagonal at all) is drawn."""
    x = [p.deid for p in published] + [
        100.0 * v for s in systems for v in _bounds(s.deid) if math.isfinite(v)
    ]
    y = [p.g_vd for p in published] + [
        v for s in systems for v in _bounds(s.g_vd) if math.isfinite(v)
    ]
    low, high = min([*x, 90.0]), 100.0
    bottom, top = min([*y, -5.0]), max([*y, 0.0])
    ax.set_xlim(low - 0.05 * (high - low), high + 0.03 * (high - low))
    ax.set_ylim(bottom - 0.08 * (top - bottom), top + 0.12 * (top - bottom))
    return bottom - 0.04 * (top - bottom)


def _value(result: Row | Estimate) -> float:
    return float(result.value)


def _bounds(result: Row | Estimate) -> list[float]:
    return [float(v) for v in (result.value, result.low, result.high) if v is not None]


def _reach(result: Row | Estimate, shown_at: float, factor: float) -> Floats | None:
    """Lengths of the error bar below and above, None where there is no interval."""
    if result.low is None or result.high is None or not math.isfinite(_value(result)):
        return None
    low, high = factor * float(result.low), factor * float(result.high)
    return np.array([[max(0.0, shown_at - low)], [max(0.0, high - shown_at)]])


def _bars(system: System, x: float, y: float) -> list[tuple[float, float, float, float]]:
    """The interval bars of a system at (x, y), from and to."""
    bars = []
    for result, factor, across in ((system.deid, 100.0, True), (system.g_vd, 1.0, False)):
        reach = _reach(result, x if across else y, factor)
        if reach is not None:
            low, high = (x if across else y) - reach[0, 0], (x if across else y) + reach[1, 0]
            bars.append((low, y, high, y) if across else (x, low, x, high))
    return bars


def _thin(ax: Axes, x0: float, y0: float, x1: float, y1: float) -> Bbox:
    """An interval bar as a box in display units, a little wider than the line."""
    (left, low), (right, high) = ax.transData.transform([[x0, y0], [x1, y1]])
    return Bbox.from_extents(left - 1, low - 1, right + 1, high + 1)


def _times(factor: float, value: float | str | None) -> float | None:
    return None if value is None else factor * float(value)
