"""Attackers by name: ours in one list, those of other packages by entry point."""

from __future__ import annotations

from functools import cache

from pseudovoice.attacks.adaptive import ADAPTIVE
from pseudovoice.attacks.attack import Attack, Comparing
from pseudovoice.attacks.attacker import Attacker
from pseudovoice.attacks.attributes import ATTRIBUTES
from pseudovoice.attacks.ensemble import ENSEMBLE
from pseudovoice.attacks.gathering import GATHERING, KNOWN_SESSIONS
from pseudovoice.attacks.ignorant import IGNORANT
from pseudovoice.attacks.known_pairs import KNOWN_PAIRS
from pseudovoice.attacks.lazy import LAZY
from pseudovoice.attacks.oracle_key import ORACLE_KEY
from pseudovoice.attacks.semi import SEMI, SEMI_ENCODER
from pseudovoice.attacks.trained import TRAINED
from pseudovoice.errors import UsageError
from pseudovoice.packages import installed

ENTRY_POINTS = "pseudovoice.attackers"

OURS: tuple[Attack, ...] = (
    IGNORANT,
    LAZY,
    SEMI,
    SEMI_ENCODER,
    TRAINED,
    ADAPTIVE,
    GATHERING,
    KNOWN_SESSIONS,
    ENSEMBLE,
    KNOWN_PAIRS,
    ATTRIBUTES,
    ORACLE_KEY,
)
"""In the order in which they are reported: from who knows least to who knows most."""

BASE = IGNORANT.attacker
"""Always attacks: OO, OP and PP, on which every other figure rests, are its comparisons."""

DEFAULT = (IGNORANT.attacker.name, LAZY.attacker.name)


@cache
def attacks() -> dict[str, Attack]:
    """All attacks that are installed, by the name of their attacker; ours come first and win."""
    found = {one.attacker.name: one for one in OURS}
    others = installed(ENTRY_POINTS, "attacker", lambda other: str(other.attacker.name), found)
    return {**found, **dict(others)}


def attackers() -> dict[str, Attacker]:
    """Everybody who may attack, by name."""
    return {name: attack.attacker for name, attack in attacks().items()}


def comparing() -> tuple[str, ...]:
    """Names of those who compare each with each, and have no key that is not theirs."""
    return tuple(
        name
        for name, attack in attacks().items()
        if isinstance(attack, Comparing) and attack.attacker.competes
    )


def attacker(name: str) -> Attacker:
    """One attacker by name."""
    known = attacks()
    if name not in known:
        raise UsageError(f"There is no attacker {name!r}; choose from {', '.join(known)}.")
    return known[name].attacker
