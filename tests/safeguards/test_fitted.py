"""From what is known in clear and protected the mapping is told, by the number."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from pseudovoice.corpus import load, read_corpus
from pseudovoice.keys import Key
from pseudovoice.safeguards import parse_chain
from pseudovoice.safeguards.fitted import can_be_fitted, fitted
from pseudovoice.safeguards.mcadams import McAdams, RandomMcAdams
from pseudovoice.safeguards.persona import Persona
from pseudovoice.safeguards.persona.pseudovoice import PseudoVoice, draw
from pseudovoice.safeguards.persona.safeguard import KnownPersona
from pseudovoice.safeguards.persona.speak import speak_at_once
from pseudovoice.safeguards.safeguard import Chain, Samples, Voice, describe
from pseudovoice.safeguards.unlikeness import unlikeness

RATE = 16_000
NOBODYS = Voice(None, "", "")


@pytest.fixture(scope="module")
def speech(shared: Path) -> list[Samples]:
    voices = read_corpus(shared / "speech" / "voice").speakers
    return [
        load(voices[name][1], sample_rate=RATE)[: 4 * RATE].astype(np.float64)
        for name in ("121", "1089")  # a woman and a man
    ]


def as_written(samples: Samples) -> Samples:
    """16 bits, and another level: what a file is."""
    return np.round(0.5 * samples / np.abs(samples).max() * 32768) / 32768


@pytest.mark.parametrize("alpha", [0.53, 0.714, 0.889])
def test_the_coefficient_is_found(speech: list[Samples], alpha: float) -> None:
    clear = speech[0]
    pair = clear, as_written(McAdams(alpha)(clear, RATE, NOBODYS))
    found = RandomMcAdams(low=0.5, high=0.9).fitted([pair], RATE)
    assert found.alpha == pytest.approx(alpha, abs=0.01)


@pytest.mark.parametrize(("who", "up", "share"), [(0, False, 0.2), (1, True, 0.8)])
def test_the_pseudo_voice_is_found(speech: list[Samples], who: int, up: bool, share: float) -> None:
    clear = speech[who]
    pitch = (190.0, 115.0)[who]
    voice = draw(pitch, up, 1.0, "any", lambda part: (share + sum(map(ord, part)) / 7) % 1)
    protected = as_written(speak_at_once(clear, RATE, lambda _: voice))
    found = Persona().fitted([(clear, protected)], RATE)
    told: PseudoVoice = found.voice
    assert told.warp == pytest.approx(voice.warp, abs=0.02)
    assert told.bend == pytest.approx(voice.bend, abs=0.02)
    assert told.pitch == pytest.approx(voice.pitch, rel=0.01)
    assert told.intonation == pytest.approx(voice.intonation, abs=0.08)
    assert told.contrast == pytest.approx(voice.contrast, abs=0.1)
    assert np.corrcoef(told.tilt, voice.tilt)[0, 1] > 0.8
    # It says other things as the safeguard would: nearer than without the timbre.
    spoken = found(clear, RATE, NOBODYS)
    assert unlikeness(spoken, protected, RATE) < 0.2 * unlikeness(clear, protected, RATE)


@dataclass(frozen=True)
class Tuned:
    """A safeguard that cannot tell its parameter: 1, 2 … 9 tenths of a treble filter."""

    name: ClassVar[str] = "tuned"
    reference: ClassVar[str] = "this test"
    deterministic: ClassVar[bool] = False
    level: ClassVar[str] = "speaker"

    def to_dict(self) -> dict[str, Any]:
        return describe(self)

    def share(self, voice: Voice) -> float:
        return round(voice.uniform("tuned", 0.05, 0.95), 1)

    def __call__(self, samples: Samples, sample_rate: int, voice: Voice) -> Samples:
        del sample_rate
        share = self.share(voice)
        return samples - share * np.concatenate([[0.0], samples[:-1]])


def test_any_other_safeguard_is_tried(speech: list[Samples]) -> None:
    key, link = Key(bytes(range(32))), Tuned()
    ours = Voice(Key(bytes(range(1, 33))), "default", "somebody")
    pair = speech[0], as_written(link(speech[0], RATE, ours))
    found = fitted(Chain((link,)), [pair], RATE, key, 40)
    everybodys = Voice(found.voice.key, found.voice.key_session, "everybody")
    assert link.share(everybodys) == link.share(ours)


def test_what_needs_a_key_to_be_found() -> None:
    assert can_be_fitted(parse_chain("mcadams"))
    assert can_be_fitted(parse_chain("mcadams-random"))
    assert can_be_fitted(parse_chain("persona"))
    assert not can_be_fitted(parse_chain("mcadams-random+persona"))
    assert not can_be_fitted(Chain((Tuned(),)))


def test_what_draws_nothing_is_known(speech: list[Samples]) -> None:
    chain = parse_chain("mcadams:alpha=0.8")
    assert fitted(chain, [(speech[0], speech[0])], RATE, None, 1).chain == chain


def test_a_known_voice_says_what_it_is() -> None:
    voice = draw(120.0, True, 1.0, "any", lambda _: 0.5)
    assert KnownPersona(Persona(), voice).to_dict()["voice"] == voice.to_dict()
