"""The study: protect, attack, assess and report, from one plan.

``run_plan`` does everything and can be killed at any moment: run again, it goes on where it was and
ends with the same tables. `read_plan` reads and checks a plan's file, `examine_plan` says what
would run.
"""

from pseudovoice.study.examine import Examination, examine_plan
from pseudovoice.study.outcome import Outcome
from pseudovoice.study.plan import (
    ComparisonPlan,
    Plan,
    SafeguardPlan,
    SetPlan,
    SlicesPlan,
    UtilityPlan,
)
from pseudovoice.study.plan_file import read_plan
from pseudovoice.study.run import run_plan
from pseudovoice.study.shipped import shipped_plans

__all__ = [
    "ComparisonPlan",
    "Examination",
    "Outcome",
    "Plan",
    "SafeguardPlan",
    "SetPlan",
    "SlicesPlan",
    "UtilityPlan",
    "examine_plan",
    "read_plan",
    "run_plan",
    "shipped_plans",
]
