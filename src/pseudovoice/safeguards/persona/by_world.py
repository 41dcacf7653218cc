"""Voices of signal processing: a speaker's own frames, reshaped by WORLD."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pseudovoice.safeguards.balance import balanced
from pseudovoice.safeguards.channel import Channel
from pseudovoice.safeguards.hearing import HeardSpeaker
from pseudovoice.safeguards.persona.pseudovoice import (
    PseudoVoice,
    Uniform,
    chance_to_rise,
    draw,
    rises,
)
from pseudovoice.safeguards.persona.shape import reshape
from pseudovoice.safeguards.persona.speak import speak
from pseudovoice.safeguards.persona.speaking import UniformOf
from pseudovoice.safeguards.safeguard import Samples
from pseudovoice.safeguards.world import TYPICAL_PITCH, analyse, synthesise

EASY_F1_UP, EASY_F1_DOWN = 0.30, 0.26
EASY_WARP_UP, EASY_WARP_DOWN = 0.36, 0.26
"""Logarithms of the factors that words bear easily, at the first formant and at 2.5 kHz."""


@dataclass(frozen=True)
class ByWorld:
    """Pseudo-voices of this strength and sex."""

    strength: float
    target: str

    ears: ClassVar[tuple[str, ...]] = ()

    def known(self, numbers: dict[str, Any]) -> PseudoVoice:
        return PseudoVoice.from_dict(numbers)

    def candidates(
        self,
        heard: Sequence[HeardSpeaker],
        given: Mapping[str, PseudoVoice],
        count: int,
        uniform: UniformOf,
    ) -> Callable[[HeardSpeaker], tuple[PseudoVoice, ...]]:
        """Those of a speaker share their direction."""
        up = directions(heard, given, self.target, uniform)

        def of(h: HeardSpeaker) -> tuple[PseudoVoice, ...]:
            def drawn(k: int) -> PseudoVoice:
                return self._draw(h.pitch, up[h.tag], lambda part: uniform(h, f"{k}/{part}"))

            return tuple(drawn(k) for k in range(count))

        return of

    def tried(
        self, waveforms: Sequence[Samples], voices: Sequence[PseudoVoice]
    ) -> list[list[Samples]]:
        speech = [(analyse(w), w.size) for w in waveforms]
        return [[synthesise(reshape(s, voice), n) for s, n in speech] for voice in voices]

    def strain(self, voice: PseudoVoice) -> float:
        """How much further formants move than words bear easily."""
        f1, warp = voice.first_formant, voice.warp
        return max(
            0.0, f1 - EASY_F1_UP, -f1 - EASY_F1_DOWN, warp - EASY_WARP_UP, -warp - EASY_WARP_DOWN
        )

    def spoken(self, channel: Channel, sample_rate: int, given: PseudoVoice) -> Iterator[Samples]:
        return speak(channel, sample_rate, lambda _: given)

    def drawn(self, channel: Channel, sample_rate: int, uniform: Uniform) -> Iterator[Samples]:
        """From the recording's own pitch."""
        return speak(channel, sample_rate, lambda pitch: self.draw(pitch, uniform))

    def draw(self, pitch: float, uniform: Uniform) -> PseudoVoice:
        """A voice for a source of this median F0, of whom nothing else is known."""
        return self._draw(pitch, rises(pitch, self.target, uniform), uniform)

    def _draw(self, pitch: float, up: bool, uniform: Uniform) -> PseudoVoice:
        return draw(pitch, up, self.strength, self.target, uniform)


def directions(
    heard: Sequence[HeardSpeaker],
    given: Mapping[str, PseudoVoice],
    target: str,
    uniform: UniformOf,
) -> dict[str, bool]:
    """Whose formants go up, by tag: drawn with the key, but as many of them as is probable.

    So within each half of the range of pitch, where those who go one way stand close.
    """
    up: dict[str, bool] = {}
    for high in (False, True):
        alike = [h for h in heard if (h.pitch > TYPICAL_PITCH) is high]
        rise = balanced(
            [chance_to_rise(h.pitch, target) for h in alike],
            [given[h.tag].warp > 0 if h.tag in given else None for h in alike],
            [uniform(h, "direction") for h in alike].__getitem__,
        )
        up |= {h.tag: rises for h, rises in zip(alike, rise, strict=True)}
    return up
