"""From one session to the next: can two pseudo-voices of one person be linked?

A pseudo-voice ought not to be linkable between sessions (noe2020 §2). Whoever holds protected
speech of two sessions compares two keys, and that is the comparison of the lazy-informed attacker.
"""

from __future__ import annotations

from collections.abc import Sequence

from pseudovoice.attacks.lazy import LAZY
from pseudovoice.page.study import SessionResult, ShownAttack

SAME_VOICE = (
    "there is no secret: a person gets the same voice in every session, so sessions can be linked "
    "by design, and a voice that has been recognised cannot be replaced"
)


def session_results(
    attacks: Sequence[ShownAttack], *, deterministic: bool
) -> tuple[SessionResult, ...]:
    """What the comparison of two keys tells; nothing where no two keys were compared."""
    compared = [a for a in attacks if a.attacker == LAZY.attacker.name]
    if deterministic:
        if not compared:
            return (SessionResult("", "all", SAME_VOICE, {}, {}),)
        return tuple(
            SessionResult(a.encoder, a.group, SAME_VOICE, a.metrics, a.control) for a in compared
        )
    return tuple(
        SessionResult(a.encoder, a.group, _says(a), a.metrics, a.control) for a in compared
    )


def _says(attack: ShownAttack) -> str:
    if attack.too_weak:
        return "attack too weak to conclude: it cannot link unprotected speech either"
    disclosed, control = attack.metrics["d_ece"], attack.control["d_ece"]
    by_chance = disclosed.null_95
    if disclosed.chance and by_chance is not None and float(disclosed.value) > by_chance:
        return (
            "two sessions of one person seem to be linked, but the interval reaches chance: more "
            "speakers would tell how much"
        )
    if disclosed.chance:
        return "two sessions of one person cannot be told from those of two people"
    share = 100.0 * max(0.0, float(disclosed.value)) / float(control.value)
    return f"linking two sessions still yields {share:.0f} % of what unprotected speech tells"
