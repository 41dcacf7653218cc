"""The attack and assess stage: one safeguard on one set, heard through all recognisers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.speakers import SpeakerRow
from pseudovoice.attacks.assess import AudioAssessment, Material, Recogniser, assess_audio
from pseudovoice.corpus import Corpus
from pseudovoice.embeddings.store import EmbeddingStore
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.errors import Problem
from pseudovoice.models.cache import private_cache
from pseudovoice.page.gather import Findings, Reported, report_on
from pseudovoice.page.pictures import parts_of
from pseudovoice.study.plan import Plan, SafeguardPlan


@dataclass(frozen=True)
class Part:
    """The rows of one attacker with one recogniser on one group of speakers."""

    attacker: str
    encoder: str
    group: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Assessed:
    """What the stage found, as it is kept."""

    reported: Reported
    parts: tuple[Part, ...]
    rows: tuple[Row, ...]
    speakers: tuple[SpeakerRow, ...]
    provenance: dict[str, Any]
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class Speech:
    """The corpora of the stage; see `pseudovoice.attacks.assess.Material`.

    ``another`` is another run of the safeguard, the lazy-informed attacker's speech and what
    calibration is learnt on; None for a deterministic safeguard, whose every run is ``protected``.
    """

    original: Corpus
    protected: Corpus
    another: Corpus | None
    attacker_training: Corpus | None


@dataclass(frozen=True)
class Assessor:
    """What all assessments of a study share."""

    plan: Plan
    encoders: Callable[[], Sequence[Encoder]]
    workers: int | None
    say: Callable[[str, int, int], None]

    def __call__(
        self,
        safeguard: SafeguardPlan,
        speech: Speech,
        recogniser: Recogniser,
        described: dict[str, Any],
        key: str | None,
    ) -> Assessed:
        """Attack, assess, and put into words; ``key`` is the identifier of the key."""
        informed = {"lazy", "semi"} & set(self.plan.attackers)
        material = Material(
            speech.original,
            speech.protected,
            (speech.another or speech.protected) if informed else None,
            speech.attacker_training,
            speech.another,
        )
        assessed = self._wanted(self._assess(material, recogniser))
        deterministic = speech.another is None
        findings = Findings(safeguard.name, assessed, described, deterministic, key)
        parts = tuple(
            Part(attacker, encoder, group, part.rows)
            for attacker, encoder, group, part in parts_of(assessed)
        )
        return Assessed(
            report_on(findings),
            parts,
            assessed.whole.rows,
            assessed.whole.speakers,
            assessed.whole.provenance,
            assessed.problems,
        )

    def _assess(self, material: Material, recogniser: Recogniser) -> AudioAssessment:
        store = EmbeddingStore(private_cache() / "embeddings.sqlite")
        try:
            return assess_audio(
                material,
                self.encoders(),
                recogniser=recogniser,
                store=store,
                keep_counts=private_cache("counts"),
                workers=self.workers,
                oracle_key="oracle-key" in self.plan.attackers,
                by_gender=self.plan.genders,
                similarity=self.plan.similarity,
                replicates=self.plan.replicates,
                permutations=self.plan.permutations,
                seed=self.plan.seed,
                progress=self.say,
            )
        finally:
            store.close()

    def _wanted(self, assessed: AudioAssessment) -> AudioAssessment:
        """Only attackers of the plan; who trains also protects, but may not be asked for."""
        unwanted = {"lazy", "semi"} - set(self.plan.attackers)
        if "lazy" not in unwanted or "semi" in unwanted:
            return assessed
        whole = replace(
            assessed.whole,
            rows=tuple(r for r in assessed.whole.rows if "lazy-informed, " not in r.attacker),
            speakers=tuple(r for r in assessed.whole.speakers if "lazy, " not in r.attacker),
        )
        return replace(
            assessed,
            whole=whole,
            parts={k: v for k, v in assessed.parts.items() if not k[0].startswith("lazy, ")},
            attacks=tuple(a for a in assessed.attacks if a.attacker != "lazy"),
        )
