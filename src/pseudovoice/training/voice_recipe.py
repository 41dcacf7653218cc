"""How a neural voice is trained: every choice that changes the network."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pseudovoice.errors import UsageError

COARSE_DILATIONS = (1, 2, 4, 8, 1, 2, 4, 1)
"""Of layers at 24 ms a frame: each output hears 1.2 s of content."""
FINE_DILATIONS = (1, 2, 1)
FINE_KERNEL = 5


@dataclass(frozen=True)
class VoiceRecipe:
    """The choices of a training; the same recipe, corpora and pool give the same network.

    ``narrow``: numbers that content is squeezed into, each of which has ``levels`` levels.
    ``width`` and ``fine``: channels at 24 and at 8 ms a frame, ``voice`` of the target's.
    ``epochs`` are of ``steps`` steps, each of ``batch`` stretches of ``seconds``. ``spread``: price
    of a spread over time that is not that of speech, which plain averages lack. ``unlearn``: price
    of a nat that a critic tells of the speaker from content; at 0 it only listens. ``hear``:
    price of what a listener hears otherwise than it was said; ``recall``: of content that what
    passed cannot tell any more. ``blur`` is added to targets, so that those which nobody had are
    spoken too. ``half``: multiply in bfloat16, in half the time.
    """

    width: int = 256
    fine: int = 160
    narrow: int = 12
    levels: int = 3
    voice: int = 128
    epochs: int = 40
    steps: int = 250
    seed: int = 0
    batch: int = 12
    seconds: float = 2.2
    rate: float = 2e-3
    weight_decay: float = 0.02
    spread: float = 0.15
    unlearn: float = 0.0
    hear: float = 0.5
    recall: float = 0.2
    blur: float = 0.3
    half: bool = True

    def __post_init__(self) -> None:
        least = {
            "width": 8,
            "fine": 8,
            "narrow": 4,
            "voice": 8,
            "epochs": 1,
            "steps": 1,
            "batch": 1,
        }
        for name, smallest in least.items():
            if getattr(self, name) < smallest:
                raise UsageError(f"{name} must be at least {smallest}, not {getattr(self, name)}.")
        if self.levels < 3 or not self.levels % 2:
            raise UsageError(f"levels must be an odd number from 3 up, not {self.levels}.")
        for name in ("seconds", "rate"):
            if not getattr(self, name) > 0.0:
                raise UsageError(f"{name} must be greater than 0, not {getattr(self, name)}.")
        for name in ("spread", "unlearn", "hear", "recall", "blur", "weight_decay"):
            if getattr(self, name) < 0.0:
                raise UsageError(f"{name} must not be negative, and is {getattr(self, name)}.")

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
