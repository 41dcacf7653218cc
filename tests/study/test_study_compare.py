"""What `pseudovoice compare` makes of its options."""

from __future__ import annotations

from pathlib import Path

import pytest

from pseudovoice.cli import compare
from pseudovoice.errors import UsageError
from pseudovoice.study import Plan, SafeguardPlan, UtilityPlan


def planned(monkeypatch: pytest.MonkeyPatch, *words: str) -> Plan:
    plans: list[Plan] = []
    monkeypatch.setattr(compare, "conduct", lambda plan, *_: plans.append(plan))
    compare.command.main(["corpus", "-o", "out", *words], standalone_mode=False)
    return plans[0]


def test_options_become_a_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--safeguard", "mcadams", "--safeguard", "persona:strength=0.5", "--attacker", "lazy"]
    words += ["--measure", "words", "--measured-utterances", "2", "--key-file", "k", "--no-gender"]
    plan = planned(monkeypatch, *words, "--name", "ours", "--seed", "3", "--include-originals")
    assert plan.sets[0].name == "ours"
    assert plan.sets[0].corpus == (Path("corpus"),)
    assert plan.safeguards == (
        SafeguardPlan("mcadams", "mcadams"),
        SafeguardPlan("persona", "persona:strength=0.5"),
    )
    assert plan.attackers == ("ignorant", "lazy")
    assert plan.utility == UtilityPlan(("words",), 2)
    assert (plan.genders, plan.seed, plan.include_originals) == (False, 3, True)
    assert plan.key_file == Path("k")


def test_one_safeguard_with_several_parameters_keeps_them_in_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = ["mcadams:alpha=0.7", "mcadams:alpha=0.9", "mcadams-random"]
    plan = planned(monkeypatch, *(word for text in texts for word in ("--safeguard", text)))
    assert [one.name for one in plan.safeguards] == texts


@pytest.mark.parametrize(
    ("text", "said"),
    [("mcadam", "no safeguard 'mcadam'"), ("mcadams+slice", "slices bear nobody's name")],
)
def test_a_wrong_safeguard_is_refused_before_any_work(
    monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        planned(monkeypatch, "--safeguard", text)
