"""The attack and assess stage: one safeguard on one set, heard through all recognisers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pseudovoice.assessment.assess import Assessment, assess_scores
from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.speakers import SpeakerRow
from pseudovoice.corpus import Corpus
from pseudovoice.errors import Problem
from pseudovoice.models.cache import cache_directory
from pseudovoice.page.gather import Findings, Reported, report_on
from pseudovoice.page.pictures import parts_of
from pseudovoice.recognition.assess import AudioAssessment, Material, Recogniser, assess_audio
from pseudovoice.recognition.encoders.encoder import Encoder
from pseudovoice.recognition.store import EmbeddingStore
from pseudovoice.study.plan import Plan, SafeguardPlan

DISTORTIONS = ("c_ece_linear", "c_ece_isotonic")


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
    """The corpora of the stage; see `pseudovoice.recognition.assess.Material`.

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
        )
        assessed = self._assess(material, recogniser, resample=True)
        if speech.another is not None:
            # The same comparisons on the other run; only its scores count, so nothing is resampled.
            other = self._assess(
                Material(speech.original, speech.another), recogniser, resample=False
            )
            assessed = self._with_distortion(assessed, other)
        assessed = self._wanted(assessed)
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

    def _assess(
        self, material: Material, recogniser: Recogniser, *, resample: bool
    ) -> AudioAssessment:
        store = EmbeddingStore(cache_directory() / "embeddings.sqlite")
        try:
            return assess_audio(
                material,
                self.encoders(),
                recogniser=recogniser,
                store=store,
                keep_counts=cache_directory() / "counts",
                workers=self.workers,
                oracle_key="oracle-key" in self.plan.attackers,
                by_gender=self.plan.genders,
                similarity=self.plan.similarity,
                replicates=self.plan.replicates if resample else 0,
                permutations=self.plan.permutations if resample else 0,
                seed=self.plan.seed,
                progress=self.say,
            )
        finally:
            store.close()

    def _with_distortion(self, ours: AudioAssessment, other: AudioAssessment) -> AudioAssessment:
        """Add C_ECE of OP (noe2022 Eq. 15–16): calibrated on the other run, used on ours."""
        parts = dict(ours.parts)
        added: list[Row] = []
        for (name, group), part in ours.parts.items():
            f0 = other.parts.get((name, group))
            if "op" not in part.conditions or f0 is None or "op" not in f0.conditions:
                continue
            self.say(f"calibrating {group} on another run ({name})", 0, 0)
            rows = self._distortion(part, f0)
            parts[(name, group)] = replace(part, rows=part.rows + rows)
            added += [replace(row, group=group) for row in rows]
        whole = replace(ours.whole, rows=ours.whole.rows + tuple(added))
        return replace(ours, parts=parts, whole=whole)

    def _distortion(self, part: Assessment, f0: Assessment) -> tuple[Row, ...]:
        both = assess_scores(
            {"op": part.conditions["op"].scores},
            f0={"op": f0.conditions["op"].scores},
            attackers={"op": part.row("op", "d_ece").attacker},
            similarity=self.plan.similarity,
            replicates=self.plan.replicates,
            permutations=self.plan.permutations,
            seed=self.plan.seed,
        )
        return tuple(row for row in both.rows if row.metric in DISTORTIONS)

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
