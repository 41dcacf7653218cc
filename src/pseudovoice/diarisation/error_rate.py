"""The diarisation error rate: how much of the speech is given to nobody, or to somebody else.

Conventions
-----------
- People have other names in the two sets of turns; those are paired so that as much speech as
  possible is right (one to one, by linear assignment).
- At every moment with R people in the reference and S in the system, of whom C are paired rightly,
  max(0, R − S) are missed, max(0, S − R) a false alarm and min(R, S) − C confused. Where two speak
  at once both count. The rate is the sum of the three over all seconds of R; it can exceed 1.
- A collar of c seconds leaves out c before and c after the start and the end of every turn of the
  reference, as NIST's md-eval does. (pyannote.metrics calls the same a collar of 2c.)
- A reference without speech has no rate: NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pseudovoice.diarisation.turns import Strip, Turns
from pseudovoice.errors import UsageError


@dataclass(frozen=True)
class DiarisationError:
    """Seconds of each kind of error, and of speech in the reference; they add up over recordings.

    ``names`` says who of the system is whom of the reference.
    """

    missed: float
    false_alarm: float
    confusion: float
    speech: float
    names: dict[str, str]

    @property
    def rate(self) -> float:
        """DER: 0 is right throughout."""
        wrong = self.missed + self.false_alarm + self.confusion
        return wrong / self.speech if self.speech > 0 else float("nan")

    def __add__(self, other: DiarisationError) -> DiarisationError:
        """Of both together; who is whom holds for one recording alone."""
        return DiarisationError(
            self.missed + other.missed,
            self.false_alarm + other.false_alarm,
            self.confusion + other.confusion,
            self.speech + other.speech,
            {},
        )

    def to_dict(self) -> dict[str, float]:
        return {
            "der": self.rate,
            "missed": self.missed,
            "false_alarm": self.false_alarm,
            "confusion": self.confusion,
            "speech": self.speech,
        }

    def said(self, collar: float) -> str:
        """In words, with the collar that it was measured with."""
        shares = (
            f"{100 * part / self.speech if self.speech else 0.0:.1f} % {name}"
            for name, part in (
                ("missed", self.missed),
                ("false alarm", self.false_alarm),
                ("confusion", self.confusion),
            )
        )
        where = f"collar {collar:g} s" if collar else "no collar"
        return f"DER {100 * self.rate:.1f} % ({', '.join(shares)}; {where})"


COLLARS = (0.0, 0.25)
"""Seconds; without any, and with the usual one."""


def errors_of(pairs: Sequence[tuple[Turns, Turns]]) -> dict[float, DiarisationError]:
    """By collar, the errors of all recordings together; pairs of the true turns and the others."""
    return {
        collar: sum(
            (diarisation_error(told, found, collar=collar) for told, found in pairs),
            DiarisationError(0.0, 0.0, 0.0, 0.0, {}),
        )
        for collar in COLLARS
    }


def said_error(pairs: Sequence[tuple[Turns, Turns]]) -> str:
    """The same in words."""
    return ", ".join(error.said(collar) for collar, error in errors_of(pairs).items())


def diarisation_error(reference: Turns, system: Turns, *, collar: float = 0.0) -> DiarisationError:
    """Compare turns with those of a reference; see the conventions above."""
    if not 0.0 <= collar < float("inf"):
        raise UsageError(f"A collar is a number of seconds from 0 up, not {collar}.")
    end = max(reference.end, system.end)
    moments = _moments(reference, system, collar, end)
    names = _paired(moments, reference.people, system.people)
    missed = false_alarm = confusion = spoken = 0.0
    for seconds, told, found in moments:
        right = sum(names.get(person) in told.people for person in found.people)
        there, given = len(told.people), len(found.people)
        spoken += seconds * there
        missed += seconds * max(0, there - given)
        false_alarm += seconds * max(0, given - there)
        confusion += seconds * (min(there, given) - right)
    return DiarisationError(missed, false_alarm, confusion, spoken, names)


def _moments(
    reference: Turns, system: Turns, collar: float, end: float
) -> list[tuple[float, Strip, Strip]]:
    """Stretches, outside collars, in which nothing changes in either: seconds and who speaks."""
    told, found = reference.strips(end), system.strips(end)
    borders = sorted({edge for turn in reference.turns for edge in (turn.start, turn.end)})
    collars = [(edge - collar, edge + collar) for edge in borders if collar > 0]
    cuts = {0.0, end}
    cuts.update(min(max(0.0, edge), end) for pair in collars for edge in pair)
    cuts.update(strip.start for strip in (*told, *found))
    edges = sorted(cuts)
    middles = (np.array(edges[1:]) + np.array(edges[:-1])) / 2.0
    kept = np.ones(len(middles), bool)
    for low, high in collars:
        kept[np.searchsorted(middles, low) : np.searchsorted(middles, high)] = False
    rows, columns = (
        np.searchsorted([s.start for s in x], middles, "right") - 1 for x in (told, found)
    )
    return [
        (edges[k + 1] - edges[k], told[rows[k]], found[columns[k]]) for k in np.flatnonzero(kept)
    ]


def _paired(
    moments: Sequence[tuple[float, Strip, Strip]], told: Sequence[str], found: Sequence[str]
) -> dict[str, str]:
    """Who of the system is whom of the reference, so that most seconds are right."""
    from scipy.optimize import linear_sum_assignment

    shared = np.zeros((len(found), len(told)))
    row, column = ({name: k for k, name in enumerate(names)} for names in (found, told))
    for seconds, one, other in moments:
        for person in other.people:
            for true in one.people:
                shared[row[person], column[true]] += seconds
    rows, columns = linear_sum_assignment(-shared)
    return {found[a]: told[b] for a, b in zip(rows, columns, strict=True) if shared[a, b] > 0}
