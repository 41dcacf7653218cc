"""What a protected folder says of itself: the record that `pseudovoice protect` leaves there."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pseudovoice.json_tree import json_tree

RECORD = "protection.json"
"""That of `pseudovoice.release.record`, whose import would keep the page waiting."""

LARGEST = 1 << 20


@dataclass(frozen=True)
class ProtectionRecord:
    """A safeguard by name and parameters; ``key`` is the identifier of a key, None without one."""

    safeguard: str
    parameters: dict[str, str] = field(default_factory=dict)
    key: str | None = None


def read_protection(folder: Path) -> ProtectionRecord | None:
    """The record of a folder; None where there is none that can be understood.

    It only names things on the page, so a folder without one is assessed all the same.
    """
    return read_record(folder / RECORD)


def read_record(path: Path) -> ProtectionRecord | None:
    """A record by its file, likewise."""
    try:
        if path.is_symlink() or path.stat().st_size > LARGEST:
            return None
        said = json_tree(path.read_text(encoding="utf-8"))
        steps: list[dict[str, Any]] = said["safeguard"]["chain"]
        names = [str(step["safeguard"]) for step in steps]
        parameters = {
            (name if len(steps) == 1 else f"{step['safeguard']} {name}"): str(value)
            for step in steps
            for name, value in step.items()
            if name != "safeguard"
        }
        key = said["key"]
        return ProtectionRecord("+".join(names), parameters, None if key is None else str(key))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
