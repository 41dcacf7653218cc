"""The voices a session has given, kept beside the key.

A voice once given stays: whoever comes later, alone or with others, never changes it. The file has
one line a speaker, under a keyed tag instead of the name; who reads it can undo the voices as if
the key were leaked, so only its owner can.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import InputError
from pseudovoice.safeguards.persona.pseudovoice import PseudoVoice

Vectors = dict[str, NDArray[np.float32]]


@dataclass
class SessionState:
    """Pseudo-voices by tag, with where each lies in the space of each encoder of the search."""

    path: Path | None
    voices: dict[str, PseudoVoice] = field(default_factory=dict)
    places: dict[str, Vectors] = field(default_factory=dict)

    def give(self, tag: str, voice: PseudoVoice, place: Vectors) -> None:
        """Remember a voice; on disk at once, so that a killed search goes on where it was."""
        line = json.dumps(
            {
                "speaker": tag,
                "voice": voice.to_dict(),
                "place": {name: [round(float(v), 5) for v in row] for name, row in place.items()},
            }
        )
        # As it will be read: a search that goes on must find what this one would have.
        _take(self, json.loads(line))
        if self.path is None:
            return
        handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(handle, "a", encoding="utf-8") as file:
            file.write(line + "\n")


def read_state(path: Path | None) -> SessionState:
    """The state as far as it goes; a last line cut short by a kill is taken off."""
    state = SessionState(path)
    if path is None or not path.exists():
        return state
    try:
        whole = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{path}: the voices given before cannot be read ({error.strerror})."
        ) from None
    end = whole.rfind(b"\n") + 1
    if end < len(whole):
        with path.open("r+b") as file:
            file.truncate(end)
    for number, line in enumerate(whole[:end].splitlines(), 1):
        try:
            _take(state, json.loads(line))
        except (ValueError, KeyError, TypeError):
            raise InputError(
                f"{path}: line {number} is damaged; put back a copy of this file, or remove it and "
                "protect everything anew: voices given before would otherwise change."
            ) from None
    return state


def _take(state: SessionState, entry: dict[str, Any]) -> None:
    state.voices[entry["speaker"]] = PseudoVoice.from_dict(entry["voice"])
    state.places[entry["speaker"]] = {
        name: np.array(row, np.float32) for name, row in entry["place"].items()
    }
