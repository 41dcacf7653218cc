"""Who really speaks when, if somebody knows: by it turns are measured, and nothing is protected."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from pseudovoice.diarisation import Turns
from pseudovoice.diarisation.error_rate import said_error
from pseudovoice.diarisation.formats import parse_turns, read_turns, write_turns
from pseudovoice.errors import InputError
from pseudovoice.serve.kept_turns import read_kept, turns_for
from pseudovoice.serve.recordings import Opened


def keep_reference(opened: Opened, name: object, text: object) -> None:
    """Keep what a file of turns says of the recording; without a text, forget what was kept."""
    if text is None:
        opened.reference.unlink(missing_ok=True)
        return
    if not isinstance(text, str) or not isinstance(name, str) or not PurePath(name).name:
        raise InputError("A reference is the name and the text of a file of turns.")
    # Its name alone: whose folder it lies in concerns nobody.
    found = turns_for(opened, parse_turns(text.removeprefix("\ufeff"), PurePath(name).name))
    if found is None or not found.turns:
        raise InputError(
            f"{PurePath(name).name}: says nothing of who speaks in {opened.name}; choose the file "
            "of this recording."
        )
    opened.reference.parent.mkdir(parents=True, exist_ok=True)
    write_turns([found], opened.reference)


def read_reference(opened: Opened) -> Turns | None:
    if not opened.reference.is_file() or opened.reference.is_symlink():
        return None
    (turns,) = read_turns(opened.reference).values()
    return turns


def measured(opened: Opened) -> dict[str, Any] | None:
    """How wrong the turns are as they stand, and as they were found; None without a reference."""
    reference = read_reference(opened)
    if reference is None:
        return None
    now = read_kept(opened).turns
    found = None
    if opened.found.is_file():
        (found,) = read_turns(opened.found).values()
    return {
        "people": len(reference.people),
        "turns": len(reference.turns),
        "now": None if now is None else said_error([(reference, now)]),
        "found": None if found is None else said_error([(reference, found)]),
    }
