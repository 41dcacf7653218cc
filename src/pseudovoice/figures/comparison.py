"""Several systems in one picture: all of them on the map, and their profiles (noe2022 Fig. 10)."""

from __future__ import annotations

from collections.abc import Sequence

from pseudovoice.assessment.assess import Assessment
from pseudovoice.figures.map import System
from pseudovoice.figures.plates import Plate, map_plate, profile_of, profile_plate
from pseudovoice.figures.style import CONDITION_LINES, SERIES_LINES
from pseudovoice.figures.wording import find

_TITLES = {
    "op": "ECE profiles of all systems, OP",
    "pp": "ECE profiles of all systems, PP",
    "pq": "ECE profiles of all systems, PQ",
}


def comparison_plates(systems: Sequence[tuple[str, Assessment]]) -> list[Plate]:
    """Figures of named assessments beside each other; who lacks a condition is left out there."""
    placed = []
    for name, assessment in systems:
        deid, gain = find(assessment.rows, "op", "deid"), find(assessment.rows, "pp", "g_vd")
        if deid is not None and gain is not None:
            placed.append(System(name, deid, gain))
    made = [map_plate(placed)] if placed else []
    for condition, title in _TITLES.items():
        there = [(name, a) for name, a in systems if condition in a.conditions]
        if not there:
            continue
        curves = [
            profile_of(name, a, condition, line=SERIES_LINES[k % len(SERIES_LINES)])
            for k, (name, a) in enumerate(there)
        ]
        # Systems on the same speech share one yardstick; on different speech there is none.
        yardsticks = {a.conditions["oo"].evaluation for _, a in there if "oo" in a.conditions}
        if len(yardsticks) == 1 and all("oo" in a.conditions for _, a in there):
            look = CONDITION_LINES["oo"]
            curves.insert(0, profile_of("unprotected", there[0][1], "oo", line=look))
        made.append(profile_plate(f"profiles_{condition}", title, curves))
    return made
