"""Which packages name metrics of their own; told without loading any of them."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

ENTRY_POINTS = "pseudovoice.metrics"


def metric_packages() -> list[EntryPoint]:
    """The metrics that other packages name, none of them loaded."""
    return list(entry_points(group=ENTRY_POINTS))


def metric_marks() -> list[str]:
    """What results depend on: every metric that is installed, and the version of its package."""
    marks = []
    for entry in metric_packages():
        package = "" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
        marks.append(f"{entry.name} {entry.value} {package}")
    return sorted(marks)
