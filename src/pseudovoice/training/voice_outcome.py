"""What a training of a voice reports."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pseudovoice.errors import Problem


@dataclass(frozen=True)
class VoiceError:
    """How far a voice is from speech that it did not learn from, in its standard deviations.

    ``distance`` is the mean absolute difference, ``flatness`` that of the spread over time.
    """

    distance: float
    flatness: float


@dataclass(frozen=True)
class VoiceEpoch:
    """One epoch: what the training speech and the held-out speech show.

    ``told``: how often the critic named who speaks, of all people, from the content that passes.
    ``misheard``: what a listener noticed otherwise in what was said than in natural speech.
    """

    number: int
    learnt: VoiceError
    held_out: VoiceError
    told: float
    misheard: float


@dataclass(frozen=True)
class VoiceOutcome:
    """A finished training; the voice of the last epoch and its pool are in ``folder``."""

    folder: Path
    parameters: int
    size: int
    epochs: int
    before: VoiceError
    after: VoiceError
    history: tuple[VoiceEpoch, ...]
    utterances: int
    speakers: int
    hours: float
    held_out_utterances: int
    seconds: float
    problems: tuple[Problem, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        problems = [str(problem) for problem in self.problems]
        return {**asdict(self), "folder": str(self.folder), "problems": problems}
