"""What one run is asked to do: checked as it comes from the page, kept to be resumed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pseudovoice.choices import REPLICATES
from pseudovoice.encoders.registry import DEFAULT_ENCODER, ENCODER_NAMES
from pseudovoice.errors import InputError
from pseudovoice.serve.protection import read_protection

LONGEST_TEXT = 200
MOST_REPLICATES = 10_000

Folder = Callable[[Any], Path]
"""From what a page or a file says of a folder to the real one; raises InputError."""


@dataclass(frozen=True)
class RunRequest:
    """Two folders, how the page calls them, and how they are assessed.

    ``clips`` puts a few seconds of every protected voice into the report, ``originals`` those of
    the original voices too; ``figures`` draws files beside the tables, which takes longer.
    """

    original: Path
    protected: Path
    title: str
    safeguard: str
    encoders: tuple[str, ...] = (DEFAULT_ENCODER,)
    replicates: int = REPLICATES
    clips: bool = True
    originals: bool = False
    figures: bool = False

    @classmethod
    def read(cls, said: object, folder: Folder) -> RunRequest:
        """A plan from JSON; raises InputError with a sentence for the page."""
        if not isinstance(said, Mapping):
            raise InputError("A run is described by a JSON object.")
        unknown = sorted(set(map(str, said)) - set(cls.__dataclass_fields__))
        if unknown:
            raise InputError(f"A run has nothing called {', '.join(unknown)[:LONGEST_TEXT]}.")
        original, protected = folder(said.get("original")), folder(said.get("protected"))
        if original == protected:
            raise InputError("Both folders are the same; name the original and the protected one.")
        known = read_protection(protected)
        usual = protected.name if known is None else known.safeguard
        return cls(
            original,
            protected,
            title=_text(said, "title", "The report") or "Protected speech, assessed",
            safeguard=_text(said, "safeguard", "The safeguard") or usual[:LONGEST_TEXT],
            encoders=_encoders(said.get("encoders", [DEFAULT_ENCODER])),
            replicates=_count(said.get("replicates", REPLICATES)),
            clips=_flag(said, "clips", True),
            originals=_flag(said, "originals", False),
            figures=_flag(said, "figures", False),
        )

    def to_json(self) -> str:
        known = {**asdict(self), "original": str(self.original), "protected": str(self.protected)}
        return json.dumps(known, indent=1)


def _text(said: Mapping[str, Any], name: str, what: str) -> str:
    text = said.get(name, "")
    if not isinstance(text, str) or len(text) > LONGEST_TEXT:
        raise InputError(f"{what} has a name of at most {LONGEST_TEXT} characters.")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise InputError(f"{what} has half a character in its name; type it again.")
    return text.strip()


def _encoders(said: object) -> tuple[str, ...]:
    # Only names of ours: the page must not fetch a model from elsewhere or open a file as one.
    if not isinstance(said, list) or not said or any(name not in ENCODER_NAMES for name in said):
        raise InputError(f"Choose at least one recogniser of {', '.join(ENCODER_NAMES)}.")
    return tuple(dict.fromkeys(said))


def _count(said: object) -> int:
    if type(said) is not int or not 0 <= said <= MOST_REPLICATES:
        raise InputError(f"Replicates are a whole number from 0 to {MOST_REPLICATES:,}.")
    return said


def _flag(said: Mapping[str, Any], name: str, usual: bool) -> bool:
    flag = said.get(name, usual)
    if not isinstance(flag, bool):
        raise InputError(f"{name} is true or false.")
    return flag
