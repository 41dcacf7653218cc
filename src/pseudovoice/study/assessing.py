"""The attack and assess stage: one safeguard on one set, heard through all encoders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Literal

from pseudovoice.assessment.metric_packages import metric_marks
from pseudovoice.attacks.assess import AudioAssessment, Statistics, assess_audio
from pseudovoice.attacks.material import Material, Scoring
from pseudovoice.attacks.registry import attacker
from pseudovoice.corpus import Corpus
from pseudovoice.models.cache import private_cache
from pseudovoice.protection.known_pairs import known_utterances
from pseudovoice.study import rates
from pseudovoice.study.stage import Computation
from pseudovoice.study.told import genders_told, labels_told
from pseudovoice.study.tools import Tools, encoder_mark

Part = Literal["protected", "another", "training", "try", "undone", "release", "fitted", "ear"]
"""What a run is to an assessment: the fields of :class:`~pseudovoice.attacks.material.Material`."""


@dataclass(frozen=True)
class AssessWork(Computation):
    """Needs the runs that ``parts`` names: the protected speech first, and those of the attackers.

    ``content`` are the fingerprints of the corpora that no other stage makes, and of lists. With
    ``scores`` the result has the scores too, which are not kept: they are computed each time.
    ``repeatable`` says that an attacker can run the safeguard too. What is heard of the originals
    is kept after the ``first`` time.
    """

    set: str
    safeguard: str
    original: Corpus
    scoring: Scoring
    attackers: tuple[str, ...]
    encoders: tuple[str, ...]
    by_gender: bool
    statistics: Statistics
    content: dict[str, str | None] = field(hash=False)
    scores: bool = False
    parts: tuple[Part, ...] = ("protected",)
    known_pairs: int = 0
    repeatable: bool = True
    first: bool = True

    kind: ClassVar[str] = "assess"
    record: ClassVar[type[Any]] = AudioAssessment

    @property
    def title(self) -> str:
        return f"attack and assess {self.set} under {self.safeguard}"

    def inputs(self) -> dict[str, Any] | None:
        if None in self.content.values():
            return None
        return {
            "corpora": self.content,
            "encoders": [encoder_mark(name) for name in self.encoders],
            "comparison": str(self.scoring),
            "attackers": sorted(self.attackers),
            "genders": genders_told(self.original) if self.by_gender else None,
            **({"labels": labels_told(self.original)} if self._infers else {}),
            "statistics": asdict(self.statistics),
            **({"known_pairs": self.known_pairs} if self.known_pairs else {}),
            **({"metrics": marks} if (marks := metric_marks()) else {}),
        }

    @property
    def _infers(self) -> bool:
        return any(attacker(name).infers for name in self.attackers)

    def seconds(self, workers: int) -> tuple[float, str]:
        versions = self.first + sum(part not in ("training", "ear") for part in self.parts)
        embed = rates.embedding(versions * rates.hours_of(self.original), self.encoders, workers)
        groups = 1
        if self.by_gender and self.scoring.lists is None:
            groups += len({g for g in self.original.genders.values() if g})
        resampled = (self.statistics.replicates + self.statistics.permutations) / 800
        parts = groups * len(self.encoders) * (len(self.attackers) + 1)
        each = rates.assessing(len(self.original.speakers))
        return embed + parts * each * resampled, ""

    def stands(self, _kept: AudioAssessment) -> bool:
        return not self.scores

    def make(
        self, tools: Tools, needed: Sequence[Any], kept: AudioAssessment | None
    ) -> tuple[AudioAssessment, AudioAssessment]:
        if not self.scores:
            return super().make(tools, needed, kept)
        made = self.compute(tools, *needed)
        return made, kept or replace(made)

    def compute(self, tools: Tools, *needed: Any) -> AudioAssessment:
        """A deterministic safeguard has no other run: the attacker's speech is what is released."""
        made: dict[Part, list[Any]] = {}
        for part, one in zip(self.parts, needed, strict=True):
            made.setdefault(part, []).append(one)

        def several(part: Part) -> tuple[Corpus, ...]:
            return tuple(one.corpus for one in made.get(part, ()))

        def only(part: Part) -> Corpus | None:
            return next(iter(several(part)), None)

        (protected,) = several("protected")
        informed = any(attacker(name).protects for name in self.attackers)
        material = Material(
            self.original,
            protected,
            (only("another") or (protected if self.repeatable else None)) if informed else None,
            only("training"),
            only("another"),
            several("try"),
            several("undone"),
            several("release"),
            only("fitted"),
            known_utterances(self.original, self.known_pairs),
            ears={one.kind: one.encoder for one in made.get("ear", ())},
        )
        with tools.embeddings() as store:
            return assess_audio(
                material,
                tools.encoders(self.encoders),
                attackers=self.attackers,
                scoring=self.scoring,
                store=store,
                keep_counts=private_cache("counts"),
                workers=tools.workers,
                by_gender=self.by_gender,
                similarity=self.statistics.similarity,
                replicates=self.statistics.replicates,
                permutations=self.statistics.permutations,
                seed=self.statistics.seed,
                known=tools.conditions,
                progress=tools.say,
            )
