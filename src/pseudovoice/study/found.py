"""What a study found about one safeguard on one set."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pseudovoice.corpus import Corpus
from pseudovoice.errors import Problem
from pseudovoice.page.gather import Reported, utility_results
from pseudovoice.report.latex import Entry
from pseudovoice.report.papers import paper_entries
from pseudovoice.study.assessing import Assessed
from pseudovoice.study.measuring import MeasuredUtility


@dataclass(frozen=True)
class Found:
    """All stages of one safeguard on one set."""

    set: str
    safeguard: str
    protected: Corpus
    assessed: Assessed
    utility: MeasuredUtility | None
    problems: tuple[Problem, ...]
    stages: tuple[str, ...]

    @property
    def reported(self) -> Reported:
        """What the page says, use and cost included."""
        if self.utility is None:
            return self.assessed.reported
        results = replace(
            self.assessed.reported.results, utility=tuple(utility_results(self.utility.rows))
        )
        notes = tuple(f"{self.safeguard}: {note}" for note in self.utility.notes)
        return replace(
            self.assessed.reported,
            results=results,
            warnings=self.assessed.reported.warnings + notes,
        )


def entries(found: list[Found]) -> list[Entry]:
    """The lines of the papers' tables."""
    return [
        entry
        for one in found
        for entry in paper_entries(
            one.set,
            one.safeguard,
            ((part.attacker, part.encoder, part.group, part.rows) for part in one.assessed.parts),
        )
    ]
