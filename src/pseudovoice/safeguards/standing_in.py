"""A safeguard that stands in for another: it bears its name, and differs in what it says itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pseudovoice.safeguards.safeguard import Safeguard

Of = TypeVar("Of", bound=Safeguard, covariant=True)


@dataclass(frozen=True)
class StandingIn(Generic[Of]):
    """Everything by which ``safeguard`` is known."""

    safeguard: Of

    @property
    def name(self) -> str:
        return self.safeguard.name

    @property
    def reference(self) -> str:
        return self.safeguard.reference

    @property
    def deterministic(self) -> bool:
        return self.safeguard.deterministic

    @property
    def keeps_timing(self) -> bool:
        return bool(getattr(self.safeguard, "keeps_timing", True))

    @property
    def level(self) -> str:
        return self.safeguard.level

    def to_dict(self) -> dict[str, Any]:
        return self.safeguard.to_dict()
