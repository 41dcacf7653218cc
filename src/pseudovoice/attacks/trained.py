"""The attacker with an ear for pseudo-voices: its encoder itself learnt what a safeguard leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pseudovoice.attacks.attack import AttackScores
from pseudovoice.attacks.attacker import Attacker

if TYPE_CHECKING:
    from pseudovoice.attacks.heard import Heard


@dataclass(frozen=True)
class Learning:
    """Compares speech it protected itself with what is released, through an ear of its own.

    Encoder and back-end have learnt from other people, of whom every utterance had another voice:
    what two recordings of a person share under such voices is what survives the safeguard.
    """

    attacker: Attacker

    def scores(self, heard: Heard) -> AttackScores | None:
        enrolled, backend = heard.enrolled(self.attacker), heard.retrained
        if enrolled is None or backend is None:
            return None
        o, p = heard.original, heard.protected
        return AttackScores(
            {
                "oo": heard.compare(o, o, backend),
                self.attacker.condition: heard.compare(enrolled, p, backend),
            }
        )


TRAINED = Learning(
    Attacker(
        name="trained",
        title="trained",
        knows="does what lazy does and hears through an encoder that it trained on speech it "
        "protected itself",
        summary="An attacker with an ear for pseudo-voices",
        explained=(
            "Its encoder has been trained further on other people's speech, every utterance with "
            "another pseudo-voice, so that it hears what the safeguard leaves of a person; a PLDA "
            "learns from the same speech. It compares as the lazy one does: condition pq. Training "
            "takes long and the extra `train`, so it attacks only when asked for by name."
        ),
        reference="maouche2022 §4.1 (the encoder retrained); this project",
        condition="pq",
        enrolment="own key",
        trains=True,
        learns=True,
        by_name=True,
    )
)
