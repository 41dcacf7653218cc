"""Person by person: what each attacker learnt about them, and what protects them better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pseudovoice.assessment.estimate import Estimate
from pseudovoice.assessment.speakers import SpeakerRow
from pseudovoice.attacks.assess import AudioAssessment
from pseudovoice.attacks.registry import BASE
from pseudovoice.attacks.result import AttackResult
from pseudovoice.page.study import Better, Matrix, SafeguardResults, SpeakerResult

KNOWN = 0.05
"""Diagonal dominance of a person in M_OO below which there is nothing to hide."""


def speaker_results(assessed: AudioAssessment) -> tuple[SpeakerResult, ...]:
    """Every speaker under every attack, the most disclosed of each attack first."""
    made = []
    for one in assessed.results:
        deid = _deid(one) if one.who == BASE else {}
        control = {r.speaker: _disclosed(r) for r in one.speakers if r.condition == "oo"}
        for row in one.speakers:
            if row.condition != one.condition:
                continue
            made.append(
                SpeakerResult(
                    speaker=row.speaker,
                    attacker=one.attacker,
                    encoder=one.encoder,
                    group=one.group,
                    d_ece=_disclosed(row),
                    l_w=Estimate(row.l_w, row.l_w_low, row.l_w_high),
                    tag=row.tag,
                    n_mated=row.n_mated,
                    n_nonmated=row.n_nonmated,
                    control=control.get(row.speaker),
                    deid=deid.get(row.speaker),
                )
            )
    return tuple(made)


def _disclosed(row: SpeakerRow) -> Estimate:
    return Estimate(
        row.d_ece,
        row.d_ece_low,
        row.d_ece_high,
        row.d_ece_null,
        row.d_ece_null_95,
        row.chance,
    )


def with_better(safeguards: Sequence[SafeguardResults]) -> list[SafeguardResults]:
    """Name, for each person and attack, the other safeguard that discloses them least."""
    found: dict[tuple[str, ...], list[tuple[str, Estimate]]] = {}
    for one in safeguards:
        for row in one.speakers:
            found.setdefault(_case(row), []).append((one.name, row.d_ece))
    return [
        replace(
            one,
            speakers=tuple(
                replace(row, better=_better(one.name, row.d_ece, found[_case(row)]))
                for row in one.speakers
            ),
        )
        for one in safeguards
    ]


def _case(row: SpeakerResult) -> tuple[str, ...]:
    return row.speaker, row.attacker, row.encoder, row.group


def _better(name: str, mine: Estimate, all_of_them: list[tuple[str, Estimate]]) -> Better | None:
    others = [(other, e) for other, e in all_of_them if other != name]
    if not others:
        return None
    least, e = min(others, key=lambda pair: float(pair[1].value))
    if float(e.value) >= float(mine.value):
        return None
    sure = e.high is not None and mine.low is not None and float(e.high) < float(mine.low)
    return Better(least, float(e.value), sure)


def _deid(part: AttackResult) -> dict[str, float]:
    """DeID of each speaker who stands in M_OO and M_OP (see `SpeakerResult`)."""
    oo, op = part.matrices.get("oo"), part.matrices.get("op")
    if oo is None or op is None or oo.speakers != op.speakers:
        return {}
    before, after = dominance(oo.values), dominance(op.values)
    return {
        name: 1.0 - float(a) / float(b)
        for name, a, b in zip(oo.speakers, after, before, strict=True)
        if b >= KNOWN
    }


def dominance(values: Matrix) -> Matrix:
    """How far each diagonal element stands from the rest of its row and column."""
    n = values.shape[0]
    own = values.diagonal()
    rest = (values.sum(axis=0) + values.sum(axis=1) - 2.0 * own) / (2.0 * (n - 1))
    away: Matrix = np.abs(own - rest)
    return away
