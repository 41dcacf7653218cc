"""How much of a recording its turns account for, and how much speech they leave to nobody."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pseudovoice.corpus import Utterance
from pseudovoice.diarisation.activity import ONSET, SECONDS, VoiceActivity
from pseudovoice.diarisation.diarise import listened
from pseudovoice.diarisation.turns import Turns

MUCH = 1.0
"""Seconds of turns after the end of a recording that no rounding explains."""


@dataclass(frozen=True)
class Coverage:
    """Seconds in which one person speaks, several do, and nobody; they add up over recordings.

    ``speech_outside`` is how much of the last sounds like speech all the same. ``beyond`` is how
    much of the turns lies after the end: they are another recording's, or one that was longer.
    """

    alone: float = 0.0
    overlap: float = 0.0
    outside: float = 0.0
    speech_outside: float = 0.0
    beyond: float = 0.0

    def __add__(self, other: Coverage) -> Coverage:
        return Coverage(
            self.alone + other.alone,
            self.overlap + other.overlap,
            self.outside + other.outside,
            self.speech_outside + other.speech_outside,
            self.beyond + other.beyond,
        )

    @property
    def too_long(self) -> bool:
        """Whether turns go on after the end for longer than rounding explains."""
        return self.beyond >= MUCH

    def to_dict(self) -> dict[str, Any]:
        return {f"{name}_seconds": round(value, 3) for name, value in asdict(self).items()}


def coverage(utterance: Utterance, turns: Turns, activity: VoiceActivity) -> Coverage:
    """Listen to a recording once more; raises AudioError."""
    probabilities, seconds = listened(utterance, activity)
    spoken = probabilities >= ONSET
    middles = (np.arange(spoken.size) + 0.5) * SECONDS
    alone = overlap = outside = 0.0
    for strip in turns.strips(seconds):
        if strip.people:
            first, last = np.searchsorted(middles, (strip.start, strip.end))
            spoken[first:last] = False
        alone += strip.seconds if len(strip.people) == 1 else 0.0
        overlap += strip.seconds if len(strip.people) > 1 else 0.0
        outside += strip.seconds if not strip.people else 0.0
    beyond = sum(max(0.0, turn.end - max(turn.start, seconds)) for turn in turns.turns)
    return Coverage(alone, overlap, outside, float(np.count_nonzero(spoken)) * SECONDS, beyond)
