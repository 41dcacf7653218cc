"""What persona speaks with: one thing that draws voices and says speech in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from pseudovoice.safeguards.channel import Channel
from pseudovoice.safeguards.given import Given
from pseudovoice.safeguards.hearing import HeardSpeaker
from pseudovoice.safeguards.persona.pseudovoice import Uniform
from pseudovoice.safeguards.safeguard import Samples

UniformOf = Callable[[HeardSpeaker, str], float]
"""A keyed draw in [0, 1) for a speaker and a purpose."""


class Speaking(Protocol[Given]):
    """Draws voices, and speaks with them; small, since it travels to whoever judges candidates."""

    @property
    def ears(self) -> tuple[str, ...]:
        """Encoders that it has to know speakers by, besides those of the search."""

    def known(self, numbers: dict[str, Any]) -> Given:
        """A voice that was kept; ValueError or TypeError where it cannot be one."""

    def candidates(
        self,
        heard: Sequence[HeardSpeaker],
        given: Mapping[str, Given],
        count: int,
        uniform: UniformOf,
    ) -> Callable[[HeardSpeaker], tuple[Given, ...]]:
        """Keyed draws for each speaker of a corpus, of whom some have voices already, by tag."""

    def tried(self, waveforms: Sequence[Samples], voices: Sequence[Given]) -> list[list[Samples]]:
        """All waveforms (16 kHz) as each voice says them."""

    def strain(self, voice: Given) -> float:
        """What a voice costs in words, beyond what they bear easily; 0 if nothing."""

    def spoken(self, channel: Channel, sample_rate: int, given: Given) -> Iterator[Samples]:
        """Everything with a voice that was given."""

    def drawn(self, channel: Channel, sample_rate: int, uniform: Uniform) -> Iterator[Samples]:
        """Everything with a draw for this recording alone."""
