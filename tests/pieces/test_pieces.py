"""Recordings cut into utterances: one of each person, or of several people with their turns."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner

from pseudovoice.cli.inspect import command as inspect
from pseudovoice.corpus import Corpus, Utterance, decode, load, read_corpus
from pseudovoice.corpus.recordings import read_recordings
from pseudovoice.diarisation import Turn, Turns
from pseudovoice.diarisation.formats import read_turns, write_turns
from pseudovoice.errors import InputError
from pseudovoice.library.assess import assess
from pseudovoice.library.compare import compare
from pseudovoice.library.cut import turns_beside
from pseudovoice.library.protect import protect
from pseudovoice.pieces import cut_by_turns, cut_recordings
from pseudovoice.pieces.listen import MOST, _spread
from pseudovoice.pieces.need import cutting_of, one_each
from pseudovoice.pieces.pauses import LONGEST, SHORTEST, cut_at_pauses, powers_of

RATE = 16_000


@pytest.fixture(scope="module")
def dev(shared: Path) -> Corpus:
    return read_corpus(shared / "speech" / "dev")


def _spoken(dev: Corpus, speaker: str, seconds: float) -> np.ndarray:
    """So much of a person, half a second of a quiet room after every utterance."""
    rng = np.random.default_rng(0)
    parts: list[np.ndarray] = []
    for utterance in dev.speakers[speaker]:
        parts += [load(utterance, sample_rate=RATE), 1e-4 * rng.standard_normal(RATE // 2)]
        if sum(map(len, parts)) > seconds * RATE:
            break
    return np.concatenate(parts)


@pytest.fixture(scope="module")
def talks(dev: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three people with one recording each, of half a minute."""
    root = tmp_path_factory.mktemp("talks") / "talks"
    for speaker in list(dev.speakers)[:3]:
        (root / speaker).mkdir(parents=True)
        sound = _spoken(dev, speaker, 28.0)
        soundfile.write(root / speaker / f"talk-{speaker}.wav", sound, RATE)
    return root


@pytest.fixture(scope="module")
def interview(dev: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two people in turn in one stereo file, and who speaks when beside it."""
    folder = tmp_path_factory.mktemp("interview")
    people = list(dev.speakers)[:2]
    sounds, turns, at = [], [], 0.0
    for k in range(4):
        for name in people:
            sound = load(dev.speakers[name][k], sample_rate=RATE)[: 7 * RATE]
            turns.append(Turn(at, at + len(sound) / RATE, f"person-{name}"))
            sounds += [sound, np.zeros(RATE // 2, np.float32)]
            at += len(sound) / RATE + 0.5
    path = folder / "Gespräch.wav"
    soundfile.write(path, np.repeat(np.concatenate(sounds)[:, None], 2, axis=1), RATE)
    write_turns([Turns.of("Gespräch", turns)], path.with_suffix(".rttm"))
    return path


# --- where


def test_blocks_change_nothing() -> None:
    rng = np.random.default_rng(1)
    loud = np.repeat([0.1, 1e-4, 0.1, 1e-4, 0.1], [RATE * 4, RATE // 2, RATE * 4, RATE, RATE * 5])
    sound = loud * rng.standard_normal(loud.size)
    whole = powers_of([sound], RATE)
    for size in (1, 777, RATE):
        blocks = [sound[k : k + size] for k in range(0, sound.size if size > 1 else 2000, size)]
        part = powers_of(blocks, RATE)
        assert np.allclose(part.hops, whole.hops[: part.hops.size])
    assert len(cut_at_pauses(whole)) == 3


def test_both_versions_are_cut_at_the_same_places(talks: Path) -> None:
    corpus = read_corpus(talks)
    cutting = cut_recordings(corpus)
    originals = cutting.utterances
    assert not cutting.problems
    assert set(originals.speakers) == set(corpus.speakers)
    assert all(len(own) >= 3 for own in originals.speakers.values())
    assert len(originals.by_id) == len(originals)
    for recording in corpus:
        own = [p for p in cutting.pieces if p.recording == recording.id]
        assert all(SHORTEST - 0.01 <= p.end - p.start <= LONGEST + 0.01 for p in own)
        assert all(a.end <= b.start for a, b in pairwise(own))
    moved = Corpus("moved", talks, tuple(corpus.utterances[1:]))
    version = cutting.of(moved)
    assert {u.speaker for u in version} == {u.speaker for u in moved}
    for one in version:
        twin = originals.by_id[one.id]
        assert (one.start, one.end, one.session) == (twin.start, twin.end, twin.session)
    assert "flatter the attacker" in " ".join(cutting.notes)
    assert "within one recording" in " ".join(cutting.notes)


def test_a_part_of_a_recording_is_cut_where_it_lies(talks: Path) -> None:
    (whole,) = read_corpus(talks).utterances[:1]
    part = Utterance("part", whole.speaker, whole.path, start=5.0, end=25.0)
    cut = cut_recordings(Corpus("x", talks, (part,))).utterances
    assert cut.utterances
    assert all(5.0 <= (u.start or 0) < (u.end or 0) <= 25.0 for u in cut)


def test_only_whoever_has_one_recording_is_cut(talks: Path, dev: Corpus) -> None:
    assert one_each(read_corpus(talks))
    some = dev.subset(speakers=list(dev.speakers)[:3])
    assert not one_each(some)
    assert cutting_of(some, "auto", None) is None
    assert cutting_of(read_corpus(talks), "never", None) is None


def test_no_more_than_enough_is_taken_of_a_long_recording() -> None:
    assert _spread(list(range(500)), MOST) == sorted(set(_spread(list(range(500)), MOST)))
    assert len(_spread(list(range(500)), MOST)) == MOST
    assert _spread([1, 2], MOST) == [1, 2]
    assert _spread([], MOST) == []


def test_turns_are_utterances_and_overlap_is_nobodys(interview: Path) -> None:
    corpus = read_recordings(interview)
    turns = Turns.of("x", [Turn(0, 5, "a"), Turn(4, 9, "b"), Turn(9.5, 10, "a")])
    cutting = cut_by_turns(corpus, {corpus.utterances[0].id: turns})
    found = [(p.speaker, p.start, p.end) for p in cutting.pieces]
    assert found == [("a", 0.0, 4.0), ("b", 5.0, 9.0)]


# --- assessed


def test_one_recording_each_is_compared(talks: Path, tmp_path: Path) -> None:
    done = compare(
        talks, "mcadams", "ignorant", "ge2e", out=tmp_path / "out", measures=(), figures=False,
        replicates=20, permutations=20, clips=False,
    )  # fmt: skip
    (found,) = done.found
    assert found.assessed.attacks
    assert not done.problems
    assert any("cut at pauses" in note for note in done.notes)
    assert "flatter the attacker" in done.page.read_text(encoding="utf-8")
    # What would be released are the whole recordings.
    released = sorted(path.name for path in (tmp_path / "out" / "speech").rglob("*.wav"))
    assert released == sorted(path.name for path in talks.rglob("*.wav"))


def test_two_people_of_one_recording_are_assessed(interview: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.wav"
    turns = turns_beside(interview)
    assert turns is not None
    protect(interview, out, "mcadams", turns=turns)
    done = assess(
        interview, out, encoders="ge2e", turns=turns, true_turns=turns, replicates=20,
        permutations=20, cache=False,
    )  # fmt: skip
    told = {row.speaker for row in done.whole.speakers}
    assert len(told) == 2
    assert all(name.startswith("person-") for name in told)
    assert any("DER 0.0 %" in note for note in done.whole.warnings)


def test_what_does_not_last_as_long_is_left_out(talks: Path, tmp_path: Path) -> None:
    shorter = tmp_path / "protected"
    for path in talks.rglob("*.wav"):
        sound = decode(Utterance("a", "a", path))
        place = shorter / path.relative_to(talks)
        place.parent.mkdir(parents=True)
        cut = RATE if path.parent.name == min(p.name for p in talks.iterdir()) else 0
        soundfile.write(place, sound.samples[cut:], RATE)
    done = assess(talks, shorter, encoders="ge2e", replicates=20, permutations=20, cache=False)
    assert any("do not last as long" in str(problem) for problem in done.problems)
    assert len({row.speaker for row in done.whole.speakers}) == 2


# --- said beforehand


def test_whoever_is_alone_is_told_so_before_anything_is_made(
    interview: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=r"the only speaker.*diarise"):
        compare(interview, "mcadams", out=tmp_path / "out")
    assert not (tmp_path / "out" / "speech").exists()


def test_recordings_too_short_to_be_cut_are_told_so(dev: Corpus, tmp_path: Path) -> None:
    sound = load(dev.utterances[0], sample_rate=RATE)[: 2 * RATE]
    for name in "ab":
        (tmp_path / "c" / name).mkdir(parents=True)
        soundfile.write(tmp_path / "c" / name / f"{name}.wav", sound, RATE)
    with pytest.raises(InputError, match="none of the recordings gave an utterance"):
        compare(tmp_path / "c", "mcadams", out=tmp_path / "out")
    result = CliRunner().invoke(inspect, [str(tmp_path / "c"), "--json"])
    answers = {one["what"]: one for one in json.loads(result.stdout)["assessable"]}
    assert not answers["how well people are hidden"]["possible"]


def test_inspect_counts_on_nothing_that_cannot_be_heard(dev: Corpus, tmp_path: Path) -> None:
    def answers() -> dict[str, bool]:
        result = CliRunner().invoke(inspect, [str(tmp_path / "c"), "--json"])
        assert result.exit_code == 1
        told = json.loads(result.stdout)["assessable"]
        return {one["what"]: one["possible"] for one in told}

    for name in "ab":
        (tmp_path / "c" / name).mkdir(parents=True)
        for k in range(2):
            (tmp_path / "c" / name / f"{name}{k}.wav").write_bytes(b"no audio at all")
    assert answers() == {"anything": False}
    sound = load(dev.utterances[0], sample_rate=RATE)
    for k in range(2):
        soundfile.write(tmp_path / "c" / "a" / f"a{k}.wav", sound, RATE)
    found = answers()
    assert not found["how well people are hidden"], "one person is left"
    assert found["words that are still understood"]


def test_inspect_says_what_can_be_assessed(talks: Path, interview: Path) -> None:
    def answers(*words: str) -> dict[str, dict[str, object]]:
        result = CliRunner().invoke(inspect, [*words, "--json"])
        return {one["what"]: one for one in json.loads(result.stdout)["assessable"]}

    apart = answers(str(talks))
    hidden = apart["how well people are hidden"]
    assert hidden["possible"]
    assert "cut at pauses" in str(hidden["why"])
    assert not apart["women and men apart"]["possible"]
    assert not apart["cutting into slices"]["possible"]
    both = answers(str(interview))
    assert "every turn" in str(both["how well people are hidden"]["why"])
    assert "2 people there are numbers, and nothing follows" in str(
        both["how well people are hidden"]["why"]
    )
    told = json.loads(CliRunner().invoke(inspect, [str(interview), "--json"]).stdout)
    (turns,) = read_turns(interview.with_suffix(".rttm")).values()
    assert (told["utterances"], told["speakers"], told["turns"]) == (1, 2, len(turns.turns))
    said = CliRunner().invoke(inspect, [str(talks)]).stdout
    assert "- yes how well people are hidden" in said
    assert "- no  women and men apart" in said
