"""The study: protect, attack, assess and report, from one plan.

``run_plan`` does everything and can be killed at any moment: run again, it goes on where it was and
ends with the same tables. `read_plan` reads and checks a plan's file, `dry_run` says what
would run. What runs a plan is loaded when it is first used: a plan can be read without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pseudovoice.lazy_names import lazy_names
from pseudovoice.study.plan import (
    ComparisonPlan,
    Plan,
    SafeguardPlan,
    SetPlan,
    SlicesPlan,
    UtilityPlan,
)
from pseudovoice.study.shipped import shipped_plans

if TYPE_CHECKING:
    from pseudovoice.study.forecast import DryRun, dry_run
    from pseudovoice.study.outcome import Outcome
    from pseudovoice.study.plan_file import read_plan
    from pseudovoice.study.run import run_plan

__all__ = [
    "ComparisonPlan",
    "DryRun",
    "Outcome",
    "Plan",
    "SafeguardPlan",
    "SetPlan",
    "SlicesPlan",
    "UtilityPlan",
    "dry_run",
    "read_plan",
    "run_plan",
    "shipped_plans",
]

__getattr__ = lazy_names(
    __name__,
    {
        "DryRun": "pseudovoice.study.forecast",
        "Outcome": "pseudovoice.study.outcome",
        "dry_run": "pseudovoice.study.forecast",
        "read_plan": "pseudovoice.study.plan_file",
        "run_plan": "pseudovoice.study.run",
    },
)
