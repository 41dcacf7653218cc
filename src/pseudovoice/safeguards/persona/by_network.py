"""Voices of the neural voice: targets that belong to nobody, spoken as `xvector` speaks them.

What is drawn, and from what, is xvector's (:mod:`pseudovoice.safeguards.xvector`); which of several
draws a speaker gets is persona's search, which hears them speak.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pseudovoice.safeguards.channel import Channel, whole
from pseudovoice.safeguards.hearing import HeardSpeaker
from pseudovoice.safeguards.persona.pseudovoice import Uniform
from pseudovoice.safeguards.persona.speaking import UniformOf
from pseudovoice.safeguards.safeguard import Samples
from pseudovoice.safeguards.xvector.choice import Chooser
from pseudovoice.safeguards.xvector.frames import RATE
from pseudovoice.safeguards.xvector.speak import speak
from pseudovoice.safeguards.xvector.target import Target
from pseudovoice.safeguards.xvector.targets import chooser_of, sexes_of, source_of, voice_of

SEX_OF = {"male": "M", "female": "F"}

SHIPPED = ""
"""Pool and voice are those that come with this package."""


@dataclass(frozen=True)
class ByNetwork:
    """Targets of a sex, or of as many women as men."""

    target: str

    @property
    def ears(self) -> tuple[str, ...]:
        """The one that targets are described by: whose voice sounds like a woman's is its word."""
        return (self._chooser.space.encoder,) if self.target == "any" else ()

    @property
    def _chooser(self) -> Chooser:
        return chooser_of(SHIPPED, SHIPPED, "synthetic", "any")

    def known(self, numbers: dict[str, Any]) -> Target:
        return Target.from_dict(numbers)

    def candidates(
        self,
        heard: Sequence[HeardSpeaker],
        given: Mapping[str, Target],
        count: int,
        uniform: UniformOf,
    ) -> Callable[[HeardSpeaker], tuple[Target, ...]]:
        """Those of a speaker share their sex."""
        chooser = self._chooser
        if self.target == "any":
            sources = [source_of(h, chooser.space.encoder) for h in heard]
            before = [given.get(h.tag) for h in heard]
            sexes = sexes_of(chooser, heard, sources, before, uniform)
        else:
            sexes = [SEX_OF[self.target]] * len(heard)
        sex = {h.tag: one for h, one in zip(heard, sexes, strict=True)}

        def of(h: HeardSpeaker) -> tuple[Target, ...]:
            def drawn(k: int) -> Target:
                return chooser.target(None, sex[h.tag], lambda part: uniform(h, f"{k}/{part}"))

            return tuple(drawn(k) for k in range(count))

        return of

    def tried(self, waveforms: Sequence[Samples], voices: Sequence[Target]) -> list[list[Samples]]:
        """What is heard in a waveform is kept, so that each voice costs only its speaking."""
        return [
            [whole(self.spoken(Channel(None, [w]), RATE, voice)) for w in waveforms]
            for voice in voices
        ]

    def strain(self, voice: Target) -> float:
        """Targets are drawn no further out than words bear."""
        del voice
        return 0.0

    def spoken(self, channel: Channel, sample_rate: int, given: Target) -> Iterator[Samples]:
        return speak(
            channel, sample_rate, voice_of(SHIPPED, SHIPPED), given, "keep", _nothing_is_drawn
        )

    def drawn(self, channel: Channel, sample_rate: int, uniform: Uniform) -> Iterator[Samples]:
        sex = SEX_OF.get(self.target) or self._chooser.sex(None, uniform)
        return self.spoken(channel, sample_rate, self._chooser.target(None, sex, uniform))


def _nothing_is_drawn(purpose: str) -> float:
    raise AssertionError(f"a contour that is kept needs no draw ({purpose})")
