"""Everybody under the mapping that was found to be theirs: an attacker who knows some of a release.

Mappings are found from pairs, utterances that are known in clear and protected. A safeguard that is
:class:`~pseudovoice.safeguards.safeguard.Fitting` tells its parameters from them. Of any other, and
of chains, whose links have nothing in clear between them, voices are tried on the clear side, and
the one that comes nearest to the protected side is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pseudovoice.keys import Key
from pseudovoice.safeguards.channel import Channel, whole
from pseudovoice.safeguards.draws import Draw, draws
from pseudovoice.safeguards.safeguard import Chain, Pairs, Samples, Voice, fitting
from pseudovoice.safeguards.unlikeness import unlikeness


@dataclass(frozen=True)
class Found:
    """A chain and the voice with which it makes protected speech of clear speech."""

    chain: Chain
    voice: Voice

    def __call__(self, channel: Channel, sample_rate: int) -> Channel:
        return self.chain(channel, sample_rate, [self.voice] * len(self.chain.links))


@dataclass(frozen=True)
class FittedVoices:
    """Gives each speaker what ``found`` tells of them; ``origin`` describes how it was found."""

    found: Callable[[str], Found] = field(repr=False, compare=False)
    origin: Mapping[str, Any]

    name: ClassVar[str] = "fitted"
    reference: ClassVar[str] = "noe2020 §6, noe2022 §8"
    deterministic: ClassVar[bool] = True
    level: ClassVar[str] = "speaker"
    stays: ClassVar[bool] = True  # mappings are looked for here, once for all

    def to_dict(self) -> dict[str, Any]:
        return {"safeguard": self.name, **self.origin}

    def __call__(self, samples: Samples, sample_rate: int, voice: Voice) -> Samples:
        return whole(self.in_pieces(Channel(None, [samples]), sample_rate, voice))

    def in_pieces(self, channel: Channel, sample_rate: int, voice: Voice) -> Iterator[Samples]:
        return self.found(voice.name)(channel, sample_rate).pieces()


def fitted(chain: Chain, pairs: Pairs, sample_rate: int, key: Key | None, tries: int) -> Found:
    """The mapping of one person's pairs; ``tries`` voices of ``key`` where they must be tried."""
    nobodys = Voice(None, "", "")
    if chain.deterministic:
        return Found(chain, nobodys)
    if can_be_fitted(chain):
        (link,) = chain.links
        assert fitting(link)
        return Found(Chain((link.fitted(pairs, sample_rate),)), nobodys)
    assert key is not None, "what is drawn is drawn with a key"

    def tried(draw: Draw) -> Found:
        return Found(draw.chain, Voice(key, draw.session, ""))

    def cost(found: Found) -> float:
        return sum(
            unlikeness(
                whole(found(Channel(None, [clear]), sample_rate).pieces()),
                protected,
                sample_rate,
                in_time=chain.keeps_timing,
            )
            for clear, protected in pairs
        )

    return min(map(tried, draws(chain, tries)), key=cost)


def can_be_fitted(chain: Chain) -> bool:
    """Whether its mapping can be told from pairs alone, without a key to draw voices with."""
    if chain.deterministic:
        return True
    return len(chain.links) == 1 and fitting(chain.links[0])
