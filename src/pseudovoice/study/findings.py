"""What a study found: one safeguard, or one chain of slices, on one set. Numbers, no words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pseudovoice.attacks.assess import AudioAssessment
from pseudovoice.corpus import Corpus
from pseudovoice.errors import Problem
from pseudovoice.page.gather import Findings, Reported, report_on
from pseudovoice.report.latex import Entry
from pseudovoice.report.maouche import WorthEntry
from pseudovoice.report.papers import paper_entries
from pseudovoice.safeguards import parse_chain
from pseudovoice.study.cutting import SlicedRun
from pseudovoice.study.identifying import Identity
from pseudovoice.study.measuring import MeasuredUtility
from pseudovoice.study.plan import SafeguardPlan
from pseudovoice.study.reassembling import Reassembly
from pseudovoice.study.training_worth import TrainingWorth


@dataclass(frozen=True)
class SafeguardFindings:
    """All stages of one safeguard on one set.

    ``protected`` is the speech while it is at hand; it is not kept.
    """

    set: str
    safeguard: SafeguardPlan
    key: str | None
    assessed: AudioAssessment
    utility: MeasuredUtility | None
    problems: tuple[Problem, ...]
    stages: tuple[str, ...]
    worth: TrainingWorth | None = None
    protected: Corpus | None = field(
        default=None, repr=False, compare=False, metadata={"kept": False}
    )

    @property
    def name(self) -> str:
        return self.safeguard.name

    @property
    def findings(self) -> Findings:
        """As the page takes them."""
        used = self.utility
        told = () if used is None else used.rows
        notes = () if used is None else used.notes
        if self.safeguard.elsewhere:
            made = {"made": "elsewhere"}
            return Findings(
                self.name, self.assessed, made, utility=told, notes=notes, elsewhere=True
            )
        chain = parse_chain(self.safeguard.chain)
        several = len(chain.links) > 1
        parameters = {
            (f"{link.name}: {name}" if several else name): value
            for link in chain.links
            for name, value in link.to_dict().items()
            if name != "safeguard" or several or self.name != link.name
        }
        return Findings(
            self.name,
            self.assessed,
            parameters,
            chain.deterministic,
            self.key,
            told,
            notes=notes,
            caution=chain.caution,
        )

    @cached_property
    def reported(self) -> Reported:
        """What the page says of it, put into words now."""
        return report_on(self.findings)


@dataclass(frozen=True)
class SliceFindings:
    """All stages of a chain of slices on one set; an attack that failed is None and a problem."""

    set: str
    safeguard: SafeguardPlan
    reference: str | None
    key: str
    run: SlicedRun
    identity: Identity | None
    reassembly: Reassembly | None
    fingerprints: dict[str, str]
    language_model: str | None
    problems: tuple[Problem, ...]
    stages: tuple[str, ...]


def worth_entries(found: Sequence[SafeguardFindings]) -> list[WorthEntry]:
    """The lines of Table 1 of maouche2022."""
    return [
        WorthEntry(one.set, one.name, cell.training, cell.delta, cell.clear, cell.protected)
        for one in found
        for cell in (() if one.worth is None else one.worth.cells)
    ]


def entries(found: Sequence[SafeguardFindings]) -> list[Entry]:
    """The lines of the papers' tables."""
    return [
        entry for one in found for entry in paper_entries(one.set, one.name, one.assessed.results)
    ]
