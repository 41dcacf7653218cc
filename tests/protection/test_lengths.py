"""Lengths on a grid: what is added, what is taken away, and how many are still told apart."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner, Result

from pseudovoice.cli.main import app
from pseudovoice.corpus import read_corpus
from pseudovoice.errors import UsageError
from pseudovoice.keys import Key
from pseudovoice.protection.edges import padded, trimmed
from pseudovoice.protection.lengths import LengthGrid, singled_out
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import parse_chain
from pseudovoice.safeguards.channel import SHORT, Channel, whole

KEY = Key(b"k" * 32)
RATE = 16_000
CHAIN = parse_chain("mcadams")


def recording(seconds: float, seed: int = 0, channels: int = 1) -> np.ndarray:
    """A tone between two stretches of brown background noise."""
    frames = round(seconds * RATE)
    rng = np.random.default_rng(seed)
    background = np.convolve(rng.normal(size=frames), np.ones(8) / 8, "same")
    sound = 0.002 * background[:, None] + np.zeros(channels)
    tone = 0.3 * np.sin(2 * np.pi * 200 * np.arange(frames) / RATE)
    sound[frames // 4 : -frames // 4] += tone[frames // 4 : -frames // 4, None]
    return sound.astype(np.float32)


def in_channels(sound: np.ndarray, place: Path | None = None) -> list[Channel]:
    return [Channel(place, [channel]) for channel in sound.T]


def samples(channels: list[Channel]) -> np.ndarray:
    return np.stack([whole(channel.pieces()) for channel in channels], axis=1)


def longer(sound: np.ndarray, seed: bytes, place: Path | None = None) -> np.ndarray:
    """Padded to whole seconds."""
    return samples(padded(in_channels(sound, place), RATE, RATE, seed))


def shorter(sound: np.ndarray, step: int, place: Path | None = None) -> np.ndarray:
    return samples(trimmed(in_channels(sound, place), step))


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "c" / "a").mkdir(parents=True)
    for k in range(12):
        soundfile.write(
            tmp_path / "c" / "a" / f"a{k:02d}.wav", recording(1.01 + 0.037 * k, k), RATE
        )
    return tmp_path / "c"


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["protect", *map(str, words)])


def test_counting() -> None:
    found = singled_out([1, 1, 1, 2, 2, 3, 4])
    assert (found.utterances, found.alone, found.with_fewer_than_two) == (7, 2, 4)
    assert "2 of 7 utterances have a length that no other has" in str(found)
    assert singled_out([]).utterances == 0


@pytest.mark.parametrize("channels", [1, 2])
def test_padding_is_like_the_background_and_leaves_the_rest(channels: int) -> None:
    sound = recording(1.1, channels=channels)
    out = longer(sound, b"s" * 32)
    assert len(out) == 2 * RATE
    place = next(k for k in range(len(out)) if np.array_equal(out[k : k + 99], sound[:99]))
    assert np.array_equal(out[place : place + len(sound)], sound)
    before, after = out[:place], out[place + len(sound) :]
    assert len(before) > 200
    assert len(after) > 200
    real = sound[: len(sound) // 5]
    for part in (before, after):
        assert 0.5 < np.square(part).mean() / np.square(real).mean() < 2.0
        # Coloured like it: most of its energy is low, as the background's is.
        spectra = [np.square(np.abs(np.fft.rfft(x[:, 0]))) for x in (part, real)]
        low = [s[: len(s) // 8].sum() / s.sum() for s in spectra]
        assert low[0] == pytest.approx(low[1], abs=0.15)
    if channels == 2:
        assert not np.array_equal(before[:, 0], before[:, 1])


def test_padding_depends_on_its_seed_alone_and_silence_gets_silence() -> None:
    sound = recording(0.9)
    assert np.array_equal(longer(sound, b"1"), longer(sound, b"1"))
    assert not np.array_equal(longer(sound, b"1"), longer(sound, b"2"))
    exact = recording(1.0)
    assert np.array_equal(longer(exact, b"1"), exact)
    assert not longer(np.zeros((700, 1)), b"1").any()
    assert len(longer(np.ones((3, 1)), b"1")) == RATE


def test_trimming_takes_the_quieter_edge() -> None:
    sound = np.full((1_000, 1), 0.5, np.float32)
    sound[:150] = 0.001
    assert np.array_equal(shorter(sound, 300), sound[100:])
    assert np.array_equal(shorter(sound[::-1].copy(), 300), sound[::-1][:900])
    assert len(shorter(sound, 500)) == 1_000
    # Both channels are cut alike, where both together are quietest.
    both = np.concatenate([sound, 2 * sound[::-1]], axis=1)
    assert np.array_equal(shorter(both, 300), both[:900])


def test_what_is_too_long_for_memory_is_cut_and_padded_all_the_same(tmp_path: Path) -> None:
    sound = np.random.default_rng(0).normal(size=(SHORT + 12_345, 1)).astype(np.float32)
    place = tmp_path / "x.wav"
    out = longer(sound, b"1", place)
    assert len(out) % RATE == 0
    first = np.flatnonzero(out[:, 0] == sound[0, 0])[0]
    assert np.array_equal(out[first : first + len(sound)], sound)
    step = 100_000
    kept = shorter(sound, step, place)
    assert len(kept) == len(sound) // step * step
    first = np.flatnonzero(sound[:, 0] == kept[0, 0])[0]
    assert np.array_equal(sound[first : first + len(kept)], kept)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("how", ["pad", "trim"])
def test_lengths_come_to_the_grid(corpus: Path, tmp_path: Path, how: str) -> None:
    words = (corpus, tmp_path / "p", "--safeguard", "mcadams", "--rename", f"--{how}", "0.25")
    done = run(*words, "--json")
    assert done.exit_code == 0, done.output
    facts = json.loads(done.stdout)
    assert facts["singled_out_by_length"]["alone"] == 0
    frames = [soundfile.info(u.path).frames for u in read_corpus(tmp_path / "p")]
    assert len(frames) == 12
    assert all(n % 4_000 == 0 for n in frames)
    record = json.loads((tmp_path / "p" / "protection.json").read_text())
    assert record["lengths"] == {how: 0.25}
    assert json.loads(run(*words, "--json").stdout)["resumed"] == 12
    other = run(*words[:-1], "0.5")
    assert other.exit_code == 2
    assert "protected in another way" in " ".join(other.output.split())
    # The same without new names, to be assessed.
    plain = protect_corpus(
        *(read_corpus(corpus), tmp_path / "q", CHAIN),
        key=_key(tmp_path), grid=LengthGrid(0.25, how),  # type: ignore[arg-type]
    )  # fmt: skip
    assert {u.path.read_bytes() for u in plain.corpus} == {
        u.path.read_bytes() for u in read_corpus(tmp_path / "p")
    }


def _key(folder: Path) -> Key:
    from pseudovoice.keys import read_key

    return read_key(folder / "p.key")


def test_what_is_shorter_than_the_grid_cannot_be_trimmed(corpus: Path, tmp_path: Path) -> None:
    done = run(corpus, tmp_path / "p", "--safeguard", "mcadams", "--trim", "1.2")
    assert done.exit_code == 1
    assert "less than the 1.2 s of --trim" in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--pad", "0.5", "--trim", "0.5"], "name one"),
        (["--pad", "0"], "a grid of 0.01 s to 60 s, not of 0 s"),
        (["--trim", "nan"], "a grid of 0.01 s to 60 s"),
    ],
)
def test_wrong_grids(corpus: Path, tmp_path: Path, words: list[str], sentence: str) -> None:
    result = run(corpus, tmp_path / "p", "--safeguard", "mcadams", *words)
    assert result.exit_code == 2
    assert sentence in " ".join(result.output.split())


def test_grids_need_a_key_and_no_slices(corpus: Path, tmp_path: Path) -> None:
    speech = read_corpus(corpus)
    with pytest.raises(UsageError, match="Padding draws from a secret key"):
        protect_corpus(speech, tmp_path / "p", CHAIN, key=None, grid=LengthGrid(0.5))
    slices = parse_chain("mcadams+slice")
    with pytest.raises(UsageError, match="slice has lengths of its own"):
        protect_corpus(speech, tmp_path / "p", slices, key=KEY, grid=LengthGrid(0.5))
    with pytest.raises(UsageError, match="leave out `prune` and `verify`"):
        protect_corpus(speech, tmp_path / "p", slices, key=KEY, prune=True)
