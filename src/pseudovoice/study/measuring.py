"""The utility stage: what protected speech is still good for."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from pseudovoice.corpus import Corpus
from pseudovoice.errors import Problem
from pseudovoice.models.cache import private_cache
from pseudovoice.study import rates
from pseudovoice.study.plan import UtilityPlan
from pseudovoice.study.stage import Computation
from pseudovoice.study.told import genders_told, words_told
from pseudovoice.study.tools import Tools
from pseudovoice.utility.assess import assess_utility
from pseudovoice.utility.rows import UtilityRow
from pseudovoice.utility.store import MeasureStore


@dataclass(frozen=True)
class MeasuredUtility:
    """What the stage found, as it is kept; what people said is not in it."""

    rows: tuple[UtilityRow, ...]
    notes: tuple[str, ...]
    provenance: dict[str, Any]
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class MeasureWork(Computation):
    """Needs the protected speech; of the originals all is kept after the ``first`` time."""

    set: str
    safeguard: str
    original: Corpus
    content: str | None
    wanted: UtilityPlan
    by_gender: bool
    replicates: int
    seed: int
    first: bool = True

    kind: ClassVar[str] = "utility"
    record: ClassVar[type[Any]] = MeasuredUtility

    @property
    def title(self) -> str:
        return f"measure {', '.join(self.wanted.measures)} of {self.set} under {self.safeguard}"

    def inputs(self) -> dict[str, Any] | None:
        if self.content is None:
            return None
        return {
            "original": self.content,
            "wanted": asdict(self.wanted),
            "genders": genders_told(self.original) if self.by_gender else None,
            "words": words_told(self.original) if "words" in self.wanted.measures else None,
            "replicates": self.replicates,
            "seed": self.seed,
        }

    def seconds(self, workers: int) -> tuple[float, str]:
        corpus = self.original
        most = len(corpus) if self.wanted.utterances is None else self.wanted.utterances
        taken = sum(min(most, len(mine)) for mine in corpus.speakers.values())
        seconds = rates.measuring(
            corpus,
            taken / len(corpus),
            self.wanted.measures,
            self.wanted.recogniser,
            first=self.first,
            workers=workers,
        )
        return seconds, ""

    def compute(self, tools: Tools, *needed: Any) -> MeasuredUtility:
        (protected,) = needed
        words = "words" in self.wanted.measures
        store = MeasureStore(private_cache() / "utility.sqlite")
        try:
            found = assess_utility(
                self.original,
                protected.corpus,
                recogniser=tools.recogniser(self.wanted.recogniser) if words else None,
                measures=self.wanted.measures,
                reference=self.wanted.reference,
                language=self.wanted.language,
                limit_per_speaker=self.wanted.utterances,
                store=store,
                workers=tools.workers,
                by_gender=self.by_gender,
                replicates=self.replicates,
                seed=self.seed,
                progress=tools.say,
            )
        finally:
            store.close()
        return MeasuredUtility(found.rows, found.notes, found.provenance, found.problems)
