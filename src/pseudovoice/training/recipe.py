"""What is trained and how: every choice that changes the result, checked before work begins."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pseudovoice.errors import UsageError

MODELS = ("xvector", "ecapa")

_WIDTHS = {"xvector": 512, "ecapa": 256}
_ECAPA_BANDS = 8
_RATE, _FINE_TUNING_RATE = 1e-3, 2e-4


@dataclass(frozen=True)
class Recipe:
    """The choices of a training run; the same recipe, corpus and start give the same network.

    ``width``: channels of the frame layers; None is 512 for x-vectors (Snyder et al. 2018) and 256
    for ECAPA (the paper's 1024 wants a GPU). ``crops``: pieces of 2 to 3 s that each speaker
    contributes to an epoch, however much speech there is of him. ``rate``: the highest learning
    rate; None is 1e-3, or a fifth of it when training starts from trained weights, which larger
    steps would forget. ``margin`` (radians) and ``scale`` are those of the AAM-softmax.
    ``gentle`` keeps what trained weights can: norms stay, and classes begin where their speakers
    are heard. ``voices_vary``: a speaker at another speed is still the same speaker, which is what
    an ear for pseudo-voices must learn; otherwise another one, which makes more speakers.
    ``half``: multiply in bfloat16, which takes less than half the time.
    """

    model: str = "xvector"
    width: int | None = None
    epochs: int = 30
    seed: int = 0
    batch: int = 64
    crops: int = 4
    rate: float | None = None
    weight_decay: float = 0.01
    margin: float = 0.2
    scale: float = 30.0
    augment: bool = True
    gentle: bool = False
    voices_vary: bool = False
    half: bool = False

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise UsageError(f"There is no model {self.model!r}; train {' or '.join(MODELS)}.")
        for name, least in (("epochs", 1), ("seed", 0), ("batch", 2), ("crops", 1)):
            if getattr(self, name) < least:
                raise UsageError(f"{name} must be at least {least}, not {getattr(self, name)}.")
        if self.width is not None and (self.width < _ECAPA_BANDS or self.width % _ECAPA_BANDS):
            raise UsageError(f"width must be a multiple of {_ECAPA_BANDS}, not {self.width}.")
        if not 0.0 <= self.margin < 1.0:
            raise UsageError(f"margin must be from 0 to 1 radian, not {self.margin}.")
        for name in ("scale", "rate"):
            if (value := getattr(self, name)) is not None and not value > 0.0:
                raise UsageError(f"{name} must be greater than 0, not {value}.")

    @property
    def channels(self) -> int:
        return _WIDTHS[self.model] if self.width is None else self.width

    def highest_rate(self, *, fine_tuning: bool) -> float:
        if self.rate is not None:
            return self.rate
        return _FINE_TUNING_RATE if fine_tuning else _RATE

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
