"""The attacker who tries voices on: noe2020 §6 and noe2022 §8 name it, nobody had built it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pseudovoice.attacks.attack import AttackScores
from pseudovoice.attacks.attacker import Attacker
from pseudovoice.attacks.had import Had

if TYPE_CHECKING:
    from pseudovoice.attacks.heard import Heard


@dataclass(frozen=True)
class Trying:
    """Protects what it has of everybody again and again, and believes the best resemblance.

    Where the safeguard can be undone, it also takes each voice away from what is protected, and
    compares that with what it has in clear.

    A safeguard that gives each person one of few voices is undone by whoever tries them all: under
    the right one, two recordings of a person resemble each other as they do in the clear. In each
    try everybody has the same voice (:class:`~pseudovoice.safeguards.one_voice.OneVoice`); how much
    a resemblance is worth depends on that voice, so that the scores of each try are normalised
    before the best is taken.
    """

    attacker: Attacker

    def scores(self, heard: Heard) -> AttackScores | None:
        if not heard.tries or heard.trials.lists is not None:
            return None
        from pseudovoice.backends.best_of import best_of  # who attacks can be listed without it

        o, backend = heard.original, heard.backend
        after = dict(best_of(heard.tries, heard.protected, backend, clear=o, undone=heard.undone))
        along = {Had(tries=n): fewer for n, fewer in after.items()}
        budget, whole = along.popitem()
        control = heard.compare(o, o, backend)
        return AttackScores({"oo": control, self.attacker.condition: whole}, {}, along, budget)


ADAPTIVE = Trying(
    Attacker(
        name="adaptive",
        title="adaptive",
        knows="knows the safeguard, tries many pseudo-voices on its own recordings of the speakers "
        "and takes whichever fits best",
        summary="An attacker who tries pseudo-voices on",
        explained=(
            "It knows the safeguard, not the key. It gives everybody it has recordings of one "
            "pseudo-voice after the other, takes it away from the protected speech where the "
            "safeguard can be undone, and believes the best normalised score: condition pq. How "
            "many it tries is its budget; what fewer would have given stands beside it."
        ),
        reference="noe2020 §6, noe2022 §8 (the attacker who estimates the mapping)",
        condition="pq",
        enrolment="own key",
        tries=True,
    )
)
