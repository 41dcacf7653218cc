"""What a process that works tells the server: events, each a small JSON object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pseudovoice.errors import Problem

MOST_PROBLEMS = 200
"""Problems told one by one; the tables hold them all."""

Say = Callable[[dict[str, Any]], None]


def tell_problems(problems: Sequence[Problem], say: Say) -> None:
    for problem in problems[:MOST_PROBLEMS]:
        say({"event": "problem", "text": str(problem)})
    if len(problems) > MOST_PROBLEMS:
        rest = len(problems) - MOST_PROBLEMS
        say({"event": "problem", "text": f"{rest:,} more; assessment.json lists them all."})
