"""Who speaks when in an opened recording, as it lies on the disk: read, and saved when corrected.

The file may hold other recordings as well, which stay as they are; and it may be changed by another
window or program, so whoever saves says which version the corrections were made to.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from pseudovoice.corpus.naming import quoted, shown
from pseudovoice.diarisation import Turns
from pseudovoice.diarisation.formats import read_turns, write_turns
from pseudovoice.diarisation.formats.faults import FormatFault, turn_of
from pseudovoice.diarisation.formats.names import plain
from pseudovoice.errors import InputError, PseudovoiceError
from pseudovoice.serve.recordings import Opened

LONGEST_NAME = 100
MOST_TURNS = 50_000


class Outdated(PseudovoiceError):
    """The turns were changed elsewhere since the page read them."""


@dataclass(frozen=True)
class KeptTurns:
    """The turns of one recording, None if nobody has said any; ``version`` marks the file."""

    turns: Turns | None
    version: str


def read_kept(opened: Opened) -> KeptTurns:
    """What the file of turns says of the recording; of one that was just dropped, what came too."""
    file = opened.turns
    if not file.exists() and opened.given is not None:
        return KeptTurns(turns_for(opened, read_turns(opened.given)), "")
    return KeptTurns(turns_for(opened, _all(file)), _version(file))


def save_turns(opened: Opened, said: object, version: object) -> KeptTurns:
    """Write what the page says, unless the file has changed since it was at ``version``."""
    turns = parse_turns(opened, said)
    if version != _version(opened.turns):
        raise Outdated(
            f"{opened.turns.name} was changed elsewhere since this page read it; open the "
            "recording again to see how."
        )
    return write_kept(opened.turns, turns)


def parse_turns(opened: Opened, said: object) -> Turns:
    """Turns from JSON: a list of [start, end, person]."""
    if not isinstance(said, list) or len(said) > MOST_TURNS:
        raise InputError(f"Turns are a list of at most {MOST_TURNS:,}.")
    found = []
    for number, one in enumerate(said, 1):
        if not isinstance(one, list) or len(one) != 3 or not isinstance(one[2], str):
            raise InputError(f"Turn {number} is not a start, an end and a person.")
        start, end, person = one
        if isinstance(start, bool) or isinstance(end, bool) or len(person) > LONGEST_NAME:
            raise InputError(
                f"Turn {number}: {quoted(person)} has times that are none, or a name of more than "
                f"{LONGEST_NAME} characters; correct it."
            )
        try:
            person.encode()
            found.append(turn_of(start, min(end, opened.look.seconds), person, None))
        except (FormatFault, TypeError, UnicodeEncodeError) as fault:
            what = fault if isinstance(fault, FormatFault) else "cannot be understood"
            raise InputError(f"Turn {number} {what}; correct it.") from None
    return Turns.of(plain(opened.path.stem), found)


def write_kept(file: Path, turns: Turns) -> KeptTurns:
    """Replace the turns of one recording in a file that may hold others."""
    every = _all(file)
    # One alone is this recording's, whatever it is called there.
    others = [one for name, one in every.items() if name != turns.recording and len(every) > 1]
    file.parent.mkdir(parents=True, exist_ok=True)
    write_turns([turns, *others], file)
    return KeptTurns(turns, _version(file))


def _all(file: Path) -> dict[str, Turns]:
    if file.is_symlink():
        raise InputError(f"{shown(file)}: is a link; put the file of turns itself there.")
    return read_turns(file) if file.exists() else {}


def turns_for(opened: Opened, every: dict[str, Turns]) -> Turns | None:
    """Those of the recording among what a file says."""
    name = plain(opened.path.stem)
    if len(every) == 1 and name not in every:
        # As `protect` takes it: of one recording alone, whatever its name is in the file.
        return Turns(name, next(iter(every.values())).turns)
    return every.get(name)


def _version(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    except OSError:
        return ""
