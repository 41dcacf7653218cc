"""The whole assessment: real speech, a recogniser that knows its lines, and the real models."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile  # type: ignore[import-untyped, unused-ignore]
from click.testing import CliRunner, Result
from numpy.typing import NDArray

from pseudovoice.asr.moonshine import Moonshine
from pseudovoice.asr.recogniser import SpeechRecogniser
from pseudovoice.cli.main import app
from pseudovoice.corpus import Corpus, load, read_corpus
from pseudovoice.errors import InputError, UsageError
from pseudovoice.utility.assess import assess_utility
from pseudovoice.utility.dnsmos import Dnsmos
from pseudovoice.utility.quality import Quality
from pseudovoice.utility.store import MeasureStore

RATE = 16_000
SPEAKERS = ("84", "174", "251", "1272", "1462", "1673")
SHORT = ("1272-135031-0018", "1462-170142-0003", "1988-24833-0016", "2277-149874-0011")
LINES = ("one two three four", "five six seven eight", "nine ten eleven twelve")


@dataclass(frozen=True)
class Prompter:
    """A recogniser that knows what is said and mishears what is quiet: it drops the first word.

    Silence is never handed to it; the loudness of a recording is what the tests change.
    """

    lines: dict[int, str]
    """By length in samples."""
    calls: list[int] = field(default_factory=list)
    version: str = "0"
    name: str = "prompter"
    sample_rate: int = RATE
    licence: str = "CC0-1.0"
    decoding: str = "none"

    @property
    def sha256s(self) -> dict[str, str]:
        return {"script": self.version}

    def transcribe(self, samples: NDArray[Any]) -> str:
        self.calls.append(samples.size)
        line = self.lines[samples.size]
        level = float(np.abs(samples).max())
        return line if level > 0.2 else line.split(" ", 1)[1] if level > 0.02 else ""


@dataclass(frozen=True)
class Stage:
    original: Corpus
    protected: Corpus
    recogniser: Prompter


@pytest.fixture
def stage(dev: Corpus, tmp_path: Path) -> Callable[..., Stage]:
    """Three snippets of real speech of each speaker; ``level`` says how loud each is after."""

    def build(level: Callable[[str, int], float], *, transcripts: bool = True) -> Stage:
        lines = {}
        for speaker in SPEAKERS:
            for k, utterance in enumerate(dev.speakers[speaker][:3]):
                size = RATE + 100 * len(lines)
                lines[size] = LINES[k]
                # The loudest second, so that a snippet is speech and not a pause.
                whole = load(utterance, sample_rate=RATE)
                at = int(np.abs(whole).argmax())
                start = max(0, min(at - RATE // 2, whole.size - size))
                sound = whole[start : start + size]
                assert sound.size == size
                for side, gain in (("o", 1.0), ("p", level(speaker, k))):
                    path = tmp_path / side / speaker / f"{speaker}-{k}.wav"
                    path.parent.mkdir(parents=True, exist_ok=True)
                    peak = 0.5 * gain / np.abs(sound).max()
                    soundfile.write(path, sound * peak, RATE, "FLOAT")
        corpora = [read_corpus(tmp_path / side) for side in "op"]
        described = tuple(
            replace(
                u,
                gender=dev.genders[u.speaker],
                transcript=LINES[int(u.id[-1])].upper() if transcripts else None,
            )
            for u in corpora[0]
        )
        return Stage(replace(corpora[0], utterances=described), corpora[1], Prompter(lines))

    return build


def words_only(stage: Stage, **more: Any) -> Any:
    return assess_utility(
        stage.original, stage.protected, recogniser=stage.recogniser, measures=["words"], **more
    )


def test_the_arithmetic_of_a_known_outcome(stage: Callable[..., Stage]) -> None:
    """One of three utterances of each speaker loses a word of four; one of all is lost."""
    scene = stage(lambda s, k: 0.01 if (s, k) == ("84", 1) else 0.1 if k == 0 else 1.0)
    assert isinstance(scene.recogniser, SpeechRecogniser)
    found = words_only(scene)
    assert found.value("wer", "original").value == 0.0
    after = found.value("wer")
    assert after.value == pytest.approx((6 * 1 + 4) / (18 * 4))
    assert after.n_utterances == 18
    assert after.n_speakers == 6
    assert after.low is not None
    assert after.low <= after.value <= after.high
    assert after.low >= 1 / 12 - 1e-9  # nobody loses less
    assert found.value("wer", "change").value == pytest.approx(after.value)
    assert found.value("lost").value == pytest.approx(1 / 18)
    assert found.lost() == ("84-1",)
    assert found.lost("original") == ()
    assert "prompter against the given transcripts" in after.method
    assert found.problems == ()
    own = {
        row.group: row
        for row in found.speakers
        if (row.metric, row.condition) == ("wer", "protected")
    }
    assert own["84"].value == pytest.approx(5 / 12)
    assert own["174"].value == pytest.approx(1 / 12)
    assert "over utterances" in own["84"].method
    rate = found.value("word_rate", "original")
    assert rate.value == pytest.approx(18 * 4 * RATE / sum(scene.recogniser.lines))
    genders = {scene.original.genders[s] for s in SPEAKERS}
    assert {row.group for row in found.rows} == {"all", *genders}
    errors = sum(
        round(found.value("wer", group=g).value * found.value("wer", group=g).n_utterances * 4)
        for g in genders
    )
    assert errors == 10


def test_its_own_transcript_of_the_original_as_reference(stage: Callable[..., Stage]) -> None:
    scene = stage(lambda _, k: 0.1 if k == 0 else 1.0, transcripts=False)
    found = words_only(scene)
    assert found.value("wer").value == pytest.approx(1 / 12)
    assert "its own transcript of the original" in found.value("wer").method
    assert "not against what was said" in found.notes[0]
    # Against itself an original has no errors, and that is no figure.
    assert {row.condition for row in found.rows} == {"protected"}
    assert {row.metric for row in found.rows} == {"wer", "cer", "lost"}
    with pytest.raises(InputError, match="no utterance has a transcript"):
        words_only(scene, reference="transcripts")
    with pytest.raises(InputError, match="There is no wer of condition original"):
        found.value("wer", "original")


def test_nothing_is_measured_twice(stage: Callable[..., Stage], tmp_path: Path) -> None:
    scene = stage(lambda _, k: 0.1 if k == 0 else 0.9)
    path = tmp_path / "utility.sqlite"
    part = words_only(scene, store=MeasureStore(path), limit_per_speaker=1)
    assert part.value("wer").n_utterances == 6
    assert len(scene.recogniser.calls) == 12
    whole = words_only(scene, store=MeasureStore(path))
    assert len(scene.recogniser.calls) == 36
    again = words_only(scene, store=MeasureStore(path))
    assert len(scene.recogniser.calls) == 36
    assert again.to_dict() == whole.to_dict()
    # Another version of the recogniser is another matter.
    newer = replace(scene, recogniser=replace(scene.recogniser, version="1"))
    words_only(newer, store=MeasureStore(path))
    assert len(scene.recogniser.calls) == 72
    # A file with the bytes of its original was heard before, whatever its name.
    shutil.copy(scene.original.by_id["84-0"].path, scene.protected.by_id["84-0"].path)
    changed = words_only(scene, store=MeasureStore(path))
    assert len(scene.recogniser.calls) == 72
    assert changed.value("wer").value < whole.value("wer").value


def test_a_bad_file_is_listed_and_a_silent_one_is_lost(stage: Callable[..., Stage]) -> None:
    scene = stage(lambda s, k: 0.0 if (s, k) == ("174", 2) else 1.0)
    scene.protected.by_id["84-0"].path.write_bytes(b"RIFF of nothing")
    scene.protected.by_id["84-1"].path.unlink()
    found = words_only(scene)
    assert found.value("wer").n_utterances == 16
    assert found.lost() == ("174-2",)
    said = " ".join(map(str, found.problems))
    assert "84-0.wav" in said
    assert "84-1.wav" in said
    for utterance in scene.protected:
        utterance.path.unlink(missing_ok=True)
    with pytest.raises(InputError, match="none of the 18 utterances could be measured"):
        words_only(scene)


def test_a_missing_transcript_is_a_problem_not_an_error_rate(stage: Callable[..., Stage]) -> None:
    scene = stage(lambda *_: 1.0)
    first, *rest = scene.original.utterances
    scene = replace(
        scene,
        original=replace(scene.original, utterances=(replace(first, transcript=None), *rest)),
    )
    found = words_only(scene)
    assert found.value("wer").n_utterances == 17
    assert "no transcript" in str(found.problems[0])
    assert first.id in str(found.problems[0])


def test_prosody_needs_equal_length(stage: Callable[..., Stage]) -> None:
    scene = stage(lambda *_: 0.5)
    alike = assess_utility(scene.original, scene.protected, measures=["prosody"])
    assert alike.value("voicing_agreement", "pair").value > 0.98
    assert alike.value("f0_correlation", "pair").value > 0.98
    path = scene.protected.by_id["84-0"].path
    sound, _ = soundfile.read(path)
    soundfile.write(path, sound[: RATE // 2], RATE, "FLOAT")
    found = assess_utility(scene.original, scene.protected, measures=["prosody"])
    assert found.value("voicing_agreement", "pair").n_utterances == 17
    assert found.value("voiced_rate").n_utterances == 18
    assert any("do not last as long" in note for note in found.notes)
    assert found.problems == ()


@dataclass(frozen=True)
class Loudness:
    """A plugged-in predictor: the peak as opinion, none at all of what is very quiet."""

    name: str = "loudness"
    sample_rate: int = RATE
    licence: str = "CC0-1.0"
    sha256: str = "0"

    def rate(self, samples: NDArray[Any]) -> Quality:
        peak = float(np.abs(samples).max())
        return Quality(peak, peak, peak if peak > 0.1 else float("nan"))


@dataclass(frozen=True)
class Stumbler(Prompter):
    """Breaks down over one utterance, as a network may over one of ten hours."""

    def transcribe(self, samples: NDArray[Any]) -> str:
        if samples.size == RATE:
            raise RuntimeError("Out of breath.\nAnd more")
        return super().transcribe(samples)


def test_a_model_that_fails_costs_one_utterance(stage: Callable[..., Stage]) -> None:
    scene = stage(lambda s, k: 0.1 if (s, k) == ("174", 2) else 0.5)
    found = assess_utility(
        scene.original,
        scene.protected,
        recogniser=Stumbler(scene.recogniser.lines),
        quality=Loudness(),
        measures=["words", "quality"],
    )
    said = sorted(map(str, found.problems))
    assert len(said) == 2
    assert "84-0.wav: cannot be measured (Out of breath); it is left out." in said[0]
    assert "174-2.wav: loudness gives no usable score; it is left out." in said[1]
    assert found.value("ovrl", "original").value == pytest.approx(0.5, abs=1e-6)
    assert found.value("ovrl", "change").value == pytest.approx(-0.25, abs=1e-6)
    assert found.value("ovrl", "change").high == pytest.approx(-0.25, abs=1e-6)


def test_wrong_use_is_a_sentence(stage: Callable[..., Stage]) -> None:
    scene = stage(lambda *_: 1.0)
    with pytest.raises(UsageError, match="There is no measure 'smell'"):
        assess_utility(scene.original, scene.protected, measures=["smell"])  # type: ignore[list-item]
    with pytest.raises(UsageError, match="at least 1"):
        words_only(scene, limit_per_speaker=0)


# --- the command


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["assess", "utility", *arguments])


@pytest.mark.weights
def test_the_command_with_real_models_resumes_and_writes(
    dev: Corpus,
    moonshine: Moonshine,
    dnsmos: Dnsmos,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Four people, 2.4 s each; the protected are noisy, and one is no audio."""
    del moonshine, dnsmos  # asked for so that missing weights skip the test
    chosen = [dev.by_id[name] for name in SHORT]
    rows: dict[str, list[dict[str, str]]] = {"o": [], "p": []}
    rng = np.random.default_rng(0)
    for utterance in chosen:
        sound = load(utterance, sample_rate=RATE)
        noisy = sound + rng.normal(0, 0.5 * sound.std(), sound.size)
        for side, samples in (("o", sound), ("p", noisy)):
            path = tmp_path / side / f"{utterance.id}.wav"
            path.parent.mkdir(exist_ok=True)
            soundfile.write(path, samples, RATE)
            row = {"utt": utterance.id, "path": path.name, "speaker": utterance.speaker}
            rows[side].append({**row, "transcript": utterance.transcript or ""})
    for side, listed in rows.items():
        with (tmp_path / side / "list.csv").open("w", newline="") as stream:
            writer = csv.DictWriter(stream, list(listed[0]))
            writer.writeheader()
            writer.writerows(listed)
    (tmp_path / "p" / f"{chosen[3].id}.wav").write_bytes(b"no audio")

    monkeypatch.setattr("pseudovoice.library.assess.private_cache", lambda: tmp_path / "cache")
    places = (str(tmp_path / "o" / "list.csv"), str(tmp_path / "p" / "list.csv"))
    result = run(*places, "-o", str(tmp_path / "out"), "--replicates", "50")
    assert result.exit_code == 1, result.output  # one file was left out
    assert f"{chosen[3].id}.wav" in result.stderr
    assert "moonshine-base (English) against the given transcripts" in result.stdout
    assert "speakers: all (3 speakers, 3 utterances)" in result.stdout

    written = json.loads((tmp_path / "out" / "utility.json").read_text(encoding="utf-8"))
    table = {(r["metric"], r["condition"]): r for r in written["rows"]}
    assert table["wer", "original"]["value"] < 0.2
    assert table["bak", "change"]["value"] < -0.5
    assert table["f0_correlation", "pair"]["value"] > 0.5
    # What is said to have tracked pitch is what did, and is installed.
    tracker = written["provenance"]["pitch"]
    assert tracker == f"swift-f0 {version('swift-f0')}"
    assert tracker in table["f0_correlation", "pair"]["method"]
    assert written["provenance"]["recogniser"]["sha256s"]["encoder"].startswith("9d1a19e0")
    # Numbers only: nobody's words are in the tables.
    everything = "".join(p.read_text(encoding="utf-8") for p in (tmp_path / "out").iterdir())
    longest = max((chosen[0].transcript or "").split(), key=len)
    assert longest.lower() not in everything.lower()
    with (tmp_path / "out" / "utility.csv").open(encoding="utf-8") as stream:
        lines = list(csv.DictReader(stream))
    assert len(lines) == len(written["rows"])
    assert {line["metric"] for line in lines} >= {"wer", "ovrl", "voicing_agreement"}

    def refuse(*_: object) -> str:
        raise AssertionError("it was measured before")

    monkeypatch.setattr(Moonshine, "transcribe_together", refuse)
    monkeypatch.setattr(Dnsmos, "rate", refuse)
    again = run(*places, "--json", "--replicates", "50")
    assert again.exit_code == 1, again.output
    assert json.loads(again.stdout)["rows"] == written["rows"]


def test_the_command_says_what_is_wrong(tmp_path: Path) -> None:
    result = run(str(tmp_path / "nowhere"), str(tmp_path), "--measure", "prosody", "--no-cache")
    assert result.exit_code == 2
    assert "nowhere" in result.stderr
    assert run("a", "b", "--measure", "smell").exit_code == 2
