"""Disclosure per speaker: who is protected worst (the future work of noe2022 §8).

The condition's calibrated LLRs are restricted to the trials that have the speaker on either
side; nothing is calibrated per speaker. D_ECE may then be negative: the evidence misleads the
attacker about this person.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pseudovoice.assessment.condition import Condition
from pseudovoice.assessment.estimate import Estimate, estimate
from pseudovoice.assessment.zebra import tag
from pseudovoice.calibration.ladder import Floats


@dataclass(frozen=True)
class SpeakerRow:
    """Disclosure of one speaker in one condition; bounds and null as in `Row`."""

    condition: str
    speaker: str
    d_ece: float
    d_ece_low: float | None
    d_ece_high: float | None
    d_ece_null: float | None
    d_ece_null_95: float | None
    chance: bool | None
    l_w: float
    l_w_low: float | None
    l_w_high: float | None
    tag: str
    n_mated: int
    n_nonmated: int
    attacker: str = ""
    group: str = "all"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def most_disclosed(part: Condition) -> Estimate | None:
    """D_ECE of the person of whom most is told; None where speakers are not named.

    The interval is that of this person. The largest of many numbers is large by chance alone, the
    more so the more people there are and the fewer trials each has: the null level is therefore the
    largest of everybody's whenever names are shuffled, and not that of one person.
    """
    if not part.scores.named or part.evaluation.constant:
        return None
    d_ece, _ = part.per_speaker
    if not np.isfinite(d_ece).any():
        return None
    worst = int(np.nanargmax(d_ece))
    seen, boot, null = part.observed, part.resampled, part.permuted
    assert seen.speaker_d_ece is not None
    largest: Floats | None = None
    if null is not None and null.speaker_d_ece is not None:
        among = null.speaker_d_ece[:, np.isfinite(d_ece)]
        largest = np.where(np.isnan(among), -np.inf, among).max(axis=1)
    return estimate(
        "d_ece_person",
        float(d_ece[worst]),
        None if boot is None or boot.speaker_d_ece is None else boot.speaker_d_ece[:, worst],
        largest,
        observed=float(seen.speaker_d_ece[0, worst]),
    )


def speaker_rows(part: Condition) -> list[SpeakerRow]:
    """Every speaker with mated and non-mated trials, the worst disclosed first."""
    if not part.scores.named or part.evaluation.constant:
        return []
    seen, boot, null = part.observed, part.resampled, part.permuted
    assert seen.speaker_d_ece is not None
    assert seen.speaker_l_w is not None
    d_ece, l_w = part.per_speaker
    mated, other = part.trials_per_speaker
    rows = []
    for k in np.flatnonzero(np.isfinite(d_ece)):
        # A speaker's own D_ECE has the range of C_ECE: it is not clipped at 0.
        expected = estimate(
            "c_ece_isotonic",
            float(d_ece[k]),
            None if boot is None or boot.speaker_d_ece is None else boot.speaker_d_ece[:, k],
            None if null is None or null.speaker_d_ece is None else null.speaker_d_ece[:, k],
            observed=float(seen.speaker_d_ece[0, k]),
        )
        worst = estimate(
            "l_w",
            float(l_w[k]),
            None if boot is None or boot.speaker_l_w is None else boot.speaker_l_w[:, k],
            None if null is None or null.speaker_l_w is None else null.speaker_l_w[:, k],
            observed=float(seen.speaker_l_w[0, k]),
        )
        rows.append(
            SpeakerRow(
                part.name,
                part.scores.speakers[k],
                float(expected.value),
                _number(expected.low),
                _number(expected.high),
                expected.null,
                expected.null_95,
                expected.chance,
                float(worst.value),
                _number(worst.low),
                _number(worst.high),
                tag(float(worst.value)),
                int(mated[k]),
                int(other[k]),
            )
        )
    return sorted(rows, key=lambda row: (-row.d_ece, row.speaker))


def _number(bound: float | str | None) -> float | None:
    return None if bound is None else float(bound)
