"""Whoever has the secret key: no attack on the safeguard, but what a leaked key would cost."""

from pseudovoice.attacks.attack import Comparing
from pseudovoice.attacks.attacker import Attacker

ORACLE_KEY = Comparing(
    Attacker(
        name="oracle-key",
        title="oracle-key",
        knows="has the secret key and protects its own recordings of the speakers with it",
        summary="Whoever has the secret key",
        explained=(
            "It protects its own enrolment speech with the very key of the release: condition "
            "pq, with the scores of pp. No attack on the safeguard, but what a leaked key "
            "would cost; it does not count among the strongest."
        ),
        reference="this project",
        condition="pq",
        # With the key itself the attacker's protection is ours: the scores of PP, read as attack.
        enrolment="same key",
        competes=False,
    )
)
