"""Requirements that numbers have to meet, such as ``d_ece<0.1``: judged on the safe side.

Conventions
-----------
- What counts is the worst of all safeguards, attackers and encoders, on all speakers together, and
  of that the end of its 95 % interval that is the worse: the upper for ``<``, the lower for ``>``.
- Attacks that are too weak to conclude count for nothing, nor does who has the key. Where nothing
  is left, nothing without an interval, or a safeguard has no such number, it is *not met*: what
  could not be shown is not shown.
- Fractions are per cent, as everywhere that people read them: ``wer<8`` is 8 %.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.metrics import METRICS
from pseudovoice.assessment.own_metrics import score_metrics
from pseudovoice.attacks.registry import BASE
from pseudovoice.attacks.told import AUC
from pseudovoice.errors import UsageError

if TYPE_CHECKING:  # for which a small install lacks packages
    from pseudovoice.attacks.assess import AudioAssessment
    from pseudovoice.study import Outcome, Plan
    from pseudovoice.utility.rows import UtilityRow

WRITTEN = re.compile(r"\s*([a-z][a-z0-9_]*)\s*(<=|>=|<|>)\s*(-?[0-9]+(?:\.[0-9]+)?)\s*")
HOLDS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@dataclass(frozen=True)
class Requirement:
    """``metric``, a sign and a bound in the unit that is shown."""

    metric: str
    sign: str
    bound: float

    def __str__(self) -> str:
        return f"{self.metric}{self.sign}{self.bound:g}"

    @property
    def most(self) -> bool:
        """Whether it says how large a number may be at most."""
        return self.sign.startswith("<")


@dataclass(frozen=True)
class Found:
    """A number, in the unit that is shown, and whose it is."""

    metric: str
    value: float
    low: float | None
    high: float | None
    unit: str
    whose: str

    def worst(self, requirement: Requirement) -> float | None:
        """The end of its interval that counts."""
        return self.high if requirement.most else self.low


@dataclass(frozen=True)
class Judgement:
    """Whether a requirement is met, and what was measured; ``counts`` is the number judged by."""

    requirement: str
    met: bool
    says: str
    counts: float | None = None
    value: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str | None = None
    whose: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        return f"required {self.requirement}: {'met' if self.met else 'NOT met'}; {self.says}."


def known_metrics(*, attacks: bool = True, use: bool = True) -> tuple[str, ...]:
    """Names that a requirement may bear: of attacks, and of what speech is still good for."""
    numbers = [name for name in (*METRICS, *score_metrics()) if name not in ("tag", AUC.name)]
    if not use:
        return tuple(numbers)
    from pseudovoice.utility.rows import METRIC_NAMES

    return (*(numbers if attacks else ()), *METRIC_NAMES)


def read_requirements(texts: Iterable[str], known: Collection[str]) -> tuple[Requirement, ...]:
    """What is required, before any work; whatever cannot be judged is an error."""
    return tuple(_read(text, known) for text in texts)


def _read(text: str, known: Collection[str]) -> Requirement:
    parts = WRITTEN.fullmatch(text)
    if parts is None:
        raise UsageError(
            f"{text!r} is no requirement; write a metric, one of < <= > >=, and a number, such as "
            "d_ece<0.1 or wer<8 (fractions in %)."
        )
    metric = parts[1]
    if metric == "tag":
        raise UsageError(f"{text!r}: a tag is a letter; require l_w, from which it is made.")
    if metric not in known:
        near = get_close_matches(metric, known, 1, cutoff=0.7)  # wer, measured elsewhere, is no eer
        hint = f"did you mean {near[0]}? " if near else ""
        raise UsageError(
            f"{text!r}: {metric} is not measured here; {hint}there are {', '.join(known)}."
        )
    return Requirement(metric, parts[2], float(parts[3]))


def attack_numbers(assessed: AudioAssessment, of: str = "") -> list[Found]:
    """Of every attack on everybody that can conclude and competes; how distinct voices are, too."""
    found = []
    for one in assessed.attacks:
        if one.group != "all" or not one.conclusive or not one.who.competes:
            continue
        whose = f"{of}{one.attacker} attacker through {one.encoder}"
        mine = [row for row in one.rows if row.condition == one.condition]
        names = {row.metric for row in mine}
        if one.who == BASE:
            mine += [r for r in one.rows if r.condition == "pp" and r.metric not in names]
        found += [_found(row, whose) for row in mine if not isinstance(row.value, str)]
    return found


def use_numbers(rows: Iterable[UtilityRow], of: str = "") -> list[Found]:
    """Of protected speech, everybody's."""
    return [
        _found(row, f"{of}protected speech")
        for row in rows
        if row.group == "all" and row.condition in ("protected", "pair")
    ]


def outcome_numbers(outcome: Outcome, plan: Plan) -> dict[str, list[Found]]:
    """Of every safeguard on every set; a safeguard that failed has none."""
    several = len(plan.sets) > 1
    numbers: dict[str, list[Found]] = {}
    for one in plan.sets:
        for safeguard in plan.safeguards:
            called = f"{safeguard.name} on {one.name}" if several else safeguard.name
            numbers[called] = []
            for found in outcome.found:
                if (found.set, found.name) == (one.name, safeguard.name):
                    numbers[called] += attack_numbers(found.assessed, f"{called}, ")
                    used = () if found.utility is None else found.utility.rows
                    numbers[called] += use_numbers(used, f"{called}, ")
    return numbers


def judge(
    requirements: Sequence[Requirement], numbers: Mapping[str, Sequence[Found]]
) -> tuple[Judgement, ...]:
    """Each requirement on everything that was found, by safeguard."""
    return tuple(_judged(one, numbers) for one in requirements)


def _judged(requirement: Requirement, numbers: Mapping[str, Sequence[Found]]) -> Judgement:
    named = str(requirement)
    every: list[Found] = []
    for called, found in numbers.items():
        mine = [one for one in found if one.metric == requirement.metric]
        if not mine:
            of = f" of {called}" if called else ""
            why = f"there is no such number{of} from an attack that can conclude"
            if requirement.metric not in known_metrics(use=False):
                why = f"it was not measured{of}"
            return Judgement(named, False, why)
        every += mine
    blind = [one for one in every if one.worst(requirement) is None]
    if blind:
        one = blind[0]
        says = f"{_shown(one.value, one)} has no interval ({one.whose}), so it cannot be shown"
        return _judgement(named, False, says, one, None)
    pick = max if requirement.most else min
    one = pick(every, key=lambda found: _end(found, requirement))
    counts = _end(one, requirement)
    met = bool(HOLDS[requirement.sign](counts, requirement.bound))
    end, side = ("upper", "at most") if requirement.most else ("lower", "at least")
    says = (
        f"{side} {_shown(counts, one)}, the {end} end of {_shown(one.value, one)} "
        f"[{one.low:.4g}, {one.high:.4g}] ({one.whose}"
        f"{f', the worst of {len(every)}' if len(every) > 1 else ''})"
    )
    return _judgement(named, met, says, one, counts)


def _judgement(named: str, met: bool, says: str, one: Found, counts: float | None) -> Judgement:
    return Judgement(named, met, says, counts, one.value, one.low, one.high, one.unit, one.whose)


def _end(found: Found, requirement: Requirement) -> float:
    end = found.worst(requirement)
    assert end is not None
    return end


def _found(row: Row | UtilityRow, whose: str) -> Found:
    factor, unit = (100.0, "%") if row.unit == "fraction" else (1.0, row.unit)

    def scaled(value: float | str | None) -> float | None:
        return None if value is None else factor * float(value)

    return Found(
        row.metric,
        factor * float(row.value),
        scaled(row.low),
        scaled(row.high),
        "" if unit == "1" else unit,
        whose,
    )


def _shown(value: float | None, one: Found) -> str:
    return f"{value:.4g}{f' {one.unit}' if one.unit else ''}"
