"""What `check` foretells follows what the work depends on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pseudovoice.study import Plan, SafeguardPlan
from pseudovoice.study.forecast import DryRun, dry_run
from pseudovoice.study.rates import WRITE, slowness


def foretold(plan: Plan, out: Path, *chains: str) -> DryRun:
    safeguards = tuple(SafeguardPlan(f"{k} {chain}", chain) for k, chain in enumerate(chains))
    return dry_run(replace(plan, safeguards=safeguards), out, workers=1)


def seconds(run: DryRun, what: str) -> list[float]:
    return [step.seconds for step in run.steps if step.what.startswith(what)]


def test_a_search_costs_what_its_candidates_and_judges_do(plan: Plan, tmp_path: Path) -> None:
    chains = [f"persona:candidates={count}" for count in (1, 12, 24)]
    chains += ["persona:candidates=12,encoders=ge2e"]
    plain, twelve, twenty_four, one_judge = (
        seconds(foretold(plan, tmp_path, chain), "protect")[0] for chain in chains
    )
    assert twenty_four - plain == pytest.approx(2 * (twelve - plain))
    assert plain < one_judge < twelve


def test_originals_are_heard_once_whatever_the_number_of_safeguards(
    plan: Plan, tmp_path: Path
) -> None:
    first, second = seconds(foretold(plan, tmp_path, "mcadams", "mcadams"), "attack and assess")
    assert 0 < second < first


def test_writing_counts_where_something_is_left(plan: Plan, tmp_path: Path) -> None:
    run = foretold(plan, tmp_path, "mcadams")
    left = sum(step.seconds for step in run.steps)
    assert run.seconds == pytest.approx(left + slowness() * WRITE)
    assert (
        replace(run, steps=tuple(replace(s, done=True, seconds=0.0) for s in run.steps)).seconds
        == 0
    )
