"""A plan as the YAML that `read_plan` reads."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec
import yaml

from pseudovoice.storage import address_of
from pseudovoice.study.plan import Plan, SafeguardPlan, SetPlan


def plan_yaml(plan: Plan) -> str:
    """The plan as text. It says where the key lies, if it does, and nothing of the key itself."""
    plain = msgspec.to_builtins(plan, enc_hook=_written)
    plain["sets"] = {one.pop("name"): _set(one) for one in plain["sets"]}
    plain["safeguards"] = [_safeguard(one) for one in plan.safeguards]
    if plan.utility is None:
        plain["utility"] = False
    elif plan.utility.utterances is None:
        plain["utility"]["utterances"] = "all"
    for name in ("language_model", "successors"):
        if not plain["slices"][name]:
            del plain["slices"][name]
    if not plan.speaks_of_slices:
        del plain["slices"]
    if not plan.rename:
        del plain["rename"]
    for name in plan.unused:
        del plain[name]
    if plan.engine == Plan.engine:
        del plain["engine"]
    if plan.asr_training is not None:
        said = plain["asr_training"]
        plain["asr_training"] = {name: value for name, value in said.items() if value is not None}
        if not plan.asr_training.language_model:
            del plain["asr_training"]["language_model"]
    for name in ("key_file", "note", "attacker_training", "asr_training"):
        if not plain[name]:
            del plain[name]
    text: str = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=100)
    return text


def _safeguard(one: SafeguardPlan) -> str | dict[str, Any]:
    if one.elsewhere:
        runs = {"protected": one.speech, "another_run": one.another}
        written = {name: [_written(path) for path in run] for name, run in runs.items()}
        return {"name": one.name, **{name: run for name, run in written.items() if run}}
    return one.chain if one.name == one.chain else {"name": one.name, "safeguard": one.chain}


def _set(fields: dict[str, Any]) -> dict[str, Any]:
    """What is said of a set, where it is not what is taken anyway."""
    usual = asdict(SetPlan("", ()))
    return {name: value for name, value in fields.items() if value != usual[name]}


def _written(place: Path) -> str:
    """A path that holds from wherever the plan is read."""
    return str(address_of(place) or place.absolute())
