"""What a killed run leaves half done stands in nobody's way, and what cannot be removed is said."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pseudovoice.atomic import remove_halves
from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.errors import UsageError
from pseudovoice.keys import Key
from pseudovoice.protection.protect import Protected, protect_corpus
from pseudovoice.release.state import OwnerState
from pseudovoice.safeguards import parse_chain
from pseudovoice.slicing import Slicing, slice_corpus

RATE = 8_000
KEY = Key(bytes(range(32)))
HALF = ".0123456789abcdef.part"


def speech(folder: Path, *names: str) -> Corpus:
    for number, name in enumerate(names):
        (folder / name).mkdir(parents=True, exist_ok=True)
        noise = 0.1 * np.random.default_rng(number).standard_normal(RATE // 2)
        soundfile.write(folder / name / f"{name}-1.wav", noise, RATE)
    return read_corpus(folder)


def protect(corpus: Corpus, out: Path, chain: str = "mcadams") -> Protected:
    return protect_corpus(corpus, out, parse_chain(chain), key=KEY, workers=1)


def test_halves_go_and_nothing_else(tmp_path: Path) -> None:
    kept = [".git", "a.part", ".notes.tmp", ".0123456789abcdef.wav"]
    halves = [HALF, ".0123456789abcdef.tmp", ".ab_9z0xy.part"]
    for name in (*kept, *halves):
        (tmp_path / name).write_text("x")
    remove_halves(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(kept)


def test_a_half_record_does_not_make_a_folder_somebody_elses(tmp_path: Path) -> None:
    corpus = speech(tmp_path / "in", "ann", "bea")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / HALF).write_text("{")
    assert protect(corpus, tmp_path / "out").problems == ()
    assert not (tmp_path / "out" / HALF).exists()


def test_half_a_recording_is_removed_without_a_word(tmp_path: Path) -> None:
    corpus = speech(tmp_path / "in", "ann", "bea")
    protect(corpus, tmp_path / "out")
    (tmp_path / "out" / "ann" / HALF).write_bytes(b"RIFF")
    assert protect(corpus, tmp_path / "out").problems == ()
    assert not (tmp_path / "out" / "ann" / HALF).exists()


def test_speech_half_removed_on_its_way_to_slices(tmp_path: Path) -> None:
    """A kill while it is removed leaves it out of its place, and the next run removes the rest."""
    corpus = speech(tmp_path / "in", "ann", "bea")
    state = OwnerState(tmp_path / "out")
    (state.folder / "gone" / "abc" / "ann").mkdir(parents=True)
    (state.folder / "gone" / "abc" / "ann" / "ann-1.wav").write_bytes(b"RIFF")
    done = protect(corpus, tmp_path / "out", "mcadams-random+slice:duration=0.2,method=fixed")
    assert done.problems == ()
    assert not state.folder.exists()


def test_what_cannot_be_removed_is_a_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    corpus = speech(tmp_path / "in", "ann", "bea")
    monkeypatch.setattr("shutil.rmtree", refused)
    done = protect(corpus, tmp_path / "out", "mcadams-random+slice:duration=0.2,method=fixed")
    said = [str(problem) for problem in done.problems]
    assert len(said) == 2
    assert "tells which slices belong together and cannot be removed (Permission denied)" in said[0]
    assert "holds speech under its names and cannot be removed (Permission denied)" in said[1]


def test_slices_that_lack_an_utterance_are_completed(tmp_path: Path) -> None:
    corpus = speech(tmp_path / "in", "ann", "bea")
    slicing = Slicing(0.2, "fixed")
    calm = slice_corpus(corpus, tmp_path / "calm", slicing, key=KEY, workers=1)
    away = tmp_path / "in" / "ann" / "ann-1.wav"
    content = away.read_bytes()
    away.unlink()
    first = slice_corpus(corpus, tmp_path / "out", slicing, key=KEY, workers=1)
    assert len(first.problems) == 1
    assert not json.loads((tmp_path / "out" / "slicing.json").read_text())["complete"]
    away.write_bytes(content)
    second = slice_corpus(corpus, tmp_path / "out", slicing, key=KEY, workers=1)
    assert second.problems == ()
    assert [u.id for u in second.corpus] == [u.id for u in calm.corpus]
    for path in (tmp_path / "calm").rglob("*.*"):
        there = tmp_path / "out" / path.relative_to(tmp_path / "calm")
        assert there.read_bytes() == path.read_bytes()


def test_slices_are_not_completed_with_those_of_others(tmp_path: Path) -> None:
    corpus = speech(tmp_path / "in", "ann", "bea")
    (tmp_path / "in" / "ann" / "ann-1.wav").unlink()
    slicing = Slicing(0.2, "fixed")
    slice_corpus(corpus, tmp_path / "out", slicing, key=KEY, workers=1)
    before = sorted((tmp_path / "out").rglob("*"))
    others = speech(tmp_path / "others", "cal", "dee")
    with pytest.raises(UsageError, match="holds other slices"):
        slice_corpus(others, tmp_path / "out", slicing, key=KEY, workers=1)
    assert sorted((tmp_path / "out").rglob("*")) == before
