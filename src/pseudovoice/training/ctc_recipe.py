"""What is trained and how: every choice that changes the network, checked before work begins."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pseudovoice.errors import UsageError


@dataclass(frozen=True)
class Shape:
    """A network: what it hears, and its layers.

    The first layer looks at ``kernel`` frames and makes one of ``stride``; each of ``dilations`` is
    a layer that looks at three frames so far apart.
    """

    front_end: str
    width: int
    kernel: int
    stride: int
    dilations: tuple[int, ...]


SHAPES = {
    # A frozen encoder has looked at the whole utterance already; its head is small.
    "head": Shape("moonshine-base", 256, 1, 1, (1, 2)),
    # 100 frames a second become 33, and each output sees 1.3 s around it.
    "scratch": Shape("fbank", 128, 5, 3, (1, 1, 2, 2, 4, 4)),
}
RECIPES: tuple[str, ...] = tuple(SHAPES)

_EPOCHS = {"head": 12, "scratch": 20}
_RATES = {"head": 2e-3, "scratch": 3e-3}


@dataclass(frozen=True)
class CtcRecipe:
    """The choices of a training; the same recipe and corpus give the same network.

    ``recipe``: ``head``, a small network on frames of Moonshine's encoder, which stays as it is, or
    ``scratch``, a compact network on log-mel energies. ``width``, ``epochs`` and ``rate`` (the
    highest learning rate) are the recipe's own if None. ``batch``: seconds of speech in a step.
    ``masks``: stretches of frames hidden in each utterance.
    """

    recipe: str = "head"
    width: int | None = None
    epochs: int | None = None
    seed: int = 0
    rate: float | None = None
    batch: float = 20.0
    dropout: float = 0.2
    weight_decay: float = 0.01
    masks: int = 2

    def __post_init__(self) -> None:
        if self.recipe not in SHAPES:
            raise UsageError(f"There is no recipe {self.recipe!r}; name {' or '.join(RECIPES)}.")
        for name, least in (("width", 8), ("epochs", 1), ("seed", 0), ("masks", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise UsageError(f"{name} must be at least {least}, not {value}.")
        for name in ("rate", "batch"):
            value = getattr(self, name)
            if value is not None and not value > 0.0:
                raise UsageError(f"{name} must be greater than 0, not {value}.")
        if not 0.0 <= self.dropout < 1.0:
            raise UsageError(f"dropout must be from 0 to 1, not {self.dropout}.")

    @property
    def shape(self) -> Shape:
        return SHAPES[self.recipe]

    def filled(self) -> CtcRecipe:
        """The same recipe with all its numbers."""
        return CtcRecipe(
            **(
                asdict(self)
                | {
                    "width": self.width or self.shape.width,
                    "epochs": self.epochs or _EPOCHS[self.recipe],
                    "rate": self.rate or _RATES[self.recipe],
                }
            )
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
