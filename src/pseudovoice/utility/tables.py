"""A utility assessment on disk: JSON for programs, CSV for people."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

from pseudovoice.atomic import write_atomic
from pseudovoice.cells import to_csv
from pseudovoice.utility.assess import UtilityAssessment
from pseudovoice.utility.rows import UtilityRow


def utility_json(assessment: UtilityAssessment) -> str:
    """The whole result as strict JSON, without what anybody said."""
    return json.dumps(assessment.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def utility_csv(rows: Sequence[UtilityRow]) -> str:
    """One line per group, condition and metric."""
    return to_csv([row.to_dict() for row in rows], [f.name for f in fields(UtilityRow)])


def write_utility(assessment: UtilityAssessment, folder: Path) -> list[Path]:
    """Write ``utility.json``, ``utility.csv`` and ``utility_speakers.csv``, each whole or not."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = {
        "utility.json": utility_json(assessment),
        "utility.csv": utility_csv(assessment.rows),
        "utility_speakers.csv": utility_csv(assessment.speakers),
    }
    for name, content in contents.items():
        write_atomic(folder / name, content)
    return [folder / name for name in contents]
