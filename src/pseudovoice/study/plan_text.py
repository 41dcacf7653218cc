"""A plan as the YAML that `read_plan` reads."""

from __future__ import annotations

import msgspec
import yaml

from pseudovoice.study.plan import Plan


def plan_yaml(plan: Plan) -> str:
    """The plan as text; where the key lies is left out, since the text may be handed on."""
    plain = msgspec.to_builtins(plan, enc_hook=lambda path: str(path.absolute()))
    plain["sets"] = {one.pop("name"): one for one in plain["sets"]}
    plain["safeguards"] = [
        one.chain if one.name == one.chain else {"name": one.name, "safeguard": one.chain}
        for one in plan.safeguards
    ]
    if plan.utility is None:
        plain["utility"] = False
    elif plan.utility.utterances is None:
        plain["utility"]["utterances"] = "all"
    plain["slices"]["language_model"] = plain["slices"]["language_model"] or None
    if not plan.sliced:
        del plain["slices"]
    del plain["key_file"]
    plain["note"] = plan.note or None
    text: str = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True, width=100)
    return text
