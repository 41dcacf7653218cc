"""Both versions of an utterance are decoded once, whatever is measured of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped, unused-ignore]
from numpy.typing import NDArray

from pseudovoice.corpus import Utterance
from pseudovoice.utility import measure
from pseudovoice.utility.measure import Instruments, Measured, Pair, measure_together
from pseudovoice.utility.store import Notes

RATE = 16_000


@dataclass(frozen=True)
class Writer:
    """Says how long each recording is, of several together or of one."""

    together: list[int] = field(default_factory=list)
    alone: list[int] = field(default_factory=list)
    name: str = "writer"
    sample_rate: int = RATE
    licence: str = "CC0-1.0"
    decoding: str = "none"
    sha256s: dict[str, str] = field(default_factory=lambda: {"script": "0"})

    def transcribe(self, samples: NDArray[Any]) -> str:
        self.alone.append(samples.size)
        return f"{samples.size}"

    def transcribe_together(self, waveforms: Sequence[NDArray[Any]]) -> list[str]:
        self.together.extend(one.size for one in waveforms)
        return [f"{one.size}" for one in waveforms]


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that are decoded, in order."""
    names: list[str] = []

    def load(utterance: Utterance, **how: Any) -> NDArray[np.float32]:
        names.append(utterance.path.name)
        return real(utterance, **how)

    real = measure.load
    monkeypatch.setattr(measure, "load", load)
    return names


def pairs(folder: Path, by: Instruments, *seconds: float) -> list[Pair]:
    made = []
    for k, length in enumerate(seconds):
        sides = []
        for number, side in enumerate("op"):
            path = folder / f"{side}{k}.wav"
            noise = np.random.default_rng([k, number]).standard_normal(round(length * RATE))
            soundfile.write(path, 0.1 * noise, RATE)
            sides.append(Utterance(f"u{k}", "a", path))
        made.append(Pair(by, *sides))
    return made


def test_each_side_is_decoded_once(tmp_path: Path, decoded: list[str]) -> None:
    writer = Writer()
    some = pairs(tmp_path, Instruments(writer, None, prosody=True), 1.0, 1.5)
    found = measure_together(some, Notes(None))
    assert decoded == ["o0.wav", "p0.wav", "o1.wav", "p1.wav"]
    assert [one.protected.text for one in found if isinstance(one, Measured)] == ["16000", "24000"]
    assert (len(writer.together), writer.alone) == (4, [])
    alone = [pair.by.measure(pair.original, pair.protected, Notes(None)) for pair in some]
    assert alone == found


def test_a_long_recording_waits_for_its_turn(tmp_path: Path, decoded: list[str]) -> None:
    writer = Writer()
    some = pairs(tmp_path, Instruments(writer, None, prosody=False), 1.0, 61.0)
    found = measure_together(some, Notes(None))
    assert decoded == ["o0.wav", "p0.wav", "o1.wav", "p1.wav"]
    assert [one.original.text for one in found if isinstance(one, Measured)] == ["16000", "976000"]
    assert writer.together == [RATE, RATE]
    assert writer.alone == [61 * RATE, 61 * RATE]


def test_what_is_measured_is_let_go_of(tmp_path: Path) -> None:
    (one,) = pairs(tmp_path, Instruments(Writer(), None, prosody=True), 1.0)
    sides = one.by.sides(one.original, one.protected, Notes(None))
    sides[0].at(RATE)
    assert isinstance(one.by.measured(*sides, Notes(None)), Measured)
    assert not any(side._samples for side in sides)
