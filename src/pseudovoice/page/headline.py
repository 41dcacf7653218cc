"""The verdict on a safeguard in one sentence: who attacks, what they know, what they learn."""

from __future__ import annotations

from collections.abc import Sequence

from pseudovoice.attacks.verdict import TOO_FEW
from pseudovoice.figures.wording import number
from pseudovoice.page.study import MapPoint, ShownAttack


def headline(attacks: Sequence[ShownAttack]) -> str:
    """The strongest attack on all speakers; who has the key is a leak and does not compete."""
    fair = [a for a in attacks if a.group == "all" and a.competes]
    able = [a for a in fair if not a.too_weak]
    if not fair:
        return "No attack was made on this safeguard."
    if not able and all(a.verdict == TOO_FEW for a in fair):
        return f"Nothing can be said: {TOO_FEW}."
    if not able:
        return "Every attack was too weak to conclude: each fails on unprotected speech too."
    worst = max(able, key=lambda a: float(a.metrics["d_ece"].value))
    spent = f" ({worst.budget})" if worst.budget else ""
    return (
        f"The strongest attacker tested {worst.knows}{spent}; heard through {worst.encoder}, "
        f"{finding(worst)}."
    )


def hidden_least(places: Sequence[MapPoint]) -> MapPoint | None:
    """The place of everybody as the strongest encoder hears them: the one that DeID hides least.

    None where every encoder is too weak to conclude.
    """
    able = [place for place in places if place.group == "all" and not place.too_weak]
    return min(able, key=lambda place: float(place.deid.value), default=None)


def finding(attack: ShownAttack) -> str:
    """The verdict with its numbers: interval, control, tag."""
    d, control = attack.metrics["d_ece"], attack.control["d_ece"]
    tag = attack.metrics["tag"]
    within = "" if d.low is None else f" [{_bit(d.low)}, {_bit(d.high)}]"
    return (
        f"{attack.verdict} (D_ECE {_bit(d.value)} bit{within}, unprotected {_bit(control.value)}; "
        f"worst case tag {tag.value})"
    )


def _bit(value: float | str | None) -> str:
    return "—" if value is None else number(float(value), 3)
