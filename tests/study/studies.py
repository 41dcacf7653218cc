"""What the tests of the study share."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pseudovoice.study import Outcome, Plan

AWKWARD = "<img src=x onerror=alert(1)>"
FORMULA = "=1+1"


@dataclass(frozen=True)
class Ready:
    """A study that has been run: its plan, its output, its cache, and the file that is broken."""

    plan: Plan
    out: Path
    cache: Path
    broken: Path
    outcome: Outcome


def tables(out: Path) -> dict[str, bytes]:
    """Every table of a study by name."""
    found = {path.name: path.read_bytes() for path in sorted((out / "tables").iterdir())}
    assert "table2.tex" in found
    return found


def fresh_cache(weights: Path, place: Path) -> Path:
    """A cache that has the weights and has embedded nothing yet."""
    place.mkdir(parents=True)
    for name in ("models", "graphs"):
        if (weights / name).is_dir():
            (place / name).symlink_to(weights / name)
    return place
