"""What every neural voice does, whatever it is made of and wherever it comes from."""

from __future__ import annotations

from typing import Protocol

from pseudovoice.safeguards.xvector.frames import Float32, Float64
from pseudovoice.safeguards.xvector.space import Space


class SpeakingVoice(Protocol):
    """Hears what is said, and says it as a target; everything at 16 kHz."""

    @property
    def identity(self) -> str:
        """Changes whenever the content that it hears could."""

    @property
    def space(self) -> Space:
        """Where its targets lie."""

    def content(self, waveform: Float32) -> Float32:
        """What is said, as frames [T, n] in the time of the waveform."""

    def say(self, content: Float32, f0: Float64, place: Float64) -> Float64:
        """Samples of content, at a level of one, with F0 in Hz every 8 ms, 0 where unvoiced.

        As many as :data:`~pseudovoice.safeguards.xvector.frames.FRAME` for each value of F0.
        """
