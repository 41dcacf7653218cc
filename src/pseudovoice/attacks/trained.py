"""The attacker with an ear for pseudo-voices: its encoder itself learnt what a safeguard leaves.

Encoder and back-end have learnt from other people, of whom every utterance had another voice: what
two recordings of a person share under such voices is what survives the safeguard.
"""

from pseudovoice.attacks.attack import Comparing
from pseudovoice.attacks.attacker import Attacker

TRAINED = Comparing(
    Attacker(
        name="trained",
        title="trained",
        knows="does what lazy does and hears through an encoder that it trained on speech it "
        "protected itself",
        summary="An attacker with an ear for pseudo-voices",
        explained=(
            "A published encoder has been trained further on other people's speech, every "
            "utterance with another pseudo-voice, so that it hears what the safeguard leaves of a "
            "person; a PLDA learns from the same speech. It compares as the lazy one does: "
            "condition pq. Training takes long and the extra `train`, so it attacks only when "
            "asked for by name."
        ),
        reference="this project, after maouche2022 §4.1",
        condition="pq",
        enrolment="own key",
        retrains="encoder and back-end",
        ear="ecapa",
        by_name=True,
    )
)
