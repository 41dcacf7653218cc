"""Zoo plot: every speaker by the mean of its mated and non-mated LLRs (noe2022 Fig. 6).

The animals are those of Dunstone & Yager (2009): the outer quarters of both means make the
corners. Each animal has a marker of its own, and its name stands in its corner.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.zoo import Zoo
from pseudovoice.errors import few
from pseudovoice.figures.labels import place_labels, settle
from pseudovoice.figures.style import (
    BLUE,
    GREEN,
    GREY,
    LIGHT,
    PURPLE,
    SMALL,
    VERMILLION,
    shown,
)
from pseudovoice.figures.tidy import Columns, columns, stack
from pseudovoice.figures.wording import attacker_of, count, named, number

ANIMALS = {
    "sheep": (GREY, "o"),
    "dove": (BLUE, "^"),
    "worm": (VERMILLION, "s"),
    "chameleon": (GREEN, "D"),
    "phantom": (PURPLE, "v"),
}
"""Colour and marker. Sheep are all who stand in no corner."""

CORNERS = {"dove": (1, 0), "worm": (0, 1), "chameleon": (1, 1), "phantom": (0, 0)}
"""Right and up: mean mated LLRs grow to the right, mean non-mated ones upwards."""

MOST_NAMES = 8


def draw_zoo(ax: Axes, zoo: Zoo, *, names: bool = True) -> None:
    """Place every speaker, name the corners and, with ``names``, those who stand out."""
    animal = np.array(zoo.animal)
    for name, (colour, marker) in ANIMALS.items():
        here = animal == name
        ax.scatter(
            zoo.mated[here],
            zoo.nonmated[here],
            s=12 if name == "sheep" else 20,
            marker=marker,
            color=colour,
            linewidths=0,
            alpha=0.75 if name == "sheep" else 1.0,
            zorder=3,
        )
    for value in zoo.mated_quartiles:
        ax.axvline(value, color=LIGHT, lw=0.7, dashes=(4, 2), zorder=1)
    for value in zoo.nonmated_quartiles:
        ax.axhline(value, color=LIGHT, lw=0.7, dashes=(4, 2), zorder=1)
    _frame(ax, zoo)
    for name, (right, up) in CORNERS.items():
        ax.text(
            0.985 if right else 0.015,
            0.98 if up else 0.02,
            name,
            transform=ax.transAxes,
            ha="right" if right else "left",
            va="top" if up else "bottom",
            fontsize=SMALL,
            style="italic",
            color=GREY,
            zorder=2,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
        )
    ax.set_xlabel("mean mated LLR")
    ax.set_ylabel("mean non-mated LLR")
    if names:
        figure = ax.get_figure(root=True)
        assert figure is not None
        settle(figure)
        name_speakers(ax, zoo)


def name_speakers(ax: Axes, zoo: Zoo) -> None:
    """Write the ids of those who stand out, once all panels are drawn and the layout is settled."""
    place_labels(
        ax,
        zoo.mated.tolist(),
        zoo.nonmated.tolist(),
        [shown(name, 12) for name in zoo.speakers],
        which=standing_out(zoo)[:MOST_NAMES],
        clear_of=[text.get_window_extent() for text in ax.texts],
    )


def legend_entries() -> tuple[list[Line2D], list[str]]:
    """The markers of the animals, for one legend below all panels."""
    return [
        Line2D([], [], ls="none", marker=marker, color=colour, ms=4.5, mew=0)
        for colour, marker in ANIMALS.values()
    ], list(ANIMALS)


def standing_out(zoo: Zoo) -> list[int]:
    """Animals of the corners and whoever lies beyond Tukey's fences, the farthest first."""
    far = np.zeros(len(zoo.speakers))
    beyond = np.zeros(far.size, bool)
    for values, (low, high) in (
        (zoo.mated, zoo.mated_quartiles),
        (zoo.nonmated, zoo.nonmated_quartiles),
    ):
        spread = high - low
        if spread > 0.0:
            far += np.square((values - np.median(values)) / spread)
            beyond |= (values < low - 1.5 * spread) | (values > high + 1.5 * spread)
    special = beyond | (np.array(zoo.animal) != "sheep")
    return [int(k) for k in np.argsort(-far, kind="stable") if special[k]]


def zoo_data(zoos: Mapping[str, Zoo]) -> Columns:
    """One row per condition and speaker: both means and the animal."""
    return stack(
        columns(condition=[name] * len(zoo.speakers), **zoo.table()) for name, zoo in zoos.items()
    )


def zoo_caption(zoos: Mapping[str, Zoo], rows: Sequence[Row]) -> str:
    """The quartiles that decide and who stands in each corner, per condition."""
    parts = []
    for name, zoo in zoos.items():
        (a, b), (c, d) = zoo.mated_quartiles, zoo.nonmated_quartiles
        who = []
        for animal in CORNERS:
            there = [named(s) for s, k in zip(zoo.speakers, zoo.animal, strict=True) if k == animal]
            if there:
                who.append(f"{count(len(there), animal)} ({few(there, 3)})")
        attacker = attacker_of(rows, name)
        parts.append(
            f"{name.upper()}{f', {attacker}' if attacker else ''}: "
            f"{count(len(zoo.speakers), 'speaker')}, mated quartiles {number(a, 2)} and "
            f"{number(b, 2)}, non-mated {number(c, 2)} and {number(d, 2)}; "
            f"{', '.join(who) if who else 'no speaker in a corner'}."
        )
    return (
        "Zoo plot: mean oracle-calibrated LLR (natural log) of each speaker's mated and "
        "non-mated trials; dashed lines are the quartiles. Doves are well recognised and never "
        "confused, worms badly recognised and confused, chameleons resemble everybody, phantoms "
        f"nobody; all others are sheep. {' '.join(parts)}"
    )


def _frame(ax: Axes, zoo: Zoo) -> None:
    """Room for the names of the corners above and below the points, whatever their spread."""
    for values, span in ((zoo.mated, ax.set_xlim), (zoo.nonmated, ax.set_ylim)):
        low, high = float(values.min()), float(values.max())
        wide = max(high - low, 1e-3 * max(abs(low), abs(high)), 1e-6)
        span(low - 0.16 * wide, high + 0.16 * wide)
