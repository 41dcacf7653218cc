"""A safeguard the other way round: how an attacker takes a voice away from protected speech."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from pseudovoice.safeguards.channel import Channel, whole
from pseudovoice.safeguards.one_voice import OneVoice, everybodys, per_utterance
from pseudovoice.safeguards.safeguard import Chain, Safeguard, Samples, Voice, undoable


@dataclass(frozen=True)
class Undone(OneVoice):
    """The inverse of a safeguard's mapping under one voice for everybody."""

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "undone": True}

    def __call__(self, samples: Samples, sample_rate: int, voice: Voice) -> Samples:
        return whole(self.in_pieces(Channel(None, [samples]), sample_rate, voice))

    def in_pieces(self, channel: Channel, sample_rate: int, voice: Voice) -> Iterator[Samples]:
        assert undoable(self.safeguard)
        return self.safeguard.undo(channel, sample_rate, everybodys(voice))


def undone(chain: Chain) -> Chain | None:
    """The links from the last to the first, each undone; None where one of them cannot be."""
    if not all(undoable(link) for link in chain.links):
        return None
    # Its name is that of another, hence no class variable.
    links = (cast("Safeguard", Undone(per_utterance(link))) for link in reversed(chain.links))
    return Chain(tuple(links))
