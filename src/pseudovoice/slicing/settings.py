"""How a corpus is sliced, and what may be said of it in public."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pseudovoice.choices import LEAST_CONFIDENCE


@dataclass(frozen=True)
class Slicing:
    """Target duration δ in seconds, method, and whether neighbours share their silence.

    ``trim`` is what is left out on either side of a cut, in seconds.
    """

    duration: float = 1.0
    method: str = "words"
    overlap: bool = False
    trim: float = 0.0
    least_confidence: float = LEAST_CONFIDENCE

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)
