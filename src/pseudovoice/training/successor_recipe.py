"""What a training of the successor network depends on, and what it reports."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pseudovoice.errors import Problem, UsageError

POOLINGS = ("cut", "whole")


@dataclass(frozen=True)
class SuccessorRecipe:
    """The choices of a training run; the same recipe and slices give the same network.

    ``width``: channels of the frame layers; the paper's 512 wants a GPU. ``pooling``: ``whole``
    takes statistics over the joined slices as the x-vector does, ``cut`` also over the sixteen
    frames at the cut alone, where all evidence of continuity is. ``augment`` gives both slices of
    a pair another level and another microphone, the same to both.
    """

    width: int = 64
    epochs: int = 30
    seed: int = 0
    batch: int = 64
    rate: float = 2e-3
    weight_decay: float = 0.01
    pooling: str = "cut"
    augment: bool = True

    def __post_init__(self) -> None:
        for name, least in (("width", 8), ("epochs", 1), ("seed", 0), ("batch", 2)):
            if getattr(self, name) < least:
                raise UsageError(f"{name} must be at least {least}, not {getattr(self, name)}.")
        if not self.rate > 0.0:
            raise UsageError(f"rate must be greater than 0, not {self.rate}.")
        if self.pooling not in POOLINGS:
            raise UsageError(
                f"There is no pooling {self.pooling!r}; choose from {', '.join(POOLINGS)}."
            )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class PairAccuracy:
    """How well pairs of held-out speakers are told apart, half of them successive.

    ``loss`` is the mean cross-entropy (nats; ln 2 knows nothing), ``value`` the share of right
    decisions with its 95 % interval over speakers; then that share among successive pairs, others
    of one speaker and pairs of two speakers.
    """

    loss: float
    value: float
    low: float | None
    high: float | None
    successive: float
    same_speaker: float
    other_speaker: float
    pairs: int


@dataclass(frozen=True)
class SuccessorEpoch:
    """One pass: mean loss and share of right decisions on training pairs, loss on held-out ones."""

    number: int
    loss: float
    accuracy: float
    held_out_loss: float


@dataclass(frozen=True)
class SuccessorOutcome:
    """A finished training; ``model`` holds the weights of the best epoch.

    That epoch is chosen on the held-out pairs, so ``after`` is a little too good; ``best_epoch`` 0
    means that training did not help.
    """

    model: Path
    parameters: int
    epochs: int
    best_epoch: int
    before: PairAccuracy
    after: PairAccuracy
    history: tuple[SuccessorEpoch, ...]
    slices: int
    successive: int
    speakers: int
    held_out_speakers: int
    seconds: float
    problems: tuple[Problem, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        problems = [str(problem) for problem in self.problems]
        return {**asdict(self), "model": str(self.model), "problems": problems}
