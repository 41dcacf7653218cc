"""The lazy-informed attacker of VoicePrivacy (PQ)."""

from pseudovoice.attacks.attack import Comparing
from pseudovoice.attacks.attacker import Attacker

LAZY = Comparing(
    Attacker(
        name="lazy",
        title="lazy-informed",
        knows="knows the safeguard and protects its own recordings of the speakers with its own "
        "key",
        summary="An attacker who uses the same safeguard with its own key",
        explained=(
            "It knows which safeguard was used and protects its own enrolment speech with it, "
            "but keeps its old recogniser: condition pq."
        ),
        reference="VoicePrivacy challenges",
        condition="pq",
        enrolment="own key",
    )
)
