"""The two sides of a call: which channel of a Kaldi recording an utterance is on."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile
from numpy.typing import NDArray

from pseudovoice.corpus import (
    audio_hash,
    examine,
    load,
    read_corpus,
    write_audiofolder,
    write_kaldi,
    write_table,
)
from pseudovoice.errors import InputError
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import parse_chain

RATE = 16_000


@pytest.fixture
def sides(voice: Callable[..., NDArray[np.float32]]) -> NDArray[np.float32]:
    """A call of two seconds: two people, each on a channel."""
    return np.stack([voice(2.0, seed=1), 0.5 * voice(2.0, seed=2)], axis=1)


@pytest.fixture
def data(tmp_path: Path, sides: NDArray[np.float32]) -> Path:
    """A data directory of one call in one file, and one side of another in its own."""
    folder = tmp_path / "data"
    folder.mkdir()
    soundfile.write(folder / "call.wav", sides, RATE, subtype="FLOAT")
    soundfile.write(folder / "alone.wav", sides[:, 1], RATE, subtype="FLOAT")
    (folder / "wav.scp").write_text(
        f"call-A {folder}/call.wav\ncall-B {folder}/call.wav\nother-B {folder}/alone.wav\n"
    )
    return folder


def in_segments(folder: Path, *lines: str) -> Path:
    (folder / "segments").write_text("".join(f"{line}\n" for line in lines))
    names = [line.split()[0] for line in lines]
    (folder / "utt2spk").write_text("".join(f"{name} {name.split('-')[0]}\n" for name in names))
    return folder


def sided(folder: Path, *lines: str) -> Path:
    (folder / "reco2file_and_channel").write_text("".join(f"{line}\n" for line in lines))
    return folder


BOTH = ("call-A call A", "call-B call B", "other-B other B")
SEGMENTS = ("anna-1 call-A 0 1", "ben-1 call-B 0.5 -1", "carl-1 other-B 0 -1")


@pytest.mark.parametrize("second", ["B", "b", "2", "02"])
def test_sides_of_a_call_are_its_channels(
    data: Path, sides: NDArray[np.float32], second: str
) -> None:
    lines = [line.replace(" B", f" {second}") for line in BOTH]
    corpus = read_corpus(in_segments(sided(data, *lines), *SEGMENTS))
    assert not corpus.problems
    heard = {name: load(u, sample_rate=RATE) for name, u in corpus.by_id.items()}
    np.testing.assert_array_equal(heard["anna-1"], sides[:RATE, 0])
    np.testing.assert_array_equal(heard["ben-1"], sides[RATE // 2 :, 1])
    # Alone in its file, the second side is the first channel.
    np.testing.assert_array_equal(heard["carl-1"], sides[:, 1])
    assert corpus.by_id["carl-1"].channel is None
    # No policy for several channels changes what the listing says.
    second_side = load(corpus.by_id["ben-1"], sample_rate=RATE, channel=1)
    np.testing.assert_array_equal(second_side, heard["ben-1"])


def test_the_fifth_field_of_segments_counts_from_0_and_before_sides(
    data: Path, sides: NDArray[np.float32]
) -> None:
    sided(data, *BOTH)
    corpus = read_corpus(in_segments(data, "anna-1 call-A 0 1 0", "ben-1 call-A 0 1 1"))
    for channel, name in enumerate(("anna-1", "ben-1")):
        utterance = corpus.by_id[name]
        assert utterance.channel == channel
        np.testing.assert_array_equal(load(utterance, sample_rate=RATE), sides[:RATE, channel])
    one, other = (audio_hash(utterance) for utterance in corpus)
    assert one != other
    assert "ben-1: 0 s to 1 s, channel 1" in corpus.by_id["ben-1"].place


def test_whole_recordings_have_sides_as_well(data: Path, sides: NDArray[np.float32]) -> None:
    (data / "utt2spk").write_text("call-A anna\ncall-B ben\nother-B carl\n")
    corpus = read_corpus(sided(data, *BOTH))
    heard = [load(utterance, sample_rate=RATE) for utterance in corpus]
    for samples, channel in zip(heard, (0, 1, 1), strict=True):
        np.testing.assert_array_equal(samples, sides[:, channel])
    assert examine(corpus).channels == {1: 3}


def test_a_command_may_print_both_sides(data: Path, sides: NDArray[np.float32]) -> None:
    (data / "wav.scp").write_text(f"call-B cat {data}/call.wav |\n")
    (data / "utt2spk").write_text("call-B ben\n")
    (utterance,) = read_corpus(sided(data, "call-B call B"), allow_commands=True)
    np.testing.assert_array_equal(load(utterance, sample_rate=RATE), sides[:, 1])


def test_channels_survive_writing_and_reading(data: Path, tmp_path: Path) -> None:
    corpus = read_corpus(in_segments(sided(data, *BOTH), *SEGMENTS))
    write_kaldi(corpus, tmp_path / "again")
    again = read_corpus(tmp_path / "again")
    assert again.fingerprint(content=True) == corpus.fingerprint(content=True)
    assert {u.id: u.channel for u in again} == {"anna-1": 0, "ben-1": 1, "carl-1": None}
    for write, target in ((write_table, tmp_path / "t.csv"), (write_audiofolder, data)):
        with pytest.raises(InputError, match="are one channel of a recording"):
            write(corpus, target)


def test_both_sides_of_a_call_are_protected_apart(
    data: Path, sides: NDArray[np.float32], tmp_path: Path
) -> None:
    (data / "utt2spk").write_text("call-A anna\ncall-B ben\n")
    corpus = read_corpus(sided(data, *BOTH))
    protect_corpus(corpus, tmp_path / "p", parse_chain("mcadams"), key=None)
    protected = read_corpus(tmp_path / "p")
    assert not protected.problems
    assert len({utterance.path for utterance in protected}) == 2
    for utterance, channel in zip(protected, (0, 1), strict=True):
        assert soundfile.info(utterance.path).channels == 1
        level = np.sqrt(np.mean(load(utterance, sample_rate=RATE) ** 2))
        assert level == pytest.approx(np.sqrt(np.mean(sides[:, channel] ** 2)), rel=0.05)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("call-B call X9", r"channel:2: 'X9' is no side of a recording; write A or B, or 1 or 2"),
        ("call-B call 0", r"channel:2: '0' is no side of a recording"),
        ("call-B call", r"channel:2: a recording needs 3 fields here, this line has 2; write: rec"),
        ("call-B", r"channel:2: a recording needs 3 fields here, this line has 1; write: rec"),
        ("call-A call B", r"channel:2: the recording 'call-A' has two sides; keep one of the two"),
        ("call-B call C", r"segments:2: the recording 'call-B' has 2 channel\(s\), so there is no"),
    ],
)
def test_a_side_that_cannot_be_is_not_guessed(data: Path, line: str, sentence: str) -> None:
    corpus = read_corpus(in_segments(sided(data, "call-A call A", line), *SEGMENTS))
    (told,) = [str(problem) for problem in corpus.problems if re.search(sentence, str(problem))]
    assert told.endswith(".")
    lost = "anna-1" if line.startswith("call-A") else "ben-1"
    assert lost not in corpus.by_id
    assert "carl-1" in corpus.by_id
