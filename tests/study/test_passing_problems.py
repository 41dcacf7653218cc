"""What could not be read for a moment is said, and never kept as if it were all there is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import soundfile

from pseudovoice.corpus import Corpus, read_corpus, write_audio
from pseudovoice.corpus.lines import numbered_lines
from pseudovoice.corpus.register import Register
from pseudovoice.errors import PassingProblem, Problem
from pseudovoice.page.clips import make_clips
from pseudovoice.release.seal import sealed
from pseudovoice.study import rates
from pseudovoice.study.hours import hours_of
from pseudovoice.study.stage import Computation, Stage, StageStore, Walk
from pseudovoice.study.told import genders_told, words_told
from pseudovoice.study.tools import Tools

RATE = 16_000
HEADER_ALONE = b"\0\0\0\x18ftypM4A " + b"x" * 99
"""The beginning of a phone's recording, and nothing of it."""


@dataclass(frozen=True)
class Record:
    value: float
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class Work(Computation):
    """Finds what it is told to find."""

    found: Record

    kind: ClassVar[str] = "assess"
    record: ClassVar[type[Any]] = Record
    title: ClassVar[str] = "find something"

    def inputs(self) -> dict[str, Any]:
        return {}

    def compute(self, _tools: Tools, *_needed: Any) -> Record:
        return self.found


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Two speakers; the recording of one goes away after the corpus was read."""
    for name in ("ann", "bea"):
        (tmp_path / "speech" / name).mkdir(parents=True)
        noise = 0.1 * np.random.default_rng(len(name)).standard_normal(RATE)
        soundfile.write(tmp_path / "speech" / name / f"{name}-1.wav", noise, RATE)
    read = read_corpus(tmp_path / "speech")
    (tmp_path / "speech" / "ann" / "ann-1.wav").unlink()
    return read


def test_fingerprints_hours_and_clips_say_what_they_could_not_read(corpus: Corpus) -> None:
    for take in (
        lambda unread: corpus.fingerprint(content=True, unread=unread),
        lambda unread: hours_of(corpus, unread),
        lambda unread: make_clips(corpus, "mcadams", unread=unread),
    ):
        said: list[Problem] = []
        take(said.append)
        assert len(said) == 1
        assert isinstance(said[0], PassingProblem)
        assert said[0].where.endswith("ann-1.wav")


@pytest.mark.parametrize("suffix", [".m4a", ".mp4", ".mka"])
def test_a_damaged_container_counts_no_hours(suffix: str, tmp_path: Path) -> None:
    """What FFmpeg refuses is an error of another kind: it ended a comparison at its last step."""
    noise = 0.1 * np.random.default_rng(0).standard_normal(3 * RATE)
    for name in ("ann", "bea"):
        (tmp_path / "speech" / name).mkdir(parents=True)
        write_audio(tmp_path / "speech" / name / f"{name}-1{suffix}", noise, RATE)
    corpus = read_corpus(tmp_path / "speech")
    broken = corpus.utterances[0].path
    whole = hours_of(corpus)
    half = broken.read_bytes()[: broken.stat().st_size // 2]
    for left in (half, HEADER_ALONE):
        broken.write_bytes(left)
        said: list[Problem] = []
        assert hours_of(corpus, said.append) <= whole
        assert said == []
        assert rates.hours_of(corpus) <= whole
        made = tmp_path / f"made{suffix}"
        made.write_bytes(HEADER_ALONE)
        with pytest.raises(FileNotFoundError):
            sealed(made, "stamp", one_time=False)


def test_damage_is_no_passing_problem(corpus: Corpus) -> None:
    """The stages say it each time; the page need not."""
    (corpus.root / "ann" / "ann-1.wav").write_bytes(b"RIFF, and no more")
    said: list[Problem] = []
    clips = make_clips(corpus, "mcadams", unread=said.append)
    assert [clip.speaker for clip in clips] == ["bea"]
    assert said == []


def test_a_result_that_lacks_something_for_the_moment_is_not_kept(tmp_path: Path) -> None:
    store = StageStore(tmp_path)
    passing = Record(0.1, (PassingProblem("a.wav", "cannot be read", "check it"),))
    lasting = Record(0.2, (Problem("b.wav", "is silent", "leave it out"),))

    def walked(found: Record) -> Record:
        made: Record = Walk(store, Tools()).result(Stage(Work(found)))
        return made

    assert walked(passing).value == 0.1
    assert walked(lasting) == lasting
    assert walked(passing) == lasting


def test_a_listing_that_cannot_be_read_now(tmp_path: Path) -> None:
    """What a listing lacks for the moment is no more a reason to keep what was made without it."""
    register = Register(tmp_path, "folder")
    assert list(numbered_lines(tmp_path / "metadata.tsv", register)) == []
    assert isinstance(register.problems[0], PassingProblem)
    (tmp_path / "metadata.tsv.gz").write_bytes(b"no gzip at all")
    damaged = Register(tmp_path, "folder")
    assert list(numbered_lines(tmp_path / "metadata.tsv.gz", damaged)) == []
    assert type(damaged.problems[0]) is Problem


def test_what_listings_tell_is_part_of_what_a_stage_depends_on(corpus: Corpus) -> None:
    first, *others = corpus.utterances
    for changed in (replace(first, transcript="another word"), replace(first, session="2")):
        assert words_told(replace(corpus, utterances=(changed, *others))) != words_told(corpus)
    assert words_told(replace(corpus, utterances=corpus.utterances[::-1])) == words_told(corpus)
    known = replace(corpus, utterances=(replace(first, gender="f"), *others))
    assert genders_told(known) != genders_told(corpus)
    assert words_told(known) == words_told(corpus)
