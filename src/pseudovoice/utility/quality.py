"""Speech quality: what predicts it, with no listener and no reference.

A number of this kind compares two versions of the same recordings; it is not to be quoted by
itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from numpy.typing import NDArray


@dataclass(frozen=True)
class Quality:
    """Predicted mean opinion scores, about 1 (bad) to 5 (excellent); higher is better."""

    sig: float
    bak: float
    ovrl: float


@runtime_checkable
class QualityPredictor(Protocol):
    """Something that rates a waveform; ``sha256`` identifies it in the cache and the report."""

    @property
    def name(self) -> str: ...
    @property
    def sample_rate(self) -> int: ...
    @property
    def licence(self) -> str: ...
    @property
    def sha256(self) -> str: ...

    def rate(self, samples: NDArray[Any]) -> Quality:
        """The scores of one waveform (mono, floats in ±1); may be called from several threads."""
        ...
