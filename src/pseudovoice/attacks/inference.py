"""What an assessment asks of people, and the ears that listen for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pseudovoice.attacks.heard import Heard
from pseudovoice.attacks.registry import attacker
from pseudovoice.attacks.room import tell_room
from pseudovoice.attacks.telling import tell
from pseudovoice.attacks.told import Draws, Told
from pseudovoice.attacks.traits import LEAST_SPEAKERS, Trait, traits_of
from pseudovoice.corpus import Corpus
from pseudovoice.encoders.channel import ChannelEar
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.encoders.prosody import load_prosody

NOTHING = (
    f"attributes: nothing could be asked. The corpus labels no trait of which {LEAST_SPEAKERS} "
    f"speakers each are of two classes (gender, age, accent, language, emotion), nor sessions of "
    f"{LEAST_SPEAKERS} speakers with several."
)


@dataclass(frozen=True)
class Inference:
    """The questions that a corpus has answers to; without any, nobody listens."""

    corpus: Corpus
    traits: Sequence[Trait]
    draws: Draws

    def through(self, heard: Heard) -> list[Told]:
        """What one of the assessment's own encoders tells."""
        found = [tell(heard, trait, self.draws) for trait in self.traits]
        found.append(tell_room(heard, self.corpus, self.draws))
        return [one for one in found if one is not None]

    def through_own_ears(
        self, listen: Callable[[Encoder], Heard], taken: Iterable[str]
    ) -> list[Told]:
        """What melody and rhythm tell of people, and the noise between the words of rooms.

        ``taken`` are encoders that the assessment has anyway.
        """
        found: list[Told | None] = []
        prosody = load_prosody()
        if self.traits and prosody.name not in taken:
            heard = listen(prosody)
            found += [tell(heard, trait, self.draws) for trait in self.traits]
        if _sessions(self.corpus) >= LEAST_SPEAKERS:
            found.append(tell_room(listen(ChannelEar()), self.corpus, self.draws))
        return [one for one in found if one is not None]


def inference(
    wanted: Sequence[str] | None, corpus: Corpus, ids: Sequence[str], draws: Draws
) -> Inference | None:
    """What there is to ask; None where nobody is there who asks such things."""
    if not any(attacker(name).infers for name in wanted or ()):
        return None
    return Inference(corpus, traits_of(corpus, ids), draws)


def _sessions(corpus: Corpus) -> int:
    """How many speakers have several sessions."""
    own = ({u.session for u in group} - {None} for group in corpus.speakers.values())
    return sum(len(sessions) > 1 for sessions in own)
