"""What a training of a recogniser reports."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pseudovoice.errors import Problem


@dataclass(frozen=True)
class CtcEpoch:
    """One pass: mean loss (nats a unit), and errors in held-out utterances without a search."""

    number: int
    loss: float
    cer: float
    wer: float


@dataclass(frozen=True)
class CtcOutcome:
    """A finished training.

    ``cer`` and ``wer`` are those of held-out utterances with the best epoch's weights, which are
    in ``folder``: the likeliest unit of each frame, no language model. The epoch was chosen by
    them, so they are a little too good. ``hours`` is what was learnt from.
    """

    folder: Path
    recipe: str
    parameters: int
    epochs: int
    best_epoch: int
    cer: float
    wer: float
    history: tuple[CtcEpoch, ...]
    utterances: int
    speakers: int
    hours: float
    held_out_utterances: int
    language_words: int | None
    seconds: float
    problems: tuple[Problem, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        problems = [str(problem) for problem in self.problems]
        return {**asdict(self), "folder": str(self.folder), "problems": problems}
