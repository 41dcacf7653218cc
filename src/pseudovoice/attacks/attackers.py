"""Who attacks, and what they know: always said before the number.

Each attack has its control, the same attack on unprotected speech, and its floor, what chance
alone gives. An attack that fails even on unprotected speech says nothing about a safeguard.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pseudovoice.assessment.assess import Assessment
from pseudovoice.assessment.estimate import Estimate, Row

WEAK_EER = 0.25
"""Above this error on unprotected speech a recogniser is too weak to conclude anything."""


@dataclass(frozen=True)
class Attacker:
    """A kind of attacker: the condition it is reported in, and its knowledge in words."""

    name: str
    condition: str
    knows: str


ATTACKERS = {
    attacker.name: attacker
    for attacker in (
        Attacker(
            "ignorant",
            "op",
            "has original recordings of the speakers and does not know that speech was protected",
        ),
        Attacker(
            "lazy",
            "pq",
            "knows the safeguard and protects its own recordings of the speakers with its own key",
        ),
        Attacker(
            "semi",
            "pq",
            "does what lazy does and trains its recogniser on speech it protected itself",
        ),
        Attacker(
            "oracle-key",
            "pq",
            "has the secret key and protects its own recordings of the speakers with it",
        ),
    )
}


@dataclass(frozen=True)
class Attack:
    """What one attack achieved beside its control and its floor."""

    attacker: str
    encoder: str
    group: str
    condition: str
    knows: str
    eer: float
    d_ece: float
    d_ece_low: float | None
    d_ece_high: float | None
    tag: str
    control_eer: float
    control_d_ece: float
    floor_d_ece: float | None
    chance: bool | None
    conclusive: bool
    verdict: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def judge(attacker: str, encoder: str, group: str, assessment: Assessment) -> Attack | None:
    """Put an attack beside its control; None where its condition was not assessed."""
    kind = ATTACKERS[attacker]
    try:
        disclosure = assessment.row(kind.condition, "d_ece")
        control, control_eer = (assessment.row("oo", name) for name in ("d_ece", "eer"))
    except KeyError:
        return None
    conclusive = not control.chance and float(control_eer.value) <= WEAK_EER
    return Attack(
        attacker,
        encoder,
        group,
        kind.condition,
        kind.knows,
        float(assessment.value(kind.condition, "eer")),
        float(disclosure.value),
        _number(disclosure.low),
        _number(disclosure.high),
        str(assessment.value(kind.condition, "tag")),
        float(control_eer.value),
        float(control.value),
        disclosure.null,
        disclosure.chance,
        conclusive,
        verdict(disclosure, control, conclusive=conclusive),
    )


def _number(bound: float | str | None) -> float | None:
    return None if bound is None else float(bound)


def verdict(
    disclosure: Row | Estimate,
    control: Row | Estimate,
    *,
    conclusive: bool,
    what: str = "speech",
    tells: str = "tells",
) -> str:
    """In plain words; never that anybody is anonymous. ``what`` was attacked: speech, or slices."""
    if not conclusive:
        return f"attack too weak to conclude: it fails on unprotected {what} too"
    if disclosure.chance and _rare(disclosure):
        # The test of shuffled names has found a leak; the interval only says how little is known.
        return (
            "this attacker seems to learn something, but the interval reaches chance: "
            "more speakers would tell how much"
        )
    if disclosure.chance:
        return "what this attacker learns cannot be told from chance"
    kept = max(0.0, float(disclosure.value)) / float(control.value)
    return f"this attacker still learns {100 * kept:.0f} % of what unprotected {what} {tells} it"


def _rare(disclosure: Row | Estimate) -> bool:
    """Whether shuffled names give as much in fewer than one case in twenty."""
    return disclosure.null_95 is not None and float(disclosure.value) > disclosure.null_95


def strongest(attacks: list[Attack]) -> dict[tuple[str, str], Attack]:
    """The attack that learns most, for each group and condition.

    Attacks too weak to conclude do not compete, nor does who has the key: that is a leak, not an
    attack on the safeguard.
    """
    best: dict[tuple[str, str], Attack] = {}
    for attack in attacks:
        if not attack.conclusive or attack.attacker == "oracle-key":
            continue
        key = (attack.group, attack.condition)
        if key not in best or attack.d_ece > best[key].d_ece:
            best[key] = attack
    return best
