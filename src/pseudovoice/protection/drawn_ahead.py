"""What workers without the key need of it, derived before they ask.

A safeguard asks for numbers by purpose, and which purposes these are, it does not tell: it may be
somebody else's. So the first utterances are handed out with nothing; what they ask for is derived
here, and from then on for every utterance that comes, under the names of its own. The key never
leaves this process, and what does is of use for these utterances alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pseudovoice.corpus import Utterance
from pseudovoice.keys import Drawn, Key, Which
from pseudovoice.protection.apply import voices_for
from pseudovoice.protection.by_turns import OUTSIDE, OVERLAP, ByTurns
from pseudovoice.protection.making import Asked
from pseudovoice.safeguards.safeguard import Chain


class DrawnAhead:
    """Derives for utterances what earlier ones have asked for."""

    def __init__(self, key: Key, key_session: str, chain: Chain, turns: ByTurns | None) -> None:
        self._key, self._session, self._chain, self._turns = key, key_session, chain, turns
        self._by_role: set[tuple[int, str, str]] = set()
        self._for_all: set[Which] = set()

    def learn(self, utterance: Utterance, asked: Asked) -> None:
        """Remember what an utterance asked for: of its own names by their role, else as it is."""
        roles: dict[str, list[int]] = {}
        for role, name in self._names(utterance):
            roles.setdefault(name, []).append(role)
        for which in asked.which:
            session, purpose, name = which
            if name in roles:
                # A name may have several roles, and the next utterance another name for each.
                self._by_role |= {(role, session, purpose) for role in roles[name]}
            else:
                self._for_all.add(which)

    def of(self, utterance: Utterance) -> Drawn:
        """All that an utterance is known to need."""
        names: dict[int, set[str]] = {}
        for role, name in self._names(utterance):
            names.setdefault(role, set()).add(name)
        wanted = {
            (session, purpose, name)
            for role, session, purpose in self._by_role
            for name in names.get(role, ())
        }
        return Drawn({which: self._key.derive(*which) for which in wanted | self._for_all})

    def _names(self, utterance: Utterance) -> Iterator[tuple[int, str]]:
        """Names that draws are made for: of everybody in each link, and −1 of the utterance."""
        yield -1, f"{utterance.speaker}\0{utterance.id}"
        people = {utterance.speaker}
        if self._turns is not None:
            turns = self._turns.turns.get(utterance.id)
            people |= {utterance.id + OVERLAP, utterance.id + OUTSIDE}
            people |= set(() if turns is None else turns.people)
        for who in people:
            said = replace(utterance, speaker=who)
            for role, voice in enumerate(voices_for(self._chain, said, None, self._session)):
                yield role, voice.name
