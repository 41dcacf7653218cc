"""What a study gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pseudovoice.errors import Problem
from pseudovoice.page.study import Study
from pseudovoice.result import Result
from pseudovoice.study.findings import SafeguardFindings, SliceFindings


@dataclass(frozen=True, repr=False)
class Outcome(Result):
    """The finished study.

    ``found`` are the numbers, one entry per set and safeguard, ``sliced`` those of chains that end
    in slices. ``headlines`` are at most five sentences, the most important ones, ``problems`` items
    that were left out, ``notes`` what holds for all numbers, such as that recordings were cut.

    The rest is at hand as long as the study is, and is not kept in a file. ``studies`` and
    ``pages`` have one entry per set, in the order of the plan; ``study`` and ``page`` are what a
    person opens first. ``new_key`` is the file of a key that had to be made.
    """

    found: tuple[SafeguardFindings, ...]
    sliced: tuple[SliceFindings, ...]
    problems: tuple[Problem, ...]
    headlines: tuple[str, ...]
    notes: tuple[str, ...] = ()
    studies: tuple[Study, ...] = field(default=(), repr=False, metadata={"kept": False})
    pages: tuple[Path, ...] = field(default=(), metadata={"kept": False})
    page: Path = field(default=Path(), metadata={"kept": False})
    new_key: Path | None = field(default=None, metadata={"kept": False})

    @property
    def study(self) -> Study:
        return self.studies[0]

    def result(self, safeguard: str, set: str | None = None) -> SafeguardFindings:
        """What was found of one safeguard; KeyError where it is not there."""
        for one in self.found:
            if one.name == safeguard and set in (None, one.set):
                return one
        raise KeyError(safeguard if set is None else f"{safeguard} on {set}")
