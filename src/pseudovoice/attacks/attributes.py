"""The attacker who does not ask who speaks, but what can be told of them (inference, WP216)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pseudovoice.attacks.attacker import Attacker

if TYPE_CHECKING:  # who attacks can be listed without loading what they attack with
    from pseudovoice.attacks.attack import AttackScores
    from pseudovoice.attacks.heard import Heard


@dataclass(frozen=True)
class Inferring:
    """Scores no pair of voices: what it finds is in :class:`~pseudovoice.attacks.told.Told`."""

    attacker: Attacker

    def scores(self, heard: Heard) -> AttackScores | None:
        del heard
        return None


ATTRIBUTES = Inferring(
    Attacker(
        name="attributes",
        title="attributes",
        knows="wants to know what the speakers are, not who: sex, age, accent, language, emotion, "
        "or whether two recordings come from one room",
        summary="An attacker who infers what people are",
        explained=(
            "It learns from some people what a class of people sounds like and tries that on "
            "others: from clear speech on clear speech (oo, the control), from clear speech on "
            "protected speech (op), and from speech it protected itself with its own key (pq). It "
            "hears through the encoders, and through prosody. Everything that the corpus labels "
            "and that at least five speakers of each of two classes share is tried. Whether two "
            "recordings of a speaker come from one session is tried by their likeness, and by "
            "the noise between the words. It does not count among the strongest, which ask who "
            "speaks."
        ),
        reference="WP216 (Opinion 05/2014) on inference",
        condition="pq",
        enrolment="own key",
        infers=True,
        competes=False,
    )
)
