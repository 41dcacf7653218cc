"""Speech that was protected elsewhere, as the first stage of what is done with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pseudovoice.corpus import Corpus
from pseudovoice.protection.protect import Protected
from pseudovoice.study.protecting import ProtectedRun
from pseudovoice.study.tools import Tools


@dataclass(frozen=True)
class GivenProtection:
    """A protected corpus as it is, by the fingerprint of its content."""

    corpus: Corpus
    fingerprint: str

    kind: ClassVar[str] = "given"
    record: ClassVar[type[Any]] = ProtectedRun

    @property
    def title(self) -> str:
        return f"read {self.corpus.name}"

    def inputs(self) -> dict[str, Any]:
        return {"corpus": self.fingerprint}

    def seconds(self, _workers: int) -> tuple[float, str]:
        return 0.0, ""

    def stands(self, _kept: ProtectedRun) -> bool:
        return True

    def make(
        self, _tools: Tools, _needed: Sequence[Any], kept: ProtectedRun | None
    ) -> tuple[Protected, ProtectedRun]:
        made = ProtectedRun(self.fingerprint, len(self.corpus))
        return Protected(self.corpus, (), 0, len(self.corpus)), made if kept is None else kept
