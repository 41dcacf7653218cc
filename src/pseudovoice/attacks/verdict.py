"""What an attack comes to, in plain words; made of its numbers, after all of them are known."""

from __future__ import annotations

from pseudovoice.assessment.estimate import Estimate, Row

WEAK_EER = 0.25
"""Above this error on unprotected speech a recogniser is too weak to conclude anything."""


def is_conclusive(control: Row | Estimate, control_eer: Row | Estimate) -> bool:
    """Whether the same attack on unprotected speech succeeds."""
    return not control.chance and float(control_eer.value) <= WEAK_EER


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
