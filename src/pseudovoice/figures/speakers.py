"""Disclosure of every speaker, the worst first: whom the safeguard leaves exposed.

In OP and PQ the most disclosed speaker is worst, in PP the least distinct one. The first
speakers have a line and a name each; if there are many, the others are packed closer and only
some of them are named.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.speakers import SpeakerRow
from pseudovoice.calibration.ladder import Floats
from pseudovoice.errors import few
from pseudovoice.figures.style import CONDITION_LINES, GREY, LIGHT, SMALL, shown
from pseudovoice.figures.tidy import Columns, columns
from pseudovoice.figures.wording import attacker_of, count, named, number

ALL_NAMED = 30
"""Up to so many speakers all are named; beyond, the worst `TOP_NAMED` and some others."""

TOP_NAMED = 12
TAIL_LINES = 22

LINE_INCHES = 0.135
"""Height of a named speaker's line."""


def worst_first(rows: Sequence[SpeakerRow]) -> list[SpeakerRow]:
    """Rows of one condition, the worst off first: least distinct in PP, else most disclosed."""
    return sorted(rows, key=lambda r: (r.d_ece if r.condition == "pp" else -r.d_ece, r.speaker))


def heights(n: int) -> Floats:
    """Distance of each of n speakers from the top, in lines."""
    if n <= ALL_NAMED:
        return np.arange(n, dtype=np.float64)
    tail = np.arange(1, n - TOP_NAMED + 1) * (TAIL_LINES / (n - TOP_NAMED))
    return np.concatenate([np.arange(TOP_NAMED, dtype=np.float64), TOP_NAMED - 1 + tail])


def draw_speakers(ax: Axes, rows: Sequence[SpeakerRow]) -> None:
    """D_ECE of each speaker with interval, the level of chance in grey, and the tag."""
    ordered = worst_first(rows)
    look = CONDITION_LINES[ordered[0].condition]
    at = heights(len(ordered))
    pitch = float(np.diff(at).min()) if at.size > 1 else 1.0
    thick = 3.5 if pitch == 1.0 else max(0.5, 7.0 * pitch)
    null = _pairs(at, [(r.d_ece_null, r.d_ece_null_95) for r in ordered])
    ax.hlines(*null, color=LIGHT, lw=thick, zorder=1)
    interval = _pairs(at, [(r.d_ece_low, r.d_ece_high) for r in ordered])
    ax.hlines(*interval, color=look.colour, lw=0.8 if pitch == 1.0 else 0.5, zorder=2)
    values, hollow = (
        np.array([r.d_ece for r in ordered]),
        np.array([bool(r.chance) for r in ordered]),
    )
    for which, fill in ((hollow, "white"), (~hollow, look.colour)):
        ax.plot(
            values[which],
            at[which],
            ls="none",
            marker=look.marker,
            ms=4 if pitch > 0.5 else 2.5,
            mew=0.8,
            color=look.colour,
            mfc=fill,
            zorder=3,
        )
    named = _named(at)
    ax.set_yticks(at[named], [shown(ordered[k].speaker, 12) for k in named], parse_math=False)
    for k in named:
        ax.annotate(
            ordered[k].tag,
            (1.0, at[k]),
            (3, 0),
            xycoords=ax.get_yaxis_transform(),
            textcoords="offset points",
            va="center",
            fontsize=SMALL,
        )
    head = "least distinct first" if ordered[0].condition == "pp" else "most disclosed first"
    for x, text, side in ((0.0, head, "left"), (1.0, "tag", "center")):
        ax.annotate(
            text,
            (x, -1.3),
            (6 if x else 0, 0),
            xycoords=ax.get_yaxis_transform(),
            textcoords="offset points",
            ha=side,
            va="center",
            fontsize=SMALL,
            style="italic",
            color=GREY,
        )
    ax.set_ylim(at[-1] + 0.8, -1.8)
    ax.set_xlim(*_span(ordered))
    ax.vlines(0.0, -0.8, at[-1] + 0.8, color=LIGHT, lw=0.7, zorder=0)
    ax.xaxis.set_major_locator(MaxNLocator(4))
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    ax.set_xlabel(r"$D_\mathrm{ECE}$ [bit]")


def legend_entries() -> tuple[list[Line2D], list[str]]:
    """What the marks mean, for one legend below all panels."""
    return [
        Line2D([], [], color="black", marker="o", ms=4, lw=0.8),
        Line2D([], [], color="black", marker="o", ms=4, lw=0.8, mfc="white"),
        Line2D([], [], color=LIGHT, lw=3.5),
    ], ["value, 95 % interval", "not distinguishable from chance", "chance: mean to 95 %"]


def speakers_data(rows: Sequence[SpeakerRow]) -> Columns:
    """One row per condition and speaker, the worst first within each condition."""
    conditions = dict.fromkeys(r.condition for r in rows)
    ordered = [r for c in conditions for r in worst_first([r for r in rows if r.condition == c])]
    names = list(SpeakerRow.__dataclass_fields__)
    return columns(**{name: [getattr(row, name) for row in ordered] for name in names})


def speakers_caption(speakers: Sequence[SpeakerRow], rows: Sequence[Row]) -> str:
    """Who is worst off in each condition and how many stand out from chance."""
    parts = []
    for name in dict.fromkeys(r.condition for r in speakers):
        ordered = worst_first([r for r in speakers if r.condition == name])
        first, attacker = ordered[0], attacker_of(rows, name)
        interval = ""
        if first.d_ece_low is not None and first.d_ece_high is not None:
            interval = f" [{number(first.d_ece_low, 3)}, {number(first.d_ece_high, 3)}]"
        known = [r for r in ordered if r.chance is not None]
        above = [r for r in known if not r.chance]
        beyond = f"; {len(above)} of {len(known)} stand out from chance" if known else ""
        if (most := _most_by_chance(rows, name)) is not None:
            beyond = f" (by chance the most disclosed has up to {number(most, 3)} bit){beyond}"
        if above and name in ("op", "pq"):
            beyond += f" ({few([named(r.speaker) for r in above], 3)})"
        parts.append(
            f"{name.upper()}{f', {attacker}' if attacker else ''}: "
            f"{count(len(ordered), 'speaker')}, "
            f"{'least distinct' if name == 'pp' else 'most disclosed'} {named(first.speaker)} "
            f"with D_ECE {number(first.d_ece, 3)} bit{interval}, tag {first.tag}{beyond}."
        )
    return (
        "Expected disclosure of each speaker, the worst first, with 95 % interval and tag of the "
        "worst case at the right; grey is what chance gives, hollow markers are not "
        f"distinguishable from it. {' '.join(parts)}"
    )


def _most_by_chance(rows: Sequence[Row], condition: str) -> float | None:
    """What the most disclosed of so many people shows where names are shuffled."""
    found = (r.null_95 for r in rows if (r.condition, r.metric) == (condition, "d_ece_person"))
    return next(found, None)


def _pairs(
    at: Floats, bounds: Sequence[tuple[float | None, float | None]]
) -> tuple[list[float], list[float], list[float]]:
    """Heights, starts and ends of the bars that there are."""
    there = [
        (float(y), low, high)
        for y, (low, high) in zip(at, bounds, strict=True)
        if low is not None and high is not None
    ]
    return [t[0] for t in there], [t[1] for t in there], [t[2] for t in there]


def _named(at: Floats) -> list[int]:
    """Speakers whose names fit: all of the top, then each that is a line below the last one."""
    named = [0]
    for k in range(1, at.size):
        if at[k] - at[named[-1]] >= 1.0 - 1e-9:
            named.append(k)
    return named


def _span(rows: Sequence[SpeakerRow]) -> tuple[float, float]:
    """An axis that a few very wide intervals of misleading evidence cannot stretch."""
    values = np.array([r.d_ece for r in rows])
    lows = np.array([r.d_ece if r.d_ece_low is None else r.d_ece_low for r in rows])
    highs = np.array(
        [max(v for v in (r.d_ece, r.d_ece_high, r.d_ece_null_95) if v is not None) for r in rows]
    )
    low = min(0.0, float(values.min()), float(np.quantile(lows, 0.2)))
    high = max(float(values.max()), float(highs.max()), low + 1e-3)
    return low - 0.04 * (high - low), high + 0.04 * (high - low)
