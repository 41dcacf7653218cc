"""The ear of an attacker who trains one: the stage between its training speech and its attack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pseudovoice.encoders.encoder import Encoder
from pseudovoice.errors import Problem
from pseudovoice.models.cache import sha256_of
from pseudovoice.private import private_folder
from pseudovoice.protection.protect import Protected
from pseudovoice.report.filename import harmless_name
from pseudovoice.study import rates
from pseudovoice.study.protecting import Protection
from pseudovoice.study.tools import Tools
from pseudovoice.training.ear import EARS, MODEL_FILE, ear_mark, has_learnt, need_ear, train_ear


@dataclass(frozen=True)
class LearntEar:
    """What is kept of a training: the hash of its network."""

    sha256: str


@dataclass(frozen=True)
class Ear:
    """The encoder that has learnt; its training speech has said what was wrong with it."""

    kind: str
    encoder: Encoder
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class EarWork:
    """Needs the attacker's protected training speech, of which ``training`` is the run.

    ``ear`` is a name in `pseudovoice.training.ear`.
    """

    ear: str
    training: Protection
    under: Path

    kind: ClassVar[str] = "ear"
    record: ClassVar[type[Any]] = LearntEar

    @property
    def title(self) -> str:
        return (
            f"train {EARS[self.ear].name} on {self.training.corpus.name} under {self.training.name}"
        )

    @property
    def place(self) -> Path:
        mark = ear_mark(self.ear, self.training.place.name)
        return self.under / f"ear-{harmless_name(self.training.name)}-{mark}"

    def inputs(self) -> dict[str, Any] | None:
        return {"recipe": EARS[self.ear].recipe.to_dict()}

    def check(self) -> None:
        """Say that training is not possible before anything is protected for it."""
        need_ear(self.ear, self.place)

    def seconds(self, workers: int) -> tuple[float, str]:
        return rates.learning(
            len(self.training.corpus.speakers), EARS[self.ear].recipe, workers
        ), ""

    def stands(self, _kept: LearntEar) -> bool:
        return has_learnt(self.place)

    def make(
        self, tools: Tools, needed: Sequence[Any], kept: LearntEar | None
    ) -> tuple[Ear, LearntEar]:
        """Train, from where an earlier run was stopped if there is one."""
        (speech,) = needed
        assert isinstance(speech, Protected)
        private_folder(self.place)
        heard = train_ear(
            self.ear, speech.corpus, self.place, threads=tools.workers, progress=tools.say
        )
        made = LearntEar(sha256_of(self.place / MODEL_FILE))
        return Ear(self.ear, heard), kept if kept == made else made
