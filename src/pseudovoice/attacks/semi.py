"""The semi-informed attacker of maouche2022 and VoicePrivacy: lazy, with a back-end retrained."""

from pseudovoice.attacks.attack import Comparing
from pseudovoice.attacks.attacker import Attacker

SEMI = Comparing(
    Attacker(
        name="semi",
        title="semi-informed",
        knows="does what lazy does and trains its recogniser on speech it protected itself",
        summary="An attacker whose recogniser has learnt from protected speech",
        explained=(
            "Lazy-informed, and its recogniser has been adapted or trained again on speech it "
            "protected itself, every utterance with another pseudo-voice. Considerably "
            "stronger."
        ),
        reference="maouche2022 §4.1",
        condition="pq",
        enrolment="own key",
        trains=True,
    )
)
