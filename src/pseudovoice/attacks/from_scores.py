"""An assessment of scores as the attacks it is: ignorant (OP) and lazy-informed (PQ)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pseudovoice.assessment.assess import Assessment
from pseudovoice.attacks.assess import AudioAssessment
from pseudovoice.attacks.lazy import LAZY
from pseudovoice.attacks.registry import BASE
from pseudovoice.attacks.result import result_of
from pseudovoice.errors import Problem

ELSEWHERE = "a recogniser elsewhere"
"""Whose scores they are: files do not say."""


def attacks_of(assessment: Assessment, problems: Sequence[Problem] = ()) -> AudioAssessment:
    """What pages take. Without OO there is no control, and so no attack to speak of."""
    results = []
    for who in (BASE, LAZY.attacker):
        if who.condition not in assessment.conditions:
            continue
        wanted = {"oo", who.condition, *({"pp"} if who == BASE else ())}
        part = replace(
            assessment,
            rows=tuple(row for row in assessment.rows if row.condition in wanted),
            speakers=tuple(row for row in assessment.speakers if row.condition in wanted),
            conditions={n: c for n, c in assessment.conditions.items() if n in wanted},
        )
        # Whether scores are likelihood ratios, files do not say either.
        results.append(result_of(who, ELSEWHERE, "all", part, llrs=False))
    told = {**assessment.provenance, "comparison": ELSEWHERE}
    return AudioAssessment(replace(assessment, provenance=told), tuple(results), tuple(problems))
