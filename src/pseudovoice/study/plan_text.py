"""A plan as the YAML that `read_plan` reads."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import yaml

from pseudovoice.study.plan import Plan, SetPlan


def plan_yaml(plan: Plan) -> str:
    """The plan as text; where the key lies is left out, since the text may be handed on."""
    written: dict[str, Any] = {"title": plan.title}
    if plan.note:
        written["note"] = plan.note
    written["sets"] = {one.name: _set(one) for one in plan.sets}
    written["safeguards"] = [
        one.chain if one.name == one.chain else {"name": one.name, "safeguard": one.chain}
        for one in plan.safeguards
    ]
    written["attackers"] = list(plan.attackers)
    if plan.attacker_training is not None:
        written["attacker_training"] = str(plan.attacker_training.absolute())
    written["encoders"] = list(plan.encoders)
    comparison = asdict(plan.comparison)
    training = plan.comparison.training
    comparison["training"] = None if training is None else str(training.absolute())
    written["comparison"] = comparison
    if plan.utility is None:
        written["utility"] = False
    else:
        utility = asdict(plan.utility)
        utility["measures"] = list(plan.utility.measures)
        utility["utterances"] = plan.utility.utterances or "all"
        written["utility"] = utility
    if plan.sliced:
        slices = asdict(plan.slices)
        slices["language_model"] = [str(p.absolute()) for p in plan.slices.language_model] or None
        written["slices"] = slices
    for name in (
        "genders",
        "similarity",
        "replicates",
        "permutations",
        "seed",
        "key_session",
        "figures",
        "clips",
        "include_originals",
    ):
        written[name] = getattr(plan, name)
    text: str = yaml.safe_dump(written, sort_keys=False, allow_unicode=True, width=100)
    return text


def _set(one: SetPlan) -> dict[str, Any]:
    paths = [str(path.absolute()) for path in one.corpus]
    written: dict[str, Any] = {"corpus": paths[0] if len(paths) == 1 else paths}
    if one.layout != "auto":
        written["layout"] = one.layout
    if one.only != "*":
        written["only"] = one.only
    for name in ("enrols", "trials"):
        if (path := getattr(one, name)) is not None:
            written[name] = str(path.absolute())
    return written
