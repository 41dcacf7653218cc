"""A safeguard with the voices at hand that a session has given its speakers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pseudovoice.safeguards.channel import Channel, whole
from pseudovoice.safeguards.safeguard import Safeguard, Samples, Voice
from pseudovoice.safeguards.standing_in import StandingIn

Given = TypeVar("Given")
GivenIn = TypeVar("GivenIn", contravariant=True)


class Speaks(Safeguard, Protocol[GivenIn]):
    """A safeguard that can speak with a voice that was chosen for a speaker before."""

    def spoken(
        self, channel: Channel, sample_rate: int, given: GivenIn, voice: Voice
    ) -> Iterator[Samples]: ...


@dataclass(frozen=True)
class WithVoices(StandingIn[Speaks[Given]], Generic[Given]):
    """It is the safeguard in all but whose voice it speaks with: ``voices``, by name."""

    voices: dict[str, Given]

    def __call__(self, samples: Samples, sample_rate: int, voice: Voice) -> Samples:
        return whole(self.in_pieces(Channel(None, [samples]), sample_rate, voice))

    def in_pieces(self, channel: Channel, sample_rate: int, voice: Voice) -> Iterator[Samples]:
        return self.safeguard.spoken(channel, sample_rate, self.voices[voice.name], voice)
