"""One pseudo-voice for everybody: how an attacker tries a safeguard's voices on, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any, cast

from pseudovoice.safeguards.channel import Channel
from pseudovoice.safeguards.safeguard import Chain, Safeguard, Samples, Voice, pieces_of
from pseudovoice.safeguards.standing_in import StandingIn


class OneVoice(StandingIn[Safeguard]):
    """A safeguard whose draw does not depend on who speaks, only on key and session.

    People who share a pseudo-voice can be told apart by what is left of their own. So a score says
    whether somebody is that person, and not whether two people happen to have the same draw.
    """

    @property
    def level(self) -> str:
        return "speaker"

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "voice": "one for everybody"}

    def __call__(self, samples: Samples, sample_rate: int, voice: Voice) -> Samples:
        return self.safeguard(samples, sample_rate, everybodys(voice))

    def in_pieces(self, channel: Channel, sample_rate: int, voice: Voice) -> Iterator[Samples]:
        return pieces_of(self.safeguard, channel, sample_rate, everybodys(voice))


def everybodys(voice: Voice) -> Voice:
    """The voice that is drawn for nobody in particular."""
    return replace(voice, name="everybody")


def with_one_voice(chain: Chain) -> Chain:
    """The links of a chain, each with one voice for everybody; nothing is searched for anybody."""
    # Its name is that of another, hence no class variable.
    links = (cast("Safeguard", OneVoice(per_utterance(link))) for link in chain.links)
    return Chain(tuple(links))


def per_utterance(link: Safeguard) -> Safeguard:
    """The same safeguard with a draw of its own for each utterance, if it has levels."""
    has_level = any(f.name == "level" for f in fields(link))  # type: ignore[arg-type]
    return replace(link, level="utterance") if has_level else link  # type: ignore[type-var]
