"""Every reader of bytes that somebody else wrote, by name."""

from __future__ import annotations

from fuzz.target import Target
from fuzz.targets import (
    alignments,
    audio,
    corpora,
    language,
    models,
    plans,
    results,
    secrets,
    serve,
    texts,
    trials,
    turns,
)

_ROOMS = (
    corpora,
    audio,
    trials,
    secrets,
    alignments,
    turns,
    language,
    plans,
    models,
    texts,
    serve,
    results,
)

TARGETS: dict[str, Target] = {target.name: target for room in _ROOMS for target in room.TARGETS}
