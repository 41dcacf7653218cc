"""The utility stage: what protected speech is still good for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pseudovoice.asr.recogniser import SpeechRecogniser
from pseudovoice.corpus import Corpus
from pseudovoice.errors import Problem
from pseudovoice.models.cache import private_cache
from pseudovoice.study.plan import Plan, UtilityPlan
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


def measure(
    plan: Plan,
    wanted: UtilityPlan,
    original: Corpus,
    protected: Corpus,
    recogniser: SpeechRecogniser | None,
    workers: int | None,
    say: Callable[[str, int, int], None],
) -> MeasuredUtility:
    """Measure what the plan asks for."""
    store = MeasureStore(private_cache() / "utility.sqlite")
    try:
        found = assess_utility(
            original,
            protected,
            recogniser=recogniser,
            measures=wanted.measures,
            reference=wanted.reference,
            limit_per_speaker=wanted.utterances,
            store=store,
            workers=workers,
            by_gender=plan.genders,
            replicates=plan.replicates,
            seed=plan.seed,
            progress=say,
        )
    finally:
        store.close()
    return MeasuredUtility(found.rows, found.notes, found.provenance, found.problems)
