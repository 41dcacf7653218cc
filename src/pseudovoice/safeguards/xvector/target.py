"""What a neural voice is told to sound like: a place among voices, and a pitch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

LOWEST_PITCH, HIGHEST_PITCH = 60.0, 400.0
NARROWEST, WIDEST = 0.03, 0.6
FARTHEST = 10.0
"""Standard deviations from the middle of all voices: nobody lies further out."""


@dataclass(frozen=True)
class Target:
    """A voice: its place (see ``Space``), its median F0 in Hz, and the spread of its log F0."""

    place: tuple[float, ...]
    pitch: float
    spread: float

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, numbers: dict[str, Any]) -> Target:
        """A target that was kept; ValueError or TypeError where it cannot have been one."""
        target = cls(**{**numbers, "place": tuple(numbers["place"])})
        limits = [(number, -FARTHEST, FARTHEST) for number in target.place]
        limits.append((target.pitch, LOWEST_PITCH, HIGHEST_PITCH))
        limits.append((target.spread, NARROWEST, WIDEST))
        for number, low, high in limits:
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise TypeError("a target has numbers")
            if not low <= number <= high:  # nor is NaN between them
                raise ValueError("a target of nobody")
        return target
