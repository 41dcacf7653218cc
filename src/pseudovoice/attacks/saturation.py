"""How much of its budget an attacker needed: the point at which trying more was of no use."""

from __future__ import annotations

from pseudovoice.attacks.had import Had
from pseudovoice.attacks.result import AttackResult

AS_MUCH = 0.02
"""Bit of D_ECE that do not count. Intervals are no yardstick: all points rest on the same people,
so that they move together, and each is wider than what tells neighbours apart."""


def saturation(result: AttackResult) -> Had | None:
    """The least that would have given as much as all the attacker had, such as 4 tries.

    From that point of the curve on no D_ECE is further than ``AS_MUCH`` from the last. None where
    the last step still told more, and where there is no curve.
    """
    if not result.along:
        return None
    whole = float(result.disclosure.value)
    enough = None
    for less in reversed(result.along):
        if any(
            abs(float(row.value) - whole) > AS_MUCH for row in less.rows if row.metric == "d_ece"
        ):
            break
        enough = less.had
    return enough


def said_of_budget(result: AttackResult) -> str:
    """The same in words; empty where the attacker has no curve."""
    if not result.along:
        return ""
    enough = saturation(result)
    return "still rises" if enough is None else f"saturates after {enough}"
