"""Several systems in one picture: all of them on the map, and their profiles (noe2022 Fig. 10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pseudovoice.assessment.assess import Assessment
from pseudovoice.assessment.estimate import Row
from pseudovoice.calibration.ladder import Floats
from pseudovoice.figures.map import System
from pseudovoice.figures.profiles import Profile, known_profile
from pseudovoice.figures.specs import FigureSpec, map_figure, numbers_of, profile_figure, profile_of
from pseudovoice.figures.style import CONDITION_LINES, SERIES_LINES, Line
from pseudovoice.figures.wording import find

_TITLES = {
    "op": "ECE profiles of all systems, OP",
    "pp": "ECE profiles of all systems, PP",
    "pq": "ECE profiles of all systems, PQ",
}


@dataclass(frozen=True)
class Compared:
    """One system among others: its rows, and its oracle profile in each condition.

    ``curves`` are ECE over `pseudovoice.figures.profiles.PRIORS`. Scores are not needed, so that
    what was kept of a system can be drawn.
    """

    name: str
    rows: Sequence[Row]
    curves: Mapping[str, Floats]

    def profile(self, condition: str, label: str, line: Line) -> Profile:
        numbers = numbers_of(self.rows, condition)
        return known_profile(label, self.curves[condition], numbers, line=line)


def compared(name: str, assessment: Assessment) -> Compared:
    """What the common figures need of an assessment."""
    curves = {c: profile_of(name, assessment, c).ece for c in assessment.conditions}
    return Compared(name, assessment.rows, curves)


def comparison_figures(systems: Sequence[Compared]) -> list[FigureSpec]:
    """Figures of systems beside each other; who lacks a condition is left out there."""
    placed = []
    for one in systems:
        deid, gain = find(one.rows, "op", "deid"), find(one.rows, "pp", "g_vd")
        if deid is not None and gain is not None:
            placed.append(System(one.name, deid, gain))
    made = [map_figure(placed)] if placed else []
    for condition, title in _TITLES.items():
        there = [one for one in systems if condition in one.curves]
        if not there:
            continue
        made.append(profile_figure(f"profiles_{condition}", title, profiles_of(there, condition)))
    return made


def profiles_of(systems: Sequence[Compared], condition: str) -> list[Profile]:
    """The profiles of systems that all have a condition, behind that of unprotected speech."""
    profiles = [
        one.profile(condition, one.name, SERIES_LINES[k % len(SERIES_LINES)])
        for k, one in enumerate(systems)
    ]
    if _same_yardstick(systems):
        profiles.insert(0, systems[0].profile("oo", "unprotected", CONDITION_LINES["oo"]))
    return profiles


def _same_yardstick(systems: Sequence[Compared]) -> bool:
    """Systems on the same speech share one OO; on different speech there is none to be drawn."""
    yardsticks = [one.curves.get("oo") for one in systems]
    first = yardsticks[0]
    return first is not None and all(
        other is not None and np.array_equal(first, other) for other in yardsticks
    )
