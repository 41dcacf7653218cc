"""What the results of each stage depend on; a stage's name is the hash of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pseudovoice.encoders.registry import ENCODER_NAMES, load_encoder
from pseudovoice.study.plan import Plan, SafeguardPlan, UtilityPlan


@dataclass(frozen=True)
class ProtectedRun:
    """A finished protection: the fingerprint of what it wrote, and how many utterances."""

    fingerprint: str
    utterances: int


def assess_inputs(
    plan: Plan, safeguard: SafeguardPlan, corpora: Mapping[str, str | None], key: str | None
) -> dict[str, Any]:
    """Of the attack and assess stage; ``corpora`` are fingerprints, ``key`` an identifier."""
    return {
        "safeguard": asdict(safeguard),
        "corpora": dict(corpora),
        "key": key,
        "encoders": [encoder_mark(name) for name in plan.encoders],
        "comparison": [plan.comparison.backend, plan.comparison.as_norm],
        "attackers": sorted(plan.attackers),
        "genders": plan.genders,
        "similarity": plan.similarity,
        "replicates": plan.replicates,
        "permutations": plan.permutations,
        "seed": plan.seed,
    }


def utility_inputs(
    plan: Plan, wanted: UtilityPlan, corpora: Mapping[str, str | None]
) -> dict[str, Any]:
    """Of the utility stage."""
    return {
        "corpora": {name: corpora[name] for name in ("original", "protected")},
        "wanted": asdict(wanted),
        "genders": plan.genders,
        "replicates": plan.replicates,
        "seed": plan.seed,
    }


def encoder_mark(name: str) -> str:
    """A recogniser by name where its weights are pinned by this version, else by its hash."""
    parts = name.removeprefix("fusion:").split("+")
    if all(part in ENCODER_NAMES for part in parts):
        return name
    return f"{name} {load_encoder(name).sha256}"
