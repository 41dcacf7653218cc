"""The demo: three safeguards on speech that installs by name, attacked, assessed and reported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pseudovoice.demo.equipment import Equipment
from pseudovoice.demo.speech import DemoSpeech
from pseudovoice.study import Outcome, Plan, SafeguardPlan, SetPlan, UtilityPlan, run_plan

UTTERANCES_MEASURED = 2
"""Utterances of each speaker whose words and melody are measured: words take time, and the demo has
few minutes."""


ATTACKERS = ("ignorant", "lazy", "adaptive", "gathering", "attributes")
"""Those who need nothing but the recordings; who trains needs other people's speech, and hours."""

TRIES = 2
"""Voices that are tried on; each protects everything twice more, which is what takes time."""


def demo_plan(speech: DemoSpeech, equipment: Equipment, *, include_originals: bool = False) -> Plan:
    """The plan of the demo; `pseudovoice run` can repeat it from the report's plan.yaml."""
    who = f"{len(speech.corpus.speakers)} {'synthetic voices' if speech.synthetic else 'speakers'}"
    return Plan(
        title=f"Demo: three safeguards for {who}",
        sets=(SetPlan("demo", (speech.corpus.root,), layout="table"),),
        safeguards=tuple(
            SafeguardPlan(text.partition(":")[0], text) for text in equipment.safeguards
        ),
        attackers=ATTACKERS,
        tries=TRIES,
        utility=UtilityPlan(
            measures=equipment.measures,
            utterances=UTTERANCES_MEASURED,
            # There are no transcripts, and the recogniser knows English only.
            reference="original-english",
        ),
        genders=False,
        include_originals=include_originals,
        note=" ".join((speech.note, *equipment.missing)),
    )


def run_demo(
    speech: DemoSpeech,
    equipment: Equipment,
    out: Path,
    *,
    include_originals: bool = False,
    workers: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Outcome:
    """Protect, attack, assess, measure and write the report into ``out``."""
    plan = demo_plan(speech, equipment, include_originals=include_originals)
    return run_plan(plan, out, progress=progress, workers=workers)
