"""Takes: what was made of a recording, each in a folder of its own among the results.

A take is the protected recording with its record, as speech that may go out. Its report, and the
decision on it, come to lie beside that; so do the turns it was made by, which name people and are
never part of a release.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pseudovoice.atomic import write_atomic
from pseudovoice.errors import InputError
from pseudovoice.json_tree import json_tree
from pseudovoice.release.record import RECORD
from pseudovoice.report.filename import harmless_name
from pseudovoice.serve.reports import PAGE

SPEECH, SOUND = "speech", "protected.wav"
"""The folder of a take that holds what others may hear, and the recording in it."""

ABOUT = "take.json"
TURNS = "turns.rttm"
DECISION = "decision.json"
LARGEST = 1 << 20


@dataclass(frozen=True)
class Take:
    """A folder with a protected recording: of which one, how it was made, what was said of it."""

    folder: Path
    recording: str
    safeguard: str
    overlap: str | None
    people: tuple[str, ...]
    says: str

    @property
    def sound(self) -> Path:
        return self.folder / SPEECH / SOUND

    @property
    def record(self) -> Path:
        return self.sound.with_name(RECORD)

    @property
    def turns(self) -> Path:
        return self.folder / TURNS

    @property
    def report(self) -> Path | None:
        page = self.folder / PAGE
        return page if page.is_file() and not page.is_symlink() else None

    def write(self) -> None:
        """Last of all: a folder that has it is whole."""
        about = {
            "recording": self.recording,
            "safeguard": self.safeguard,
            "overlap": self.overlap,
            "people": self.people,
            "says": self.says,
        }
        write_atomic(self.folder / ABOUT, json.dumps(about, indent=1) + "\n")

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.folder.name,
            "safeguard": self.safeguard,
            "overlap": self.overlap,
            "people": self.people,
            "says": self.says,
            "when": self.sound.stat().st_mtime,
            "report": self.report is not None,
            "decision": read_decision(self),
            "outdated": self._outdated(),
        }

    def _outdated(self) -> bool:
        """Whether something is newer than the decision on it; whoever releases looks closely."""
        decided, report = self.folder / DECISION, self.report
        if not decided.is_file():
            return False
        made = (self.sound, *(() if report is None else (report,)))
        return any(path.stat().st_mtime_ns > decided.stat().st_mtime_ns for path in made)


def takes_of(out: Path, recording: str) -> list[Take]:
    """All takes of a recording, the newest first."""
    found = (read_take(about.parent) for about in out.glob(f"*/{ABOUT}"))
    own = [take for take in found if take is not None and take.recording == recording]
    return sorted(own, key=lambda take: (-take.sound.stat().st_mtime, take.folder.name))


def take_of(out: Path, recording: str, name: object) -> Take:
    """One take of a recording by its name; raises InputError."""
    if isinstance(name, str) and name and harmless_name(name) == name:
        take = read_take(out / name)
        if take is not None and take.recording == recording:
            return take
    raise InputError("There is no such protected recording any more; protect it again.")


def read_decision(take: Take) -> dict[str, Any] | None:
    """What was decided on a take, None if nothing was, or nothing that can be understood."""
    said = _tree(take.folder / DECISION)
    return said if isinstance(said, dict) else None


def read_take(folder: Path) -> Take | None:
    """The take in a folder, None unless there is a whole one."""
    sound = folder / SPEECH / SOUND
    if any(path.is_symlink() for path in (folder, sound.parent, sound)) or not sound.is_file():
        return None
    said = _tree(folder / ABOUT)
    try:
        return Take(
            folder,
            str(said["recording"]),
            str(said["safeguard"]),
            None if said["overlap"] is None else str(said["overlap"]),
            tuple(map(str, said["people"])),
            str(said["says"]),
        )
    except (TypeError, KeyError):
        return None


def _tree(path: Path) -> Any:
    try:
        if path.is_symlink() or path.stat().st_size > LARGEST:
            return None
        return json_tree(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
