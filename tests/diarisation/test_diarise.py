"""Who speaks when, found by ear: the parts by themselves, and a conversation of real people."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner

from pseudovoice.cli.main import app
from pseudovoice.corpus.recordings import read_recordings
from pseudovoice.diarisation import Turn, Turns, diarisation_error
from pseudovoice.diarisation.activity import SECONDS, load_activity, speech
from pseudovoice.diarisation.clustering import voices
from pseudovoice.diarisation.formats import read_turns, write_turns
from pseudovoice.diarisation.matching import matched
from pseudovoice.diarisation.resegment import resegment, viterbi
from pseudovoice.diarisation.windows import LENGTH, Windows, stretches, window_spans

RATE = 16_000


def test_speech_has_two_thresholds_and_no_clicks() -> None:
    heard = np.zeros(100, np.float32)
    heard[20:50] = 0.4  # could be
    heard[30:40] = 0.9  # is, from here until it could no longer be
    heard[70] = 0.9  # a click
    spoken = speech(heard)
    assert np.flatnonzero(spoken)[[0, -1]].tolist() == [30, 49]
    assert not speech(np.full(50, 0.4, np.float32)).any()
    assert speech(np.zeros(0, np.float32)).size == 0


def test_windows_keep_to_their_stretch() -> None:
    spoken = np.zeros(400, bool)
    spoken[12:18] = True  # 0.19 s, and as much again around it
    spoken[102:298] = True  # 6.3 s
    spoken[350:354] = True  # 0.13 s: nothing to be heard in it
    spans = window_spans(spoken)
    assert spans[0] == pytest.approx((10 * SECONDS, 20 * SECONDS))
    assert spans[1][0] == pytest.approx(100 * SECONDS)
    assert spans[-1][1] == pytest.approx(300 * SECONDS)
    assert all(end - start <= LENGTH + 1e-9 for start, end in spans)
    assert all(a[0] < b[0] <= a[1] for a, b in itertools.pairwise(spans[1:]))


def test_stretches_are_those_of_the_whole() -> None:
    samples = np.arange(10_000, dtype=np.float32)
    spans = [(0.0, 0.2), (0.1, 0.3), (0.7, 0.9)]
    blocks = np.split(samples, [100, 101, 2500, 7100])
    for span, part in stretches(blocks, spans, 10_000):
        assert (part == samples[round(span[0] * 1e4) : round(span[1] * 1e4)]).all()


def test_the_path_is_the_best_of_all() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        evidence, price = rng.normal(size=(6, 3)), rng.uniform(0, 2, 6)

        def worth(path: tuple[int, ...], evidence: np.ndarray, price: np.ndarray) -> float:
            changes = sum(price[t] for t in range(1, 6) if path[t] != path[t - 1])
            return float(sum(evidence[t, k] for t, k in enumerate(path)) - changes)

        every = [tuple(int(d) for d in np.base_repr(n, 3).zfill(6)) for n in range(3**6)]
        best = max(worth(path, evidence, price) for path in every)
        found = tuple(int(k) for k in viterbi(evidence, price))
        assert worth(found, evidence, price) == pytest.approx(best)


def people_of(seed: int, count: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.linalg.qr(rng.normal(size=(64, count)))[0].T


def windows_of(told: list[tuple[float, float, tuple[int, ...]]], count: int) -> Windows:
    """Windows of people whose voices are at right angles, with noise."""
    rng = np.random.default_rng(1)
    people = people_of(0, count)
    spans, rows = [], []
    for start, end, who in told:
        for at in np.arange(start, end - LENGTH + 1e-9, 0.5):
            row = people[list(who)].sum(axis=0) / np.sqrt(len(who)) + 0.08 * rng.normal(size=64)
            spans.append((float(at), float(at + LENGTH)))
            rows.append(row / np.linalg.norm(row))
    return Windows(tuple(spans), np.array(rows, np.float32))


TOLD: list[tuple[float, float, tuple[int, ...]]] = [
    (0.0, 8.0, (0,)), (9.0, 17.0, (1,)), (18.0, 24.0, (2,)), (25.0, 31.0, (0,)), (32.0, 38.0, (1,)),
]  # fmt: skip


def test_as_many_people_as_there_are_or_as_are_given() -> None:
    windows = windows_of(TOLD, 3)
    assert len(voices(windows)) == 3
    assert np.abs(voices(windows) @ people_of(0, 3).T).max(axis=0).min() > 0.95
    assert len(voices(windows, 2)) == 2
    assert len(voices(windows, 5)) <= 5


def test_two_at_once_are_a_pair() -> None:
    told = [*TOLD, (40.0, 44.0, (0, 1))]
    windows = windows_of(told, 3)
    spoken = np.zeros(round(46 / SECONDS), bool)
    for start, end, _ in told:
        spoken[round(start / SECONDS) : round(end / SECONDS)] = True
    order = people_of(0, 3)
    path, states, _ = resegment(windows, order.astype(np.float32), spoken)
    for start, end, who in told:
        inside = path[round((start + 0.1) / SECONDS) : round((end - 0.1) / SECONDS)]
        assert {states[k] for k in inside} == {who}
    assert (path[~spoken] == -1).all()


def test_the_same_people_in_several_recordings() -> None:
    a, b, c = people_of(0, 3).astype(np.float32)
    found = matched([{"1": a, "2": b}, {"1": c, "2": a}, {"1": b}])
    assert found == [{"1": 0, "2": 1}, {"1": 2, "2": 0}, {"1": 1}]
    # Two people of one recording are two, however alike.
    assert matched([{"1": a, "2": a}]) == [{"1": 0, "2": 1}]


@pytest.fixture(scope="module")
def conversation(tmp_path_factory: pytest.TempPathFactory, shared: Path) -> Path:
    """Two people of LibriSpeech who take turns, in one file, with the truth beside it."""
    folder = tmp_path_factory.mktemp("talk")
    dev = shared / "speech" / "dev"
    pieces, turns, at = [np.zeros(RATE // 2)], [], 0.5
    for k in range(4):
        speaker = ("1272", "1462")[k % 2]
        file = sorted(dev.glob(f"{speaker}/*/*.flac"))[3 + k]
        samples = soundfile.read(file)[0][: 5 * RATE]
        samples = samples * 0.05 / np.sqrt(np.square(samples).mean())
        turns.append(Turn(at, at + samples.size / RATE, speaker))
        pieces += [samples, np.zeros(RATE // 2)]
        at += samples.size / RATE + 0.5
    soundfile.write(folder / "Gespräch 1.wav", np.concatenate(pieces), RATE)
    write_turns([Turns.of("Gespräch_1", turns)], folder / "truth.rttm")
    return folder / "Gespräch 1.wav"


@pytest.mark.weights
def test_a_conversation_from_file_to_protected_file(conversation: Path, tmp_path: Path) -> None:
    run = CliRunner()
    truth = conversation.with_name("truth.rttm")
    found = run.invoke(
        app,
        ["diarise", str(conversation), "-o", str(tmp_path / "x.rttm"), "--reference", str(truth),
         "--json", "--workers", "1"],
    )  # fmt: skip
    assert found.exit_code == 0, found.output
    facts = json.loads(found.stdout)
    assert list(facts["recordings"]["Gespräch 1"]["people"]) == ["Gespräch_1-1", "Gespräch_1-2"]
    # The truth counts pauses within a turn as speech, so most of the rate is missed speech.
    error = facts["error"]["collar_0.25"]
    assert error["confusion"] < 0.02 * error["speech"]
    assert error["der"] < 0.2
    (system,) = read_turns(tmp_path / "x.rttm").values()
    (told,) = read_turns(truth).values()
    assert diarisation_error(told, system, collar=0.25).rate == pytest.approx(
        error["der"], abs=1e-3
    )

    made = run.invoke(
        app,
        ["protect", str(conversation), str(tmp_path / "out.wav"), "--safeguard", "mcadams-random",
         "--turns", str(tmp_path / "x.rttm"), "--json", "--workers", "1"],
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    said = json.loads(made.stdout)
    assert said["people"] == ["Gespräch_1-1", "Gespräch_1-2"]
    total = sum(said["coverage"][f"{k}_seconds"] for k in ("alone", "overlap", "outside"))
    before, after = soundfile.info(conversation), soundfile.info(tmp_path / "out.wav")
    assert total == pytest.approx(before.duration, abs=0.01)
    assert (after.frames, after.samplerate) == (before.frames, before.samplerate)
    assert (tmp_path / "out.wav.key").exists()
    assert (tmp_path / "out.wav.protection.json").exists()


@pytest.mark.weights
def test_speech_that_nobody_was_given_is_said(conversation: Path, tmp_path: Path) -> None:
    """Turns that leave a person out: nothing of theirs comes out in clear, and it is said."""
    (told,) = read_turns(conversation.with_name("truth.rttm")).values()
    half = Turns.of("x", [t for t in told.turns if t.person == "1272"])
    write_turns([half], tmp_path / "half.rttm")
    made = CliRunner().invoke(
        app,
        ["protect", str(conversation), str(tmp_path / "out.wav"), "--safeguard", "mcadams-random",
         "--turns", str(tmp_path / "half.rttm")],
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    outside = float(made.stdout.split(" s of them sound like speech")[0].rsplit(" ", 1)[1])
    left_out = sum(t.seconds for t in told.turns if t.person != "1272")
    assert 0.6 * left_out < outside < left_out  # who reads aloud pauses
    before, after = (soundfile.read(p)[0] for p in (conversation, tmp_path / "out.wav"))
    for turn in told.turns:
        part = slice(round(turn.start * RATE), round(turn.end * RATE))
        assert abs(np.corrcoef(before[part], after[part])[0, 1]) < 0.95


@pytest.mark.weights
def test_a_recording_in_which_nobody_speaks_goes_the_whole_way(
    conversation: Path, tmp_path: Path
) -> None:
    """What `diarise` writes, `protect` takes, of one recording and of several."""
    (tmp_path / "in").mkdir()
    rain = 0.01 * np.random.default_rng(0).standard_normal(2 * RATE)
    soundfile.write(tmp_path / "in" / "rain.wav", rain, RATE)
    run, turns = CliRunner(), str(tmp_path / "turns.rttm")

    def whole_way(given: Path, out: str) -> str:
        found = run.invoke(app, ["diarise", str(given), "-o", turns, "--workers", "1"])
        assert found.exit_code == 0, found.output
        assert "rain: nobody speaks" in found.output
        arguments = ["--safeguard", "mcadams", "--turns", turns]
        made = run.invoke(app, ["protect", str(given), str(tmp_path / out), *arguments])
        assert made.exit_code == 0, made.output
        return made.stdout

    assert "1 recording of nobody protected" in whole_way(tmp_path / "in" / "rain.wav", "out.wav")
    shutil.copy(conversation, tmp_path / "in" / "talk.wav")
    assert "2 recordings of 2 people protected" in whole_way(tmp_path / "in", "out")


@pytest.mark.weights
def test_turns_after_the_end_are_said(conversation: Path, tmp_path: Path) -> None:
    """The turns of another, longer recording."""
    seconds = soundfile.info(conversation).duration
    write_turns([Turns.of("x", [Turn(1, seconds + 30, "a")])], tmp_path / "x.rttm")
    made = CliRunner().invoke(
        app,
        ["protect", str(conversation), str(tmp_path / "out.wav"), "--safeguard", "mcadams",
         "--turns", str(tmp_path / "x.rttm")],
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    assert "1 recording of 1 person protected" in made.stdout
    assert "\n30.0 s of the turns lie after the end of a recording: see whether" in made.stdout


@pytest.mark.weights
def test_activity_does_not_depend_on_blocks(conversation: Path) -> None:
    samples = soundfile.read(conversation)[0].astype(np.float32)
    activity = load_activity()
    whole = activity.probabilities([samples])
    parts = activity.probabilities(np.split(samples, [1000, 1001, 150_000]))
    assert np.abs(whole - parts).max() < 1e-5
    assert whole.size == -(-samples.size // 512)


def test_recordings_lie_anywhere(tmp_path: Path) -> None:
    for place in ("a.wav", "in/b.wav", "in/deep/c.flac"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(tmp_path / place, np.zeros(100), RATE)
    assert sorted(u.id for u in read_recordings(tmp_path)) == ["a", "b", "c"]
    (one,) = read_recordings(tmp_path / "a.wav")
    assert (one.id, one.speaker, one.path) == ("a", "a", tmp_path / "a.wav")


def test_one_file_of_one_person(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    soundfile.write(tmp_path / "a.wav", 0.1 * rng.normal(size=8000), 8000)
    run = CliRunner()
    given = ["protect", str(tmp_path / "a.wav")]
    done = run.invoke(app, [*given, str(tmp_path / "b.flac"), "--safeguard", "mcadams"])
    assert done.exit_code == 0, done.output
    assert soundfile.info(tmp_path / "b.flac").frames == 8000
    done = run.invoke(app, [*given, str(tmp_path / "out"), "--safeguard", "mcadams"])
    assert done.exit_code == 0, done.output
    assert soundfile.info(tmp_path / "out" / "a.wav").frames == 8000
    done = run.invoke(app, [*given, str(tmp_path / "a.wav"), "--safeguard", "mcadams"])
    assert done.exit_code == 2
    assert "is the recording itself, which stays as it is; name another." in done.output
    done = run.invoke(
        app, [*given, str(tmp_path / "c.wav"), "--safeguard", "mcadams", "--diarise",
              "--turns", str(tmp_path)],
    )  # fmt: skip
    assert done.exit_code == 2
    assert "Turns are either given or found; name one of --turns and --diarise." in done.output
