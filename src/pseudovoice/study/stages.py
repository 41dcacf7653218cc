"""Results of finished stages, kept under a name made of everything they depend on.

A stage is there whole or not at all. One that was just made is read back before it is used, so
that a run which resumes and one which never stopped work with the very same numbers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pseudovoice import __version__
from pseudovoice.atomic import write_atomic
from pseudovoice.errors import PassingProblem
from pseudovoice.study.records import from_json, to_json

T = TypeVar("T")

FORMAT = 1
"""Of the kept records; another one makes everything anew."""


def stage_name(kind: str, inputs: Mapping[str, Any]) -> str:
    """The kind and the hash of its inputs, of this version and of the format."""
    whole = {"format": FORMAT, "pseudovoice": __version__, "kind": kind, "inputs": inputs}
    text = json.dumps(whole, sort_keys=True, ensure_ascii=True)
    return f"{kind}-{hashlib.sha256(text.encode()).hexdigest()[:24]}"


@dataclass(frozen=True)
class Stages:
    """A folder of finished stages."""

    folder: Path

    def get(self, name: str, record: type[T]) -> T | None:
        """The result of a stage; None if it is not there, or damaged and to be made anew."""
        try:
            return from_json(self._path(name).read_text(encoding="ascii"), record)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def get_or_make(self, name: str, record: type[T], make: Callable[[], T]) -> T:
        """The result of a stage, made now if need be.

        One that lacks what could not be read for the moment is not kept: the next run shall have
        it all.
        """
        found = self.get(name, record)
        if found is not None:
            return found
        made = make()
        if any(isinstance(problem, PassingProblem) for problem in getattr(made, "problems", ())):
            return from_json(to_json(made), record)
        return self.put(name, record, made)

    def put(self, name: str, record: type[T], made: T) -> T:
        """Keep a result; gives back what a later run will read."""
        text = to_json(made)
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomic(self._path(name), text)
        return from_json(text, record)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"
