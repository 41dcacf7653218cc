"""What a folder of protected speech says of itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pseudovoice.atomic import write_atomic
from pseudovoice.errors import UsageError
from pseudovoice.json_tree import json_tree

RECORD = "protection.json"
OLD_JOURNAL = ".protected.jsonl"
"""What earlier versions left among the released files."""


def check_record(out: Path, record: dict[str, Any]) -> None:
    """One folder holds one protection: mixing two would mix two voices of a speaker."""
    path = out / RECORD
    if (out / OLD_JOURNAL).exists():
        raise UsageError(
            f"{out}: an earlier version filled this folder and left its journal {OLD_JOURNAL} in "
            "it, by which releases can be linked; never release that file, and protect anew into "
            "another folder."
        )
    if path.exists():
        if read_record(out) != record:
            raise another_way(out)
    elif any(out.iterdir()):
        raise UsageError(f"{out}: the folder is not empty; choose a new one for protected speech.")
    write_record(out, record)


def write_record(out: Path, record: dict[str, Any]) -> None:
    write_atomic(out / RECORD, json.dumps(record, indent=1, sort_keys=True) + "\n")


def read_record(out: Path) -> Any:
    """What a folder says of itself; None if it says nothing that can be read."""
    try:
        return json_tree((out / RECORD).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def another_way(out: Path) -> UsageError:
    return UsageError(
        f"{out}: this folder holds speech protected in another way (see {RECORD}); choose "
        "another folder, or remove it."
    )
