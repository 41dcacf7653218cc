"""The semi-informed attacker of maouche2022 and VoicePrivacy: lazy, with a recogniser retrained."""

from pseudovoice.attacks.attack import Comparing
from pseudovoice.attacks.attacker import Attacker

SEMI = Comparing(
    Attacker(
        name="semi",
        title="semi-informed",
        knows="does what lazy does and retrains its back-end (PLDA) on speech it protected itself; "
        "its encoder stays as it is",
        summary="An attacker whose back-end has learnt from protected speech",
        explained=(
            "Lazy-informed, and the PLDA behind its encoder has been trained again on other "
            "people's speech that it protected itself, every utterance with another pseudo-voice. "
            "Considerably stronger. The encoder is not retrained, as it is in the papers: that is "
            "semi-encoder."
        ),
        reference="maouche2022 §4.1 (the back-end)",
        condition="pq",
        enrolment="own key",
        retrains="back-end",
    )
)

SEMI_ENCODER = Comparing(
    Attacker(
        name="semi-encoder",
        title="semi-informed encoder",
        knows="does what lazy does and trains encoder and back-end (x-vectors and PLDA) on speech "
        "it protected itself",
        summary="The semi-informed attacker as maouche2022 has it",
        explained=(
            "Lazy-informed, with an x-vector network and a PLDA of its own, both trained from the "
            "start on other people's speech that it protected itself, every utterance with another "
            "pseudo-voice and uncut. How distinct pseudo-voices are to such a recogniser (pp) "
            "stands beside it, as noe2022 §8 asks. It needs hundreds of training speakers to be "
            "any good, which its control (oo) tells; training takes long and the extra `train`, "
            "so it attacks only when asked for by name."
        ),
        reference="maouche2022 §4.1, noe2022 §8",
        condition="pq",
        enrolment="own key",
        retrains="encoder and back-end",
        ear="xvector",
        by_name=True,
    )
)
