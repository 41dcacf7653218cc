"""An attack: from what an encoder heard to the scores of a condition, beside its control."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from pseudovoice.attacks.attacker import Attacker
from pseudovoice.attacks.had import NOTHING, Had

if TYPE_CHECKING:  # who attacks can be listed without loading what they attack with
    from pseudovoice.attacks.heard import Heard, Scores


@dataclass(frozen=True)
class AttackScores:
    """Scores by condition: the attack's own, ``oo`` as its control, and what goes with them.

    ``other_run`` are those of another run of the safeguard, on which calibration is learnt for
    C_ECE (noe2022 Eq. 15–16). ``along`` are the attack's own scores had it had less, by how much
    that is; ``budget`` is what it had, if that can be more or less.
    """

    conditions: Mapping[str, Scores]
    other_run: Mapping[str, Scores] = field(default_factory=dict)
    along: Mapping[Had, Scores] = field(default_factory=dict)
    budget: Had = NOTHING


@runtime_checkable
class Attack(Protocol):
    """What an attacker does; a new one is such an object, and a line in the registry.

    ``scores`` is asked once for each encoder and group of speakers; None says that the attacker
    lacks what it needs.
    """

    @property
    def attacker(self) -> Attacker: ...
    def scores(self, heard: Heard) -> AttackScores | None: ...


@dataclass(frozen=True)
class Comparing:
    """Compares the speech it has with protected speech, each utterance with each.

    Whoever compares with originals is also where the framework of noe2022 looks at how distinct
    pseudo-voices are (PP) and at how calibration carries over from one run to another. Whoever
    trains compares with a back-end of its own, and hears for itself how distinct they are.
    """

    attacker: Attacker

    def scores(self, heard: Heard) -> AttackScores | None:
        enrolled = heard.enrolled(self.attacker)
        backend = heard.retrained if self.attacker.trains else heard.backend
        if enrolled is None or (self.attacker.trains and backend is None):
            return None
        o, p = heard.original, heard.protected
        control = heard.compare(o, o, backend)
        condition = self.attacker.condition
        if condition != "op":
            found = {"oo": control, condition: heard.compare(enrolled, p, backend)}
            # To who learnt from pseudo-voices they may be more distinct (noe2022 §8).
            distinct = {"pp": heard.compare(p, p, backend)} if self.attacker.trains else {}
            return AttackScores({**found, **distinct})
        pp = heard.compare(p, p, backend)
        other: dict[str, Scores] = {}
        if heard.another is not None and len(set(heard.another.speakers)) > 1:
            other["op"] = heard.compare(o, heard.another, backend)
        return AttackScores(
            {"oo": control, "op": heard.compare(enrolled, p, backend), "pp": pp}, other
        )
