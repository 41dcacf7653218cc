"""What a training run reports."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pseudovoice.errors import Problem


@dataclass(frozen=True)
class ErrorRate:
    """An EER (fraction), its 95 % interval over speakers, and on how many trials it rests."""

    value: float
    low: float | None
    high: float | None
    n_mated: int
    n_nonmated: int


@dataclass(frozen=True)
class Epoch:
    """One pass: mean loss, share of pieces given to the right class, EER of held-out speakers."""

    number: int
    loss: float
    accuracy: float
    eer: float


@dataclass(frozen=True)
class TrainingOutcome:
    """A finished training.

    ``before`` is the EER of held-out speakers with the weights training started from, ``after``
    that of the best epoch, whose weights are in ``model``. The best epoch is chosen on the same
    speakers, so ``after`` is a little too good; ``best_epoch`` 0 means that training did not help.
    """

    model: Path
    kind: str
    dimension: int
    parameters: int
    epochs: int
    best_epoch: int
    before: ErrorRate
    after: ErrorRate
    history: tuple[Epoch, ...]
    speakers: int
    utterances: int
    held_out_speakers: int
    held_out_utterances: int
    seconds: float
    problems: tuple[Problem, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        problems = [str(problem) for problem in self.problems]
        return {**asdict(self), "model": str(self.model), "problems": problems}
