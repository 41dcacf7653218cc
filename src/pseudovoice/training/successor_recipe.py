"""What a training of the successor network depends on, and what it reports."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pseudovoice.errors import Problem, UsageError

if TYPE_CHECKING:  # options are known before anything heavy is loaded
    from pseudovoice.reassembly.decisions import Decisions

_WIDTHS = {"cut": 64, "xvector": 512}
NETWORKS = tuple(_WIDTHS)


@dataclass(frozen=True)
class SuccessorRecipe:
    """The choices of a training run; the same recipe and slices give the same network.

    ``network``: ``cut`` is ours, which hears half a second on either side of the cut and looks at
    the frames there again; ``xvector`` is the paper's, which pools over the joined slices as a
    whole. ``width``: channels of the frame layers; None is 64 for the first, and the paper's 512
    for the second. ``augment`` gives both slices of a pair another level and another microphone,
    the same to both.
    """

    network: str = "cut"
    width: int | None = None
    epochs: int = 30
    seed: int = 0
    batch: int = 64
    rate: float = 2e-3
    weight_decay: float = 0.01
    augment: bool = True

    def __post_init__(self) -> None:
        for name, least in (("width", 8), ("epochs", 1), ("seed", 0), ("batch", 2)):
            if (value := getattr(self, name)) is not None and value < least:
                raise UsageError(f"{name} must be at least {least}, not {value}.")
        if not self.rate > 0.0:
            raise UsageError(f"rate must be greater than 0, not {self.rate}.")
        if self.network not in NETWORKS:
            raise UsageError(
                f"There is no network {self.network!r}; choose from {', '.join(NETWORKS)}."
            )

    @property
    def channels(self) -> int:
        return _WIDTHS[self.network] if self.width is None else self.width

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
    means that training did not help. ``every_pair`` is the accuracy on all pairs of utterances of
    the held-out speakers, as the paper tests it.
    """

    model: Path
    parameters: int
    epochs: int
    best_epoch: int
    before: PairAccuracy
    after: PairAccuracy
    every_pair: Decisions
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
