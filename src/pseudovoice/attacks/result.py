"""What one attack achieved, beside its control and its floor: numbers only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pseudovoice.assessment.assess import Assessment
from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.similarity import SimilarityMatrix
from pseudovoice.assessment.speakers import SpeakerRow
from pseudovoice.assessment.summary import ConditionSummary, summarise
from pseudovoice.assessment.zoo import Zoo
from pseudovoice.attacks.attacker import Attacker
from pseudovoice.attacks.curves import Curve, Fewer, curves
from pseudovoice.attacks.had import NOTHING, Had
from pseudovoice.attacks.registry import attacker
from pseudovoice.attacks.verdict import is_conclusive, people_in, verdict
from pseudovoice.choices import FEWEST


@dataclass(frozen=True)
class AttackResult:
    """One attacker, through one encoder, on one group of speakers.

    ``rows`` are all metrics of all its conditions, ``oo`` the control: the same attack on
    unprotected speech. ``conditions`` are what pictures show of them, ``along`` EER, D_ECE and l_w
    had the attacker had less than its ``budget``, such as 8 tries.
    ``assessment`` has the scores too while it is at hand; it is not kept.
    """

    attacker: str
    encoder: str
    group: str
    rows: tuple[Row, ...]
    speakers: tuple[SpeakerRow, ...]
    conditions: dict[str, ConditionSummary]
    along: tuple[Fewer, ...] = ()
    budget: Had = NOTHING
    assessment: Assessment | None = field(
        default=None, repr=False, compare=False, metadata={"kept": False}
    )

    @property
    def who(self) -> Attacker:
        return attacker(self.attacker)

    @property
    def condition(self) -> str:
        """The condition that is the attack."""
        return self.who.condition

    def row(self, condition: str, metric: str) -> Row | None:
        """One row; None where the condition does not have the metric."""
        return next((r for r in self.rows if (r.condition, r.metric) == (condition, metric)), None)

    def value(self, condition: str, metric: str) -> float | str:
        """The value of one row; KeyError where there is none."""
        row = self.row(condition, metric)
        if row is None:
            raise KeyError(f"{metric} in condition {condition}")
        return row.value

    @property
    def matrices(self) -> dict[str, SimilarityMatrix]:
        """Of OO, OP and PP, where every pair of speakers was compared."""
        return {
            name: c.matrix
            for name, c in self.conditions.items()
            if c.matrix is not None and name in ("oo", "op", "pp")
        }

    @property
    def zoos(self) -> dict[str, Zoo]:
        return {name: c.zoo for name, c in self.conditions.items() if c.zoo is not None}

    @property
    def disclosure(self) -> Row:
        """D_ECE of the attack; its ``null`` is the floor that chance alone gives."""
        return self._needed(self.condition, "d_ece")

    @property
    def control(self) -> Row:
        """D_ECE of the same attack on unprotected speech."""
        return self._needed("oo", "d_ece")

    @property
    def conclusive(self) -> bool:
        """Whether the attack succeeds on unprotected speech; if not it says nothing."""
        return is_conclusive(self.control, self._needed("oo", "eer")) and not self.too_few

    @property
    def too_few(self) -> bool:
        """Whether there are too few people for anything to be told from chance."""
        return (people_in(self.speakers) or FEWEST) < FEWEST

    @property
    def verdict(self) -> str:
        return verdict(
            self.disclosure,
            self.control,
            conclusive=self.conclusive,
            speakers=people_in(self.speakers),
        )

    @property
    def curves(self) -> list[Curve]:
        """What the attack gains with more of each thing that it had."""
        whole = tuple(row for row in self.rows if row.condition == self.condition)
        return list(curves([*self.along, Fewer(self.budget, whole)])) if self.along else []

    @property
    def complete(self) -> bool:
        """Whether attack and control could be assessed."""
        wanted = (self.row(self.condition, "d_ece"), self.row("oo", "d_ece"), self.row("oo", "eer"))
        return all(row is not None for row in wanted)

    def to_dict(self) -> dict[str, Any]:
        """The attack in figures, and its verdict, as JSON can hold them."""
        d, low, high = self.disclosure, self.disclosure.low, self.disclosure.high
        return {
            "attacker": self.attacker,
            "encoder": self.encoder,
            "group": self.group,
            "condition": self.condition,
            "knows": self.who.knows,
            "budget": str(self.budget),
            "eer": float(self._needed(self.condition, "eer").value),
            "d_ece": float(d.value),
            "d_ece_low": None if low is None else float(low),
            "d_ece_high": None if high is None else float(high),
            "tag": str(self._needed(self.condition, "tag").value),
            "control_eer": float(self._needed("oo", "eer").value),
            "control_d_ece": float(self.control.value),
            "floor_d_ece": d.null,
            "chance": d.chance,
            "conclusive": self.conclusive,
            "verdict": self.verdict,
        }

    def _needed(self, condition: str, metric: str) -> Row:
        row = self.row(condition, metric)
        assert row is not None
        return row


def result_of(
    who: Attacker,
    encoder: str,
    group: str,
    assessment: Assessment,
    *,
    llrs: bool,
) -> AttackResult:
    """An assessment as the result of an attack; ``llrs`` says what its scores are."""
    conditions = {
        name: summarise(c, llrs=llrs, f0=assessment.f0.get(name))
        for name, c in assessment.conditions.items()
    }
    return AttackResult(
        who.name,
        encoder,
        group,
        assessment.rows,
        assessment.speakers,
        conditions,
        assessment=assessment,
    )


def strongest(results: Iterable[AttackResult]) -> dict[tuple[str, str], AttackResult]:
    """The attack that learns most, for each group and condition.

    Attacks too weak to conclude do not compete, nor does who has the key.
    """
    best: dict[tuple[str, str], AttackResult] = {}
    for one in results:
        if not one.complete or not one.conclusive or not one.who.competes:
            continue
        key = (one.group, one.condition)
        if key not in best or float(one.disclosure.value) > float(best[key].disclosure.value):
            best[key] = one
    return best


def in_full(results: Sequence[AttackResult]) -> AttackResult:
    """The one to show where there is room for one: the strongest attack on everybody.

    Where every attack is too weak to conclude it is the first.
    """
    able = [one for (group, _), one in strongest(results).items() if group == "all"]
    return max(able, key=lambda one: float(one.disclosure.value), default=results[0])


def find_result(
    results: Sequence[AttackResult], name: str, encoder: str, group: str
) -> AttackResult | None:
    """One result among many."""
    for one in results:
        if (one.attacker, one.encoder, one.group) == (name, encoder, group):
            return one
    return None
