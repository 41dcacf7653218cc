"""Recordings of any length: spoken as in one piece, in bounded memory, or refused by name."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import soundfile
import soxr

from pseudovoice.corpus import read_corpus
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import Chain, McAdams, Voice, blocks, channel, safeguard
from pseudovoice.safeguards.channel import Channel, whole
from pseudovoice.safeguards.loudness import Gain, level_of
from pseudovoice.safeguards.mcadams import move_poles
from pseudovoice.safeguards.persona import speak
from pseudovoice.safeguards.persona.blocks import FRAME
from pseudovoice.safeguards.persona.pseudovoice import PseudoVoice
from pseudovoice.safeguards.persona.shape import (
    SPEECH_SHARE,
    TERMS,
    LongTermCount,
    cepstrum_of,
)
from pseudovoice.safeguards.safeguard import Samples, describe
from pseudovoice.safeguards.world import RATE, contour, envelope

VOICE = PseudoVoice(
    warp=0.2, bend=1.05, pitch=170.0, intonation=0.8, contrast=1.1, breath=2.0, blur=1.0,
    tilt=(1.0, -1.0, 0.5, 0.0, 1.0), evenness=1.0,
)  # fmt: skip


@pytest.fixture
def speech(shared: Path) -> Samples:
    """Twelve seconds of a speaker."""
    files = sorted((shared / "speech" / "dev" / "1272").rglob("*.flac"))
    return np.concatenate([soundfile.read(file)[0] for file in files])[: 12 * RATE]


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Channels that hold hardly anything in memory."""
    monkeypatch.setattr(channel, "SHORT", 5_000)
    monkeypatch.setattr(channel, "PIECE", 3_331)


@pytest.mark.usefixtures("little_memory")
def test_a_channel_gives_back_what_was_put_on_it_and_leaves_no_file(tmp_path: Path) -> None:
    samples = np.random.default_rng(0).standard_normal(20_000).astype(np.float32)
    short, long = Channel(tmp_path / "x.wav", [samples[:4_000]]), Channel(tmp_path / "x.wav")
    assert len(list(short.pieces())) == 1
    long = short.another([samples[:4_000], samples[4_000:4_001], samples[4_001:]])
    for _ in range(2):
        pieces = list(long.pieces())
        assert max(piece.size for piece in pieces) == 3_331
        np.testing.assert_array_equal(whole(pieces), samples)
    np.testing.assert_array_equal(long.part(-5, 7), samples[:7])
    np.testing.assert_array_equal(long.part(19_990, 99_999), samples[19_990:])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rate", [8_000, 11_025, 16_000, 22_050, 48_000])
@pytest.mark.parametrize("length", [1, 159, 5_001, 30_000])
def test_mcadams_in_pieces_gives_the_same_bits(
    rate: int, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = np.random.default_rng(length).standard_normal(length)
    at_once = whole(move_poles(Channel(None, [samples]), rate, 0.8))
    for piece in (1_000, 3_331):
        monkeypatch.setattr(channel, "SHORT", 500)
        monkeypatch.setattr(channel, "PIECE", piece)
        in_pieces = whole(move_poles(Channel(None, [samples]), rate, 0.8))
        assert in_pieces.size == length
        np.testing.assert_array_equal(in_pieces, at_once)


def test_the_gain_of_pieces_is_that_of_the_whole() -> None:
    rng = np.random.default_rng(0)
    for loudness in (0.1, 0.9):
        protected, original = rng.standard_normal((2, 4_000)) * [[2.0], [loudness]]
        parts = Gain(level_of(np.split(protected, 4)), level_of(np.split(original, 4)))
        at_once = Gain(level_of([protected]), level_of([original]))
        np.testing.assert_allclose(
            whole(map(parts, np.split(protected, 4))), at_once(protected), rtol=1e-14
        )


def test_the_long_term_of_blocks_is_that_of_the_whole(speech: Samples) -> None:
    f0 = contour(speech)
    cepstrum = cepstrum_of(envelope(speech, f0), VOICE)
    speaking = cepstrum[:, 0] >= np.quantile(cepstrum[:, 0], 1 - SPEECH_SHARE)
    count = LongTermCount()
    for part in np.array_split(cepstrum, 7):
        count.add(part)
    found = count.result(None)
    np.testing.assert_allclose(found.mean, cepstrum[speaking, TERMS].mean(axis=0), atol=0.1)
    np.testing.assert_allclose(found.spread, cepstrum[speaking, TERMS].std(axis=0), rtol=0.01)


def test_persona_in_blocks_speaks_as_at_once_and_no_seam_shows(
    speech: Samples, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = speak.speak_at_once(speech, RATE, lambda _: VOICE)
    np.testing.assert_array_equal(
        whole(speak.speak(Channel(None, [speech]), RATE, lambda _: VOICE)), at_once
    )
    monkeypatch.setattr(speak, "LONGEST", 5.0)
    monkeypatch.setattr(blocks, "SECONDS", 3.5)
    monkeypatch.setattr(blocks, "SEARCHED", 2.0)
    found: list[tuple[int, int]] = []
    borders = blocks.Blocks.borders

    def noted(self: blocks.Blocks, tracked: blocks.Tracked) -> list[tuple[int, int]]:
        found[:] = borders(self, tracked)
        assert not tracked.f0[[first for first, _ in found[1:]]].any()  # pulses are never cut
        return found

    monkeypatch.setattr(blocks.Blocks, "borders", noted)
    spoken = whole(speak.speak(Channel(None, [speech]), RATE, lambda _: VOICE))
    assert spoken.size == at_once.size
    assert 3 <= len(found) <= 8
    assert abs(10 * np.log10(np.square(spoken).sum() / np.square(at_once).sum())) < 0.1
    first = slice(0, round(found[0][1] * FRAME - blocks.FADE * RATE))
    assert np.corrcoef(spoken[first], at_once[first])[0, 1] > 0.98
    change, change_at_once = _flux(spoken), _flux(at_once)
    for border, _ in found[1:]:  # no more happens there than would without a seam
        near = slice(border - 8, border + 8)
        assert change[near].max() < change_at_once[near].max() + 0.2


def _flux(samples: Samples) -> Samples:
    """How far the spectrum changes from one frame of 5 ms to the next."""
    frames = np.lib.stride_tricks.sliding_window_view(samples, 512)[::FRAME]
    spectrum = np.log(np.abs(np.fft.rfft(frames * np.hanning(512))) + 1e-4)
    change: Samples = np.sqrt(np.square(np.diff(spectrum, axis=0)).mean(axis=1))
    return change


@pytest.mark.parametrize("rate", [16_000, 22_050])
def test_persona_in_blocks_keeps_the_length_and_silence(
    rate: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(speak, "LONGEST", 1.0)
    monkeypatch.setattr(blocks, "SECONDS", 2.0)
    monkeypatch.setattr(blocks, "SEARCHED", 1.0)
    rng = np.random.default_rng(0)
    for length in (rate + 1, 3 * rate + 77, 5 * rate):
        noise = 0.1 * rng.standard_normal(length)
        noise[length // 2 : length // 2 + rate] = 0.0
        spoken = whole(speak.speak(Channel(None, [noise]), rate, lambda _: VOICE))
        assert spoken.size == length
        assert np.isfinite(spoken).all()
        quiet = spoken[length // 2 + rate // 4 : length // 2 + rate * 3 // 4]
        assert np.abs(quiet).max(initial=0.0) < 1e-3
        silence = whole(speak.speak(Channel(None, [0 * noise]), rate, lambda _: VOICE))
        assert silence.size == length
        assert not silence.any()


@dataclass(frozen=True)
class Louder:
    """A safeguard of somebody else's, which has never heard of pieces."""

    name: ClassVar[str] = "louder"
    reference: ClassVar[str] = "a test"
    deterministic: ClassVar[bool] = True
    level: ClassVar[str] = "speaker"

    def to_dict(self) -> dict[str, Any]:
        return describe(self)

    def __call__(self, samples: Samples, sample_rate: int, voice: Voice) -> Samples:
        del sample_rate, voice
        return 2 * samples


@dataclass(frozen=True)
class Hungry(Louder):
    """One that needs more memory than there is, for some."""

    name: ClassVar[str] = "hungry"

    def __call__(self, samples: Samples, sample_rate: int, voice: Voice) -> Samples:
        del sample_rate, voice
        return samples if samples.size < 20_000 else np.zeros(1 << 50) + samples[0]


@pytest.fixture
def short_and_long(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    for name, length in (("anna/short", 10_000), ("ben/long", 40_000)):
        path = tmp_path / "speech" / f"{name}.wav"
        path.parent.mkdir(parents=True)
        soundfile.write(path, 0.1 * rng.standard_normal(length), 16_000)
    return tmp_path / "speech"


def test_what_only_takes_all_at_once_is_told_what_it_lacks(
    short_and_long: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(safeguard, "LONGEST_WHOLE", 20_000)
    chain = Chain((McAdams(), Louder()))
    done = protect_corpus(read_corpus(short_and_long), tmp_path / "out", chain, key=None)
    assert [utterance.id for utterance in done.corpus] == ["short"]
    (problem,) = map(str, done.problems)
    assert "long.wav: lasts 0.0 min, and louder has no method in_pieces" in problem


def test_too_little_memory_for_one_is_its_problem_alone(
    short_and_long: Path, tmp_path: Path
) -> None:
    corpus = read_corpus(short_and_long)
    done = protect_corpus(corpus, tmp_path / "out", Chain((Hungry(),)), key=None)
    assert [utterance.id for utterance in done.corpus] == ["short"]
    (problem,) = map(str, done.problems)
    assert "long.wav: there is not enough memory for it; take fewer `workers`" in problem


def test_links_of_any_kind_follow_each_other(
    short_and_long: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, chain = read_corpus(short_and_long), Chain((McAdams(0.9), Louder(), McAdams(0.95)))
    protect_corpus(corpus, tmp_path / "one", chain, key=None)
    monkeypatch.setattr(channel, "SHORT", 5_000)
    monkeypatch.setattr(channel, "PIECE", 3_331)
    protect_corpus(corpus, tmp_path / "two", chain, key=None)
    for name in ("anna/short.wav", "ben/long.wav"):
        one, two = (soundfile.read(tmp_path / out / name)[0] for out in ("one", "two"))
        np.testing.assert_allclose(one, two, atol=2**-15 * 1.001)  # 32 bits between the links


# What the system counts for a child begins with the memory of the tests themselves, from which it
# was started; the peak of the program alone stands in its own status.
MEASURED = """
import re, sys
from pathlib import Path
from pseudovoice.cli.main import app
sys.argv[0] = "pseudovoice"
try:
    app()
finally:
    status = Path("/proc/self/status").read_text()
    print(re.search(r"VmHWM:\\s+([0-9]+) kB", status)[1], file=sys.stderr)
"""


def _peak(*words: str | Path) -> float:
    """Megabytes that the command needed; it must succeed."""
    program = [sys.executable, "-c", MEASURED, *map(str, words)]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return int(done.stderr.split()[-1]) / 1024


def _looped(speech: Samples, rate: int, seconds: int) -> Iterator[Samples]:
    once = soxr.resample(speech, RATE, rate)
    for left in range(seconds * rate, 0, -once.size):
        yield once[:left]


def _write(path: Path, speech: Samples, rate: int, seconds: int) -> Path:
    path.parent.mkdir(parents=True)
    with soundfile.SoundFile(path, "w", rate, 1) as file:
        for part in _looped(speech, rate, seconds):
            file.write(part)
    return path.parents[1]


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="there is no wait4 to tell the memory")
def test_memory_does_not_grow_with_the_length(tmp_path: Path, speech: Samples) -> None:
    peaks = []
    for minutes in (3, 12):
        source = _write(tmp_path / f"{minutes}" / "anna" / "x.wav", speech, 8_000, 60 * minutes)
        out = tmp_path / f"out{minutes}"
        peaks.append(_peak("protect", source, out, "--safeguard", "mcadams"))
    assert peaks[1] < peaks[0] + 60, peaks


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="there is no wait4 to tell the memory")
def test_personas_memory_is_bounded(tmp_path: Path, speech: Samples) -> None:
    source = _write(tmp_path / "speech" / "anna" / "x.wav", speech, RATE, 100)
    chain = "persona:candidates=1"
    assert _peak("protect", source, tmp_path / "out", "--safeguard", chain) < 750


@pytest.mark.weights
@pytest.mark.skipif(not hasattr(os, "wait4"), reason="there is no wait4 to tell the memory")
def test_memory_of_the_neural_voice_is_bounded(tmp_path: Path, speech: Samples) -> None:
    source = _write(tmp_path / "speech" / "anna" / "x.wav", speech, RATE, 100)
    assert _peak("protect", source, tmp_path / "out", "--safeguard", "xvector") < 560


def test_channels_that_are_the_same_are_made_once(
    tmp_path: Path, speech: Samples, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "speech" / "anna" / "x.wav"
    path.parent.mkdir(parents=True)
    soundfile.write(path, np.stack([speech, speech, 0.5 * speech], axis=1), RATE)
    made: list[int] = []
    spoken = McAdams.in_pieces

    def counted(self: McAdams, one: Channel, rate: int, voice: Voice) -> Iterator[Samples]:
        made.append(len(one))
        return spoken(self, one, rate, voice)

    monkeypatch.setattr(McAdams, "in_pieces", counted)
    done = protect_corpus(
        read_corpus(tmp_path / "speech"), tmp_path / "out", Chain((McAdams(0.8),)), key=None
    )
    assert not done.problems
    assert made == [speech.size] * 2
    first, second, third = soundfile.read(tmp_path / "out" / "anna" / "x.wav")[0].T
    np.testing.assert_array_equal(first, second)
    assert np.abs(first - third).max() > 0.01


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="there is no wait4 to tell the memory")
def test_a_small_file_may_unpack_to_an_hour(tmp_path: Path) -> None:
    path = tmp_path / "speech" / "anna" / "x.flac"
    path.parent.mkdir(parents=True)
    hour = np.zeros(3600 * RATE, np.int16)
    hour[:RATE] = np.random.default_rng(0).integers(-999, 999, RATE)
    soundfile.write(path, hour, RATE)
    assert path.stat().st_size < 300_000
    assert _peak("inspect", tmp_path / "speech") < 450
    out = tmp_path / "out"
    assert _peak("protect", tmp_path / "speech", out, "--safeguard", "mcadams") < 450
    assert soundfile.info(out / "anna" / "x.flac").frames == hour.size
