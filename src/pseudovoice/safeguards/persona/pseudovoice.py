"""What a pseudo-voice is made of, and how one is drawn with the secret key.

Which of its parts hides a speaker was measured (docs/results/persona.md): recognisers of today hear
the length of the vocal tract before all else, and hardly the pitch. The tract therefore changes
most, by a quarter and more, within what people can have: an adult man's voice can rise by half (to
that of a child) but sink only a little, a woman's can do both. Beyond that, words are lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pseudovoice.safeguards.world import FEMALE_PITCH, MALE_PITCH

TARGETS = {"any": "either", "male": "a man's", "female": "a woman's"}

TILT_TERMS = 5

BEND = (0.06, 0.12)
"""Size of the bend. Formants that close up in one voice and spread in another keep voices apart,
and those of two sessions too."""

LOG_F1 = float(np.log(2 * np.pi * 500 / 16_000))
"""Of the angle of a typical first formant: a bend of b moves it by (b − 1) times that."""

LEAST_F1_UP, LEAST_F1_DOWN = 0.26, 0.16
"""Least logarithm of the factor on a man's first formant. Where warp and bend cancel out there, he
is known: the warp grows."""

MOST_WARP_UP, MOST_WARP_DOWN = 0.42, 0.32
"""How far it grows before the bend gives way instead: beyond, words are lost."""

MOST_F1_UP, MOST_F1_UP_WOMAN, MOST_F1_DOWN = 0.42, 0.36, 0.32
"""The largest logarithm of the factor on a first formant. Where warp and bend add up there, words
are lost and nothing is hidden that the warp alone does not hide: the bend gives way."""

SLIGHTEST_BEND = 0.02
"""What is left of a bend that gives way."""

LIMITS = {
    "warp": (-0.85, 0.85),
    "bend": (0.75, 1.25),
    "pitch": (50.0, 700.0),
    "intonation": (0.0, 1.0),
    "contrast": (0.6, 1.4),
    "breath": (-10.0, 16.0),
    "blur": (0.0, 3.6),
    "tilt": (-6.0, 6.0),
    "evenness": (0.0, 1.0),
}
"""What `draw` can give, of any strength and of voices given long ago; other numbers are damage."""

Uniform = Callable[[str], float]
"""A keyed draw in [0, 1) for a purpose."""


@dataclass(frozen=True)
class PseudoVoice:
    """The numbers of one pseudo-voice; they are as secret as the key they were drawn with.

    warp: logarithm of the factor on all formants (positive: a shorter vocal tract)
    bend: exponent on frequency after the warp, McAdams-like
    pitch: median F0 in Hz; the contour keeps its shape
    intonation: factor on the contour's deviation from the median, in log F0
    contrast: factor on the cepstrum: sharper or flatter formants
    breath: dB added to the aperiodicity
    blur: standard deviation in frames of the smoothing of the envelope over time
    tilt: dB of cosine terms added to the long-term spectrum
    evenness: how much of the speaker's own spread of the envelope over time gives way to the
        common one, from 0 (as in voices that were given before there was such a part) to 1
    """

    warp: float
    bend: float
    pitch: float
    intonation: float
    contrast: float
    breath: float
    blur: float
    tilt: tuple[float, ...]
    evenness: float = 0.0

    @property
    def first_formant(self) -> float:
        """Logarithm of the factor on a typical first formant."""
        return self.warp + (self.bend - 1) * LOG_F1

    def inverse(self, pitch: float) -> PseudoVoice:
        """The voice that takes this one away again, of a source of this median F0.

        Frequencies went from φ to e^w φ^b, and go back. The common long-term spectrum stays, and
        what was blurred: whose they were is lost.
        """
        return PseudoVoice(
            warp=-self.warp / self.bend,
            bend=1 / self.bend,
            pitch=pitch,
            intonation=1 / self.intonation,
            contrast=1 / self.contrast,
            breath=-self.breath,
            blur=0.0,
            tilt=(0.0,) * TILT_TERMS,
        )

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, numbers: dict[str, Any]) -> PseudoVoice:
        """A voice that was kept; ValueError or TypeError where no draw can have given it."""
        voice = cls(**{**numbers, "tilt": tuple(numbers["tilt"])})
        if len(voice.tilt) != TILT_TERMS:
            raise ValueError("tilt")
        for name, (low, high) in LIMITS.items():
            value = getattr(voice, name)
            for number in value if name == "tilt" else (value,):
                if isinstance(number, bool) or not isinstance(number, int | float):
                    raise TypeError(name)
                if not low <= number <= high:  # nor is NaN between them
                    raise ValueError(name)
        return voice


def rises(pitch: float, target: str, uniform: Uniform) -> bool:
    """Whether the formants go up: one draw a speaker, so that all candidates agree."""
    return uniform("direction") < chance_to_rise(pitch, target)


def chance_to_rise(pitch: float, target: str) -> float:
    """How probable it is that formants go up.

    Left to the search they nearly always would, and two keys would give a speaker two voices that
    are alike. With a target sex it is given: up for a woman's voice, down for a man's.
    """
    if target == "any":
        return 0.62 - 0.12 * _womanly(pitch)
    return float(target == "female")


def draw(pitch: float, up: bool, strength: float, target: str, uniform: Uniform) -> PseudoVoice:
    """A pseudo-voice for a source of this median F0.

    ``strength`` scales every deviation; 1 is the default, 0 leaves the voice nearly as it is.
    """
    warp, bend = _tract(_womanly(pitch), up, uniform)
    extent = min(strength, 1.5)
    low, high = _pitch_range(pitch, up, target)
    new_pitch = float(np.exp(_between(np.log(low), np.log(high), uniform("pitch"))))
    return PseudoVoice(
        warp=strength * warp,
        bend=1 + extent * bend,
        pitch=float(pitch * (new_pitch / pitch) ** min(1.0, strength)),
        intonation=1 - extent * _between(0.10, 0.50, uniform("intonation")),
        contrast=1 + extent * _between(-0.17, 0.20, uniform("contrast")),
        breath=extent * _between(-5.0, 8.0, uniform("breath")),
        blur=extent * _between(0.8, 1.8, uniform("blur")),
        tilt=tuple(
            extent * _between(-3.0, 3.0, uniform(f"tilt{k}")) for k in range(1, TILT_TERMS + 1)
        ),
        evenness=min(1.0, strength),
    )


def _tract(womanly: float, up: bool, uniform: Uniform) -> tuple[float, float]:
    """Warp and bend, the latter as its difference from 1."""
    least, most = (0.24, 0.40 - 0.09 * womanly) if up else (0.20, 0.24 + 0.08 * womanly)
    direction, least_f1 = (1, LEAST_F1_UP) if up else (-1, LEAST_F1_DOWN)
    least_f1 *= 1 - womanly
    most_f1 = _between(MOST_F1_UP, MOST_F1_UP_WOMAN, womanly) if up else MOST_F1_DOWN
    warp = _between(least, most, uniform("warp"))
    bend = _either_side(*BEND, uniform("bend"))

    added = direction * bend * LOG_F1  # by the bend to the warp, at the first formant
    if warp + added < least_f1:
        most_warp = max(warp, MOST_WARP_UP if up else MOST_WARP_DOWN)
        warp = min(least_f1 - added, most_warp)
        bend = _bent(bend, min(abs(added), warp - least_f1))
    elif warp + added > most_f1:
        bend = _bent(bend, most_f1 - warp)
        warp = min(warp, most_f1 - direction * bend * LOG_F1)
    return direction * warp, bend


def _bent(bend: float, at_f1: float) -> float:
    """A bend of the same sign that moves the first formant no further; never nearly nothing."""
    return float(np.copysign(max(SLIGHTEST_BEND, at_f1 / abs(LOG_F1)), bend))


def _womanly(pitch: float) -> float:
    """0 for a man's median F0, 1 for a woman's, in between by the logarithm."""
    place = np.log(pitch / MALE_PITCH) / np.log(FEMALE_PITCH / MALE_PITCH)
    return float(np.clip(place, 0.0, 1.0))


def _pitch_range(pitch: float, up: bool, target: str) -> tuple[float, float]:
    """Median F0 that people have; far from the source's, words are lost."""
    if target == "male":
        return 85.0, 150.0
    if target == "female":
        return 165.0, 250.0
    low, high = (0.85, 1.60) if up else (0.70, 1.20)
    return float(np.clip(low * pitch, 80.0, 200.0)), float(np.clip(high * pitch, 110.0, 260.0))


def _either_side(least: float, most: float, share: float) -> float:
    """Between ``least`` and ``most`` in size, of either sign: never nearly nothing."""
    size = _between(least, most, abs(2 * share - 1))
    return size if share >= 0.5 else -size


def _between(low: float, high: float, share: float) -> float:
    return low + (high - low) * share
