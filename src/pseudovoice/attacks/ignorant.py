"""The ignorant attacker of noe2022 (OP)."""

from pseudovoice.attacks.attack import Comparing
from pseudovoice.attacks.attacker import Attacker

IGNORANT = Comparing(
    Attacker(
        name="ignorant",
        title="ignorant",
        knows="has original recordings of the speakers and does not know that speech was protected",
        summary="An attacker who does not know of the protection",
        explained=(
            "It compares protected speech with original speech of known people: condition op."
        ),
        reference="noe2022 §3.1",
        condition="op",
        enrolment="original",
    )
)
