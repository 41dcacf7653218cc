"""What a study gives back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pseudovoice.errors import Problem
from pseudovoice.page.study import Study


@dataclass(frozen=True)
class Outcome:
    """The finished study.

    ``studies`` and ``pages`` have one entry per set, in the order of the plan; ``study`` and
    ``page`` are what a person opens first. ``headlines`` are at most five sentences, the most
    important ones. ``problems`` are items that were left out; ``new_key`` is the file of a key that
    had to be made.
    """

    studies: tuple[Study, ...]
    pages: tuple[Path, ...]
    page: Path
    problems: tuple[Problem, ...]
    headlines: list[str]
    new_key: Path | None = None

    @property
    def study(self) -> Study:
        return self.studies[0]
