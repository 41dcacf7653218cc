"""An attacker of one's own: it averages all that it has of a person before it compares."""

from __future__ import annotations

import numpy as np

from pseudovoice.attacks.attack import AttackScores
from pseudovoice.attacks.attacker import Attacker
from pseudovoice.attacks.heard import Heard
from pseudovoice.embeddings.embeddings import Embeddings


class Patient:
    attacker = Attacker(
        name="patient",
        title="patient",
        knows="averages all that it has of a speaker before it compares",
        summary="An attacker with time",
        explained="It compares the mean of a speaker's recordings with each protected one.",
        reference="an example of pseudovoice",
        condition="pq",
        enrolment="own key",
    )

    def scores(self, heard: Heard) -> AttackScores | None:
        """The attack and, as its control, the same on unprotected speech."""
        if heard.own is None:
            return None  # nobody has protected speech for this attacker
        return AttackScores(
            {
                "oo": heard.compare(_mean(heard.original), heard.original, heard.backend),
                "pq": heard.compare(_mean(heard.own), heard.protected, heard.backend),
            }
        )


def _mean(speech: Embeddings) -> Embeddings:
    who = np.array(speech.speakers)
    means = np.stack([speech.vectors[who == name].mean(axis=0) for name in speech.speakers])
    return Embeddings(means, speech.ids, speech.speakers)


PATIENT = Patient()
