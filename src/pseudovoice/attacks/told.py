"""What can be told of people: one trait, through one ear, before and after protection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from pseudovoice.assessment.estimate import Row, estimate
from pseudovoice.assessment.metrics import METRICS, direction
from pseudovoice.calibration.ladder import Floats

AUC = METRICS["auc"]
CLEAR = 0.6
"""An AUC of unprotected speech below which there is hardly anything to hide."""


@dataclass(frozen=True)
class Told:
    """What an attacker tells of a trait; ``people`` counts the speakers of each of its classes.

    ``rows`` hold the metric ``auc``. ``oo`` is the control. ``op`` is a probe that learnt from
    clear speech, ``pq`` one that learnt from speech under the attacker's own key. Of rooms they
    are what is compared with what, ``pp`` being two protected recordings.
    """

    trait: str
    encoder: str
    people: dict[str, int]
    rows: tuple[Row, ...]

    def row(self, condition: str) -> Row | None:
        """The row of a condition; None where it was not tried."""
        return next((row for row in self.rows if row.condition == condition), None)

    @property
    def control(self) -> Row:
        row = self.row("oo")
        assert row is not None
        return row

    @property
    def worst(self) -> Row:
        """The row of protected speech that tells most."""
        after = [row for row in self.rows if row.condition != "oo"]
        return max(after, key=lambda row: float(row.value))

    @property
    def verdict(self) -> str:
        """In plain words, with the numbers they rest on."""
        before, after = float(self.control.value), float(self.worst.value)
        if self.control.chance and self.worst.chance is False:
            # A safeguard that treats the classes differently marks them.
            return (
                f"{self.trait} can be told from protected speech (AUC {shown(after)}), and hardly "
                f"from unprotected speech ({shown(before)})"
            )
        if self.control.chance or before < CLEAR:
            return f"{self.trait} can hardly be told from unprotected speech (AUC {shown(before)})"
        numbers = f"AUC {shown(after)}, unprotected {shown(before)}"
        if self.worst.chance:
            return f"{self.trait} can no longer be told from chance: {numbers}"
        much = after - 0.5 > 0.5 * (before - 0.5)
        return f"{self.trait} can {'still be told' if much else 'be told less well'}: {numbers}"

    def to_dict(self) -> dict[str, Any]:
        """In figures and words, as JSON can hold them; intervals are in the rows."""
        return {
            "trait": self.trait,
            "encoder": self.encoder,
            "people": self.people,
            **{f"auc_{row.condition}": float(row.value) for row in self.rows},
            "verdict": self.verdict,
        }


def shown(auc: float) -> str:
    """Two decimals, and one more where two would say that nothing is ever told wrong."""
    return f"{auc:.3f}" if 0.995 <= auc < 1.0 else f"{auc:.2f}"


@dataclass(frozen=True)
class Draws:
    """How often speakers are drawn and labels shuffled, and from which seed."""

    replicates: int
    permutations: int
    seed: int

    def of(self, *what: str) -> np.random.Generator:
        """Randomness of its own for everything that has a name, whatever else is drawn."""
        return np.random.default_rng([self.seed, *(crc32(word.encode()) for word in what)])


def auc_row(
    condition: str,
    what: tuple[str, str],
    value: float,
    drawn: Floats,
    shuffled: Floats,
    *,
    trials: tuple[int, int],
    method: str,
) -> Row:
    """A row of the table; ``what`` are the trait and the encoder, ``trials`` of and off the class.

    ``drawn`` are values of drawn speakers, ``shuffled`` those of shuffled labels; both may be
    empty.
    """
    trait, encoder = what
    made = estimate(AUC.name, value, drawn, shuffled)
    return Row(
        condition=condition,
        attacker=f"attributes ({trait}), {encoder}",
        metric=AUC.name,
        value=made.value,
        low=made.low,
        high=made.high,
        null=made.null,
        null_95=made.null_95,
        chance=made.chance,
        n_mated=trials[0],
        n_nonmated=trials[1],
        unit=AUC.unit,
        direction=direction(AUC.name, condition),
        method=f"{AUC.method}; {method}",
    )
