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
    assert plan.figures


def test_figures_can_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not planned(monkeypatch, "--safeguard", "mcadams", "--no-figures").figures


def test_one_safeguard_with_several_parameters_keeps_them_in_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = ["mcadams:alpha=0.7", "mcadams:alpha=0.9", "mcadams-random"]
    plan = planned(monkeypatch, *(word for text in texts for word in ("--safeguard", text)))
    assert [one.name for one in plan.safeguards] == texts


def test_a_chain_may_end_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(monkeypatch, "--safeguard", "mcadams+slice", "--lm-text", "a", "--lm-text", "b")
    assert [one.name for one in plan.sliced] == ["mcadams+slice"]
    assert plan.slices.language_model == (Path("a"), Path("b"))


def test_a_wrong_safeguard_is_refused_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="no safeguard 'mcadam'"):
        planned(monkeypatch, "--safeguard", "mcadam")
