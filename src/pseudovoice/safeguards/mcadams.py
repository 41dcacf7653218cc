"""The McAdams safeguards B2 and B2r: poles of the vocal tract moved by a power of their angle.

(Patino et al. 2020; noe2022 §6.) Frames of 20 ms every 10 ms, square-root Hann windows for analysis
and synthesis, linear prediction of order 20 by Burg's method; complex poles |p|·exp(±iφ) become
|p|·exp(±iφ^α), real poles stay; the residual of the old poles drives the new ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pseudovoice.compiled import compiled
from pseudovoice.corpus import resampled
from pseudovoice.errors import UsageError
from pseudovoice.safeguards.channel import Channel, of_length, whole
from pseudovoice.safeguards.options import check_options, option
from pseudovoice.safeguards.registry import register
from pseudovoice.safeguards.safeguard import LEVELS, Pairs, Samples, Voice, describe
from pseudovoice.signal.lpc import Floats, burg, poles, polynomial

REFERENCE_RATE = 16_000
"""The rate the method was made for: angles are powers of 2π·frequency/16 kHz at lower rates too, so
that a voice does not depend on the rate it was recorded at."""

ALPHAS = (0.1, 2.0)
"""Between which coefficients speech is still speech."""


@compiled
def move_frame(frame: Floats, alpha: float, order: int, ratio: float) -> Floats:
    """One windowed frame with its poles moved; ``ratio`` is sample rate / 16 kHz."""
    out = np.zeros_like(frame)
    energy = 0.0
    for x in frame:
        energy += x * x
    if energy < 1e-20:  # silence stays silence
        return out
    a = burg(frame, order)
    upper, real = poles(a)
    moved = np.empty_like(upper)
    for k in range(upper.size):
        radius = abs(upper[k])
        angle = np.arctan2(upper[k].imag, upper[k].real)
        angle = min((angle * ratio) ** alpha / ratio, np.pi)
        moved[k] = complex(radius * np.cos(angle), radius * np.sin(angle))
    b = polynomial(moved, real)
    # A(z)/B(z) in the transposed form, whose states do not wait for each other.
    state = np.zeros(order + 1)
    for n in range(frame.size):
        x = frame[n]
        y = x + state[0]
        for k in range(order):
            state[k] = state[k + 1] + a[k + 1] * x - b[k + 1] * y
        out[n] = y
    return out


@compiled
def _overlap_add(
    padded: Floats, window: Floats, hop: int, alpha: float, order: int, ratio: float
) -> Floats:
    out = np.zeros_like(padded)
    for start in range(0, padded.size - window.size + 1, hop):
        stop = start + window.size
        out[start:stop] += window * move_frame(window * padded[start:stop], alpha, order, ratio)
    return out


def move_poles(channel: Channel, sample_rate: int, alpha: float) -> Iterator[Samples]:
    """The McAdams transformation of one channel; as many samples come out as went in.

    The method is one of 16 kHz speech. Above that rate the speech is taken down to 16 kHz and up
    again, so that nothing above 8 kHz is left: passed through it would keep telling who speaks,
    and linear prediction of a band without energy has poles that no filter survives.
    """
    if sample_rate <= REFERENCE_RATE:
        return _move(channel.pieces(), sample_rate, alpha)
    down = resampled(channel.pieces(), sample_rate, REFERENCE_RATE, quality="VHQ")
    moved = _move(down, REFERENCE_RATE, alpha)
    up = resampled(moved, REFERENCE_RATE, sample_rate, quality="VHQ")
    return of_length(up, len(channel))


def _move(pieces: Iterable[Samples], sample_rate: int, alpha: float) -> Iterator[Samples]:
    """Frames moved and added up; a piece leaves to the next what its last frame shares with it.

    So the length of the pieces changes no bit.
    """
    ratio = sample_rate / REFERENCE_RATE
    hop = max(8, round(0.010 * sample_rate))
    order = max(8, 2 * round(10 * ratio))
    window = np.sqrt(0.5 - 0.5 * np.cos(2 * np.pi * np.arange(2 * hop) / (2 * hop)))
    # A hop of silence on either side, so that every sample lies in two frames.
    waiting, begun = np.zeros(hop), np.zeros(hop)
    length, made = 0, -hop

    def padded() -> Iterator[Samples]:
        nonlocal length
        for piece in pieces:
            length += piece.size
            yield np.asarray(piece, np.float64)
        yield np.zeros(hop + -length % hop)

    for piece in padded():
        waiting = np.concatenate([waiting, piece])
        whole = waiting.size - waiting.size % hop
        if whole < window.size:
            continue
        moved = _overlap_add(waiting[:whole], window, hop, float(alpha), order, ratio)
        moved[:hop] += begun
        waiting, begun = waiting[whole - hop :], moved[-hop:].copy()
        done = moved[max(0, -made) : -hop]
        made += whole - hop
        yield done[: done.size - max(0, made - length)]


@register
@dataclass(frozen=True)
class McAdams:
    """B2: the same coefficient for everybody. α = 1 changes nothing."""

    alpha: float = option(0.8, "How far voices are moved; 1 changes nothing.", between=ALPHAS)

    name: ClassVar[str] = "mcadams"
    reference: ClassVar[str] = "Patino et al. 2020 (VoicePrivacy 2020 B2)"
    deterministic: ClassVar[bool] = True
    caution: ClassVar[str] = (
        "there is no secret: whoever knows it takes it away again, and recognises 40 people nearly "
        "as well as unprotected (EER 2.2 %, unprotected 1.8 %)"
    )

    def __post_init__(self) -> None:
        check_options(self)

    @property
    def level(self) -> str:
        return "speaker"

    def to_dict(self) -> dict[str, Any]:
        return describe(self)

    def __call__(self, samples: Samples, sample_rate: int, voice: Voice) -> Samples:
        del voice
        return whole(move_poles(Channel(None, [samples]), sample_rate, self.alpha))

    def in_pieces(self, channel: Channel, sample_rate: int, voice: Voice) -> Iterator[Samples]:
        del voice
        return move_poles(channel, sample_rate, self.alpha)

    def undo(self, channel: Channel, sample_rate: int, voice: Voice) -> Iterator[Samples]:
        del voice
        return move_poles(channel, sample_rate, 1 / self.alpha)


@register
@dataclass(frozen=True)
class RandomMcAdams:
    """B2r: a coefficient of each speaker's own, drawn with the secret key.

    [0.7, 0.9) is noe2022's range; VoicePrivacy 2022 on uses [0.5, 0.9).
    """

    low: float = option(0.7, "The coefficient that moves a voice furthest.", between=ALPHAS)
    high: float = option(0.9, "The coefficient that moves a voice least.", between=ALPHAS)
    level: str = option("speaker", "Who or what has a voice of its own.", choices=LEVELS)

    name: ClassVar[str] = "mcadams-random"
    reference: ClassVar[str] = "Patino et al. 2020; noe2022 (B2r)"
    deterministic: ClassVar[bool] = False
    caution: ClassVar[str] = (
        "whoever tries two of its voices recognises 40 people nearly as well as unprotected (EER "
        "3.5 %, unprotected 1.8 %); see the attacker adaptive"
    )

    def __post_init__(self) -> None:
        check_options(self)
        if self.low > self.high:
            raise UsageError(f"mcadams-random: low {self.low} is above high {self.high}.")

    def to_dict(self) -> dict[str, Any]:
        return describe(self)

    def __call__(self, samples: Samples, sample_rate: int, voice: Voice) -> Samples:
        return whole(move_poles(Channel(None, [samples]), sample_rate, self._alpha(voice)))

    def in_pieces(self, channel: Channel, sample_rate: int, voice: Voice) -> Iterator[Samples]:
        return move_poles(channel, sample_rate, self._alpha(voice))

    def undo(self, channel: Channel, sample_rate: int, voice: Voice) -> Iterator[Samples]:
        """Poles go back: (φ^α)^(1/α) = φ. Exact but for poles that are estimated anew."""
        return move_poles(channel, sample_rate, 1 / self._alpha(voice))

    def fitted(self, pairs: Pairs, sample_rate: int) -> McAdams:
        """The coefficient of somebody of whom some speech is known in clear."""
        from pseudovoice.safeguards.alpha import fitted_alpha  # which tries McAdams itself

        return McAdams(fitted_alpha(pairs, sample_rate, self.low, self.high))

    def _alpha(self, voice: Voice) -> float:
        return voice.uniform("mcadams-random/alpha", self.low, self.high)
