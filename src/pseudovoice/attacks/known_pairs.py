"""Whoever has some utterances of a release in clear: a leak, a public speech."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pseudovoice.attacks.attack import AttackScores
from pseudovoice.attacks.attacker import Attacker
from pseudovoice.attacks.had import Had

if TYPE_CHECKING:
    from pseudovoice.attacks.heard import Heard


@dataclass(frozen=True)
class KnowingPairs:
    """Finds everybody's mapping from what is known in clear, and looks for the rest.

    Utterances that are known are no trials: who said them is known too.
    """

    attacker: Attacker

    def scores(self, heard: Heard) -> AttackScores | None:
        if heard.fitted is None or heard.trials.lists is not None:
            return None
        from pseudovoice.backends.best_of import best_of  # who attacks can be listed without it

        o, backend = heard.original, heard.backend
        unknown = {*heard.protected.ids} - heard.leaked
        # One try, which is the right one: pseudo-voices differ, so that scores are normalised.
        ((_, found),) = best_of([heard.fitted.of(unknown)], heard.protected.of(unknown), backend)
        control = heard.compare(o, o, backend)
        told = Counter(
            who for name, who in zip(o.ids, o.speakers, strict=True) if name in heard.leaked
        )
        pairs = max(told.values(), default=0)
        return AttackScores(
            {"oo": control, self.attacker.condition: found},
            budget=Had(pairs=pairs),
        )


KNOWN_PAIRS = KnowingPairs(
    Attacker(
        name="known-pairs",
        title="known-pairs",
        knows="knows the safeguard and has some utterances of every speaker both in clear and "
        "protected, from which it tells the mapping of each",
        summary="Whoever has some utterances in clear and protected",
        explained=(
            "Of every speaker some utterances of the release are known in clear. From these pairs "
            "it estimates the speaker's mapping (the coefficient of McAdams; warp, bend, pitch "
            "and tilt of persona; else the nearest of some voices that it tries), applies it to "
            "its other recordings of the speaker and looks for them in the rest of the release: "
            "condition pq. What a leak costs, as with oracle-key, and no attack on the safeguard "
            "alone; it does not count among the strongest."
        ),
        reference="noe2020 §6, noe2022 §8 (the attacker who estimates the mapping)",
        condition="pq",
        enrolment="fitted mapping",
        pairs=True,
        competes=False,
    )
)
