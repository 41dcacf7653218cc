"""The five lines of a report that a newcomer reads first."""

from __future__ import annotations

from collections.abc import Sequence

from pseudovoice.assessment.estimate import Estimate
from pseudovoice.attacks.registry import attacker
from pseudovoice.figures.wording import number
from pseudovoice.page.headline import hidden_least
from pseudovoice.page.study import SafeguardResults, ShownAttack, Study


def five_lines(study: Study) -> list[str]:
    """What the recogniser can do, what is left of it under each safeguard, and what that costs.

    The control comes first: without it nobody can tell protection from a poor recogniser.
    """
    lines = [_control(study), *(f"{one.name}: {_verdict(one)}" for one in study.safeguards)]
    return [*lines, _words(study.safeguards) or _voices(study.safeguards)]


def _fair(one: SafeguardResults) -> list[ShownAttack]:
    return [a for a in one.attacks if a.group == "all" and attacker(a.attacker).competes]


def _control(study: Study) -> str:
    attacks = [a for one in study.safeguards for a in _fair(one)]
    if not attacks:
        return "no protection: nobody attacked."
    attack = min(attacks, key=lambda a: float(a.control["eer"].value))
    return (
        f"no protection: the recogniser {attack.encoder} tells {study.corpus.speakers} voices "
        f"apart with {_percent(attack.control['eer'])} of errors (equal error rate; 50 % would be "
        "guessing)."
    )


def _verdict(one: SafeguardResults) -> str:
    """The strongest attack, in the order: who, what is left, how sure."""
    attacks = _fair(one)
    able = [a for a in attacks if not a.too_weak]
    if not able:
        return one.headline
    worst = max(able, key=lambda a: float(a.metrics["d_ece"].value))
    return (
        f"the strongest attacker {worst.knows}. Verdict: {worst.verdict} "
        f"({_bits(worst.metrics['d_ece'])} of {_bits(worst.control['d_ece'])}), with "
        f"{_percent(worst.metrics['eer'])} of errors; worst case tag {worst.metrics['tag'].value}."
    )


def _words(safeguards: Sequence[SafeguardResults]) -> str | None:
    found = [
        f"{one.name} {_percent(row.protected)}"
        for one in safeguards
        for row in one.utility
        if row.metric == "wer" and row.group == "all"
    ]
    if not found:
        return None
    return (
        "words: of those that a speech recogniser hears in the original English recordings it "
        f"gets this share wrong after protection: {', '.join(found)}."
    )


def _voices(safeguards: Sequence[SafeguardResults]) -> str:
    found = [
        f"{one.name} {_interval(point.g_vd, 1.0, 1)} dB through {point.encoder}"
        for one in safeguards
        if (point := hidden_least(one.places)) is not None
    ]
    if not found:
        return "voices kept apart (G_VD): every recogniser is too weak to conclude."
    return f"voices kept apart (G_VD, 0 dB is as before): {', '.join(found)}."


def _percent(e: Estimate) -> str:
    return f"{_interval(e, 100.0, 1)} %"


def _bits(e: Estimate) -> str:
    return f"{_interval(e, 1.0, 2)} bit"


def _interval(e: Estimate, factor: float, digits: int) -> str:
    """A value and its 95 % interval."""
    value = number(factor * float(e.value), digits)
    if e.low is None or e.high is None:
        return value
    low, high = (number(factor * float(bound), digits) for bound in (e.low, e.high))
    return f"{value} [{low}, {high}]"
