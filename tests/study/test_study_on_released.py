"""A study whose attackers begin with the release: it is undone, and told from known pairs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import pseudovoice as pv
from pseudovoice.study import Plan, SafeguardPlan, SetPlan, read_plan
from pseudovoice.study.plan_text import plan_yaml


@pytest.mark.weights
def test_runs_on_the_release_are_made_once(speech: Path, tmp_path: Path) -> None:
    def study() -> pv.Outcome:
        return pv.compare(
            speech,
            "mcadams-random",
            ["adaptive", "known-pairs"],
            "ge2e",
            out=tmp_path / "out",
            tries=2,
            measures=(),
            by_gender=False,
            replicates=10,
            permutations=10,
            figures=False,
            clips=False,
        )

    def rows(outcome: pv.Outcome) -> dict[tuple[str, str], float | str]:
        return {
            (one.attacker, row.metric): row.value
            for one in outcome.result("mcadams-random").assessed.results
            for row in one.rows
            if row.condition == "pq" and row.metric in ("eer", "d_ece")
        }

    def stamps() -> dict[str, int]:
        return {str(file): file.stat().st_mtime_ns for file in tmp_path.rglob("*.flac")}

    first = rows(study())
    assert {name for name, _ in first} == {"adaptive", "known-pairs"}
    folders = sorted(
        path.name for path in (tmp_path / "out" / "work").iterdir() if path.suffix != ".pseudovoice"
    )
    for what, runs in {"try-1": 2, "try-2": 2, "known-pairs": 1}.items():  # tried on, and undone
        assert sum(what in name for name in folders) == runs, folders
    before = stamps()
    assert rows(study()) == first
    assert stamps() == before


def test_what_nobody_uses_is_not_in_a_plan(tmp_path: Path) -> None:
    plan = Plan(
        "pairs",
        (SetPlan("one", (tmp_path,)),),
        (SafeguardPlan("mcadams", "mcadams"),),
        attackers=("ignorant", "known-pairs"),
        known_pairs=3,
    )
    file = tmp_path / "plan.yaml"
    file.write_text(plan_yaml(plan), encoding="utf-8")
    assert read_plan(file).known_pairs == 3
    assert "known_pairs" in plan.to_dict()
    assert "known_pairs" not in replace(plan, attackers=("ignorant",)).to_dict()
