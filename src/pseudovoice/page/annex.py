"""The annex to a data-protection impact assessment: standards' words beside what was found.

ISO/IEC 24745 asks of protected biometric references that they be irreversible, unlinkable and
renewable; opinion WP216 asks whether people can be singled out, linked, or have things inferred
about them. The judgement is the controller's: the page leaves room for it and makes none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pseudovoice.attacks.attacker import Attacker
from pseudovoice.attacks.registry import BASE, attacker
from pseudovoice.figures.wording import number
from pseudovoice.page.headline import finding, headline
from pseudovoice.page.study import AnnexRow, SafeguardResults, ShownAttack, TraitTold

ISO = "ISO/IEC 24745"
WP216 = "WP216 (Opinion 05/2014)"


def annex_rows(safeguards: Sequence[SafeguardResults]) -> tuple[AnnexRow, ...]:
    """The six properties with the findings on every safeguard."""
    return (
        AnnexRow(
            ISO,
            "Irreversibility",
            "Can what was protected be had back, by whoever knows how it was protected?",
            (
                *(line for one in safeguards for line in _irreversible(one)),
                "Undoing the transformation itself was not tried.",
            ),
        ),
        AnnexRow(
            ISO,
            "Unlinkability",
            "Can protected speech be linked to other recordings of the same person?",
            tuple(line for one in safeguards for line in (*_linked(one), *_sessions(one))),
        ),
        AnnexRow(
            ISO,
            "Renewability",
            "Can a person be given a new pseudo-voice that leads nobody to the old one?",
            tuple(line for one in safeguards for line in _renewable(one)),
        ),
        AnnexRow(
            WP216,
            "Singling out",
            "Can one person be picked out of the protected recordings?",
            tuple(line for one in safeguards for line in _singled_out(one)),
        ),
        AnnexRow(
            WP216,
            "Linkability",
            "Can two records of one person be recognised as such?",
            (
                "Within one session they can, by design: a pseudo-voice is the same throughout.",
                *(line for one in safeguards for line in _sessions(one)),
            ),
        ),
        AnnexRow(
            WP216,
            "Inference",
            "Can other things be concluded about a person?",
            (
                *(line for one in safeguards for line in _inferred(one)),
                "Nothing else was tested." if _asked(safeguards) else "Not tested.",
                "Age, gender, accent, health and mood may be heard in a protected voice; what is "
                "said was not changed.",
            ),
        ),
    )


def _everybody(one: SafeguardResults, wanted: Callable[[Attacker], bool]) -> list[ShownAttack]:
    return [a for a in one.attacks if a.group == "all" and wanted(attacker(a.attacker))]


def _worst(attacks: Sequence[ShownAttack]) -> ShownAttack | None:
    able = [a for a in attacks if not a.too_weak] or list(attacks)
    return max(able, key=lambda a: float(a.metrics["d_ece"].value), default=None)


def _found(one: SafeguardResults, attack: ShownAttack) -> str:
    return (
        f"{one.name}: the {attack.attacker} attacker {attack.knows}; heard through "
        f"{attack.encoder}, {finding(attack)}."
    )


def _irreversible(one: SafeguardResults) -> list[str]:
    informed = _worst(_everybody(one, lambda who: who.protects))
    leak = _worst(_everybody(one, lambda who: not who.competes))
    if informed is None:
        said = [f"{one.name}: no attacker who knows the safeguard was tested."]
    else:
        said = [_found(one, informed)]
    return said + ([_found(one, leak)] if leak is not None else [])


def _linked(one: SafeguardResults) -> list[str]:
    ignorant = _worst(_everybody(one, lambda who: who == BASE))
    return [] if ignorant is None else [_found(one, ignorant)]


def _sessions(one: SafeguardResults) -> list[str]:
    said = [s.says for s in one.sessions if s.group == "all"]
    if not said:
        return [f"{one.name}: linking two sessions was not tested."]
    return [f"{one.name}: {text}." for text in dict.fromkeys(said)]


def _renewable(one: SafeguardResults) -> list[str]:
    if one.deterministic:
        return [f"{one.name}: no; it has no secret that could be changed."]
    if one.elsewhere:
        return [f"{one.name}: unknown; it was made elsewhere.", *_sessions(one)]
    return [f"{one.name}: a new key or session draws a new voice.", *_sessions(one)]


def _asked(safeguards: Sequence[SafeguardResults]) -> bool:
    return any(one.told for one in safeguards)


def _inferred(one: SafeguardResults) -> list[str]:
    """Of each trait, what the ear that tells most of it tells."""
    best: dict[str, TraitTold] = {}
    for told in one.told:
        known = best.setdefault(told.trait, told)
        if _most(told) > _most(known):
            best[told.trait] = told
    return [f"{one.name}: {told.says} (heard through {told.encoder})." for told in best.values()]


def _most(told: TraitTold) -> float:
    return max(float(found.value) for found in told.found.values())


def _by_chance(attack: ShownAttack) -> str:
    """Somebody is always worst: what that looks like where nothing is told."""
    person = attack.metrics.get("d_ece_person")
    if person is None or person.null_95 is None:
        return ""
    return f"; of so many people chance alone shows one with up to {number(person.null_95, 3)}"


def _singled_out(one: SafeguardResults) -> list[str]:
    worst = _worst(_everybody(one, lambda who: who.competes))
    if worst is None:
        return [f"{one.name}: no attack was made."]
    if worst.too_weak:
        return [f"{one.name}: {headline(one.attacks)}"]
    l_w, tag = worst.metrics["l_w"], worst.metrics["tag"]
    said = [
        f"{one.name}: against the {worst.attacker} attacker ({worst.encoder}) the strongest single "
        f"comparison shifts the odds by 10 to the power of {number(float(l_w.value), 1)} (tag "
        f"{tag.value}); so few comparisons could have shown {number(worst.ceiling, 1)} at most."
    ]
    people = [
        row
        for row in one.speakers
        if (row.attacker, row.encoder, row.group) == (worst.attacker, worst.encoder, "all")
    ]
    if people:
        first = max(people, key=lambda row: float(row.d_ece.value))
        said.append(
            f"{one.name}: the most disclosed speaker is {first.speaker} (D_ECE "
            f"{number(float(first.d_ece.value), 3)} bit, tag {first.tag}){_by_chance(worst)}."
        )
    return said
