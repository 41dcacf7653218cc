"""All attackers together: what each of them and each recogniser hears, weighed on other people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pseudovoice.attacks.attack import AttackScores
from pseudovoice.attacks.attacker import Attacker

if TYPE_CHECKING:
    from pseudovoice.attacks.heard import Heard, Scores
    from pseudovoice.scores.scoreset import ScoreSet

EVERY_ENCODER = "all encoders"
"""Whose ear it is, where tables name a recogniser."""


@dataclass(frozen=True)
class Part:
    """What one attacker found through one encoder."""

    who: Attacker
    encoder: str
    found: AttackScores

    @property
    def name(self) -> str:
        return f"{self.who.name}, {self.encoder}"

    @property
    def scores(self) -> Scores:
        return self.found.conditions[self.who.condition]

    @property
    def control(self) -> Scores:
        return self.found.conditions["oo"]


@dataclass(frozen=True)
class Together:
    """The fused scores, who is in them, and what could not be."""

    scores: AttackScores | None
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Fusing:
    """Fuses what the others found; through one ear alone it finds nothing."""

    attacker: Attacker

    def scores(self, heard: Heard) -> AttackScores | None:
        del heard
        return None

    def fused(self, parts: Sequence[Part], seed: int = 0) -> Together:
        """One attack of all that score the same trials, its control of all of their controls."""
        from pseudovoice.backends.cross_fit import FEWEST, cross_fitted, same_trials
        from pseudovoice.scores.scoreset import ScoreSet

        exact = [(part, part.scores) for part in parts if isinstance(part.scores, ScoreSet)]
        alike: list[list[tuple[Part, ScoreSet]]] = []
        for part, scores in exact:
            mine = next((some for some in alike if same_trials(some[0][1], scores)), None)
            if mine is None:
                alike.append([(part, scores)])
            else:
                mine.append((part, scores))
        most = max(alike, key=len, default=[])
        notes = [
            f"{part.name}: no part of the ensemble, since it compares other trials."
            for some in alike
            if some is not most
            for part, _ in some
        ]
        if len(most) < 2 or not any(part.who.protects for part, _ in most):
            return Together(None, (*notes, "the ensemble has no informed attackers to fuse."))
        if len(most[0][1].speakers) < FEWEST:
            return Together(None, (*notes, f"the ensemble learns on {FEWEST} people or more."))
        attack = cross_fitted([scores for _, scores in most], seed)
        # Attackers who hear alike have one control, which counts once.
        controls = list(
            {id(c): c for part, _ in most if isinstance(c := part.control, ScoreSet)}.values()
        )
        control = cross_fitted([c for c in controls if same_trials(controls[0], c)], seed)
        conditions = {"oo": control, self.attacker.condition: attack}
        return Together(AttackScores(conditions), tuple(notes))


def lacks_others(named: Sequence[Attacker]) -> bool:
    """Whether somebody is to fuse, and nobody informed attacks whose scores could be."""
    others = [who for who in named if who.protects and who.competes and not who.fuses]
    return any(who.fuses for who in named) and not others


ENSEMBLE = Fusing(
    Attacker(
        name="ensemble",
        title="all together",
        knows="hears with every recogniser what all the others hear, and has learnt on other "
        "people how much to trust each",
        summary="All attackers together, through all recognisers",
        explained=(
            "It fuses the scores of all attackers that were asked for, through all recognisers, "
            "by logistic regression: condition pq. The weights for two people are learnt on "
            "trials of others only. Who has the key is no part of it, nor is who compares other "
            "trials, such as groups of utterances."
        ),
        reference="this project; logistic fusion: Brümmer and de Villiers 2011",
        condition="pq",
        enrolment="own key",
        fuses=True,
        by_name=True,
    )
)
