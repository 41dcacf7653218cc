"""The voices of a session under attack: runs at once, damage, other people's eyes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from pseudovoice.corpus import read_corpus
from pseudovoice.errors import InputError
from pseudovoice.keys import Key, write_key
from pseudovoice.models.cache import cache_directory
from pseudovoice.safeguards.given import SessionState, read_state
from pseudovoice.safeguards.persona.pseudovoice import LIMITS, TARGETS, PseudoVoice, draw

RACE = """
import json, sys, time
from pathlib import Path
from pseudovoice.corpus import read_corpus
from pseudovoice.safeguards import parse_chain
from pseudovoice.keys import read_key

text, corpus, key_file, go = sys.argv[1], *map(Path, sys.argv[2:])
speech, key, (persona,) = read_corpus(corpus), read_key(key_file), parse_chain(text).links
print("ready", flush=True)
while not go.exists():
    time.sleep(0.001)
done = persona.prepared(speech, key, "s", str, key_file, 1, lambda *_: lambda _: None)
print(json.dumps({name: voice.to_dict() for name, voice in done.voices.items()}))
"""

Voices = dict[str, dict[str, Any]]


def make_speech(root: Path, people: dict[str, float], sound: int) -> None:
    """One utterance a speaker, of a pitch; another ``sound`` is another recording of them."""
    time_ = np.arange(16000) / 16000
    for name, pitch in people.items():
        pitch *= 1 + 0.1 * sound
        voice = sum(np.sin(2 * np.pi * pitch * k * time_) / k for k in range(1, 20))
        noise = np.random.default_rng(sound).normal(0, 0.01, time_.size)
        (root / name).mkdir(parents=True, exist_ok=True)
        soundfile.write(root / name / f"{name}-{sound}.wav", 0.2 * voice + noise, 16000)


def race(persona: str, corpora: list[Path], key_file: Path) -> list[Voices]:
    """One process a corpus, all let go at the same moment; the voices that each found."""
    write_key(Key(b"r" * 32), key_file)
    go = key_file.with_name("go")
    running = [
        subprocess.Popen(
            [sys.executable, "-c", RACE, persona, corpus, key_file, go],
            stdout=subprocess.PIPE,
            text=True,
        )
        for corpus in corpora
    ]
    try:
        for child in running:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
        go.touch()
        return [json.loads(child.communicate(timeout=120)[0]) for child in running]
    finally:
        for child in running:
            child.kill()
            child.communicate()


def check_one_voice(found: list[Voices], key_file: Path, people: int) -> None:
    """Everybody has one voice, on disk and in every run that asked."""
    (state,) = key_file.parent.glob(f"{key_file.name}.persona-*.jsonl")
    given = [json.loads(line) for line in state.read_text().splitlines()]
    assert len(given) == len({entry["speaker"] for entry in given}) == people
    for name in {name for voices in found for name in voices}:
        (voice,) = {json.dumps(voices[name]) for voices in found if name in voices}
        assert json.loads(voice) in [entry["voice"] for entry in given]


def test_runs_at_once_give_everybody_one_voice(tmp_path: Path) -> None:
    """Overlapping people in other recordings: whoever is first decides."""
    people = {f"p{k:02}": 100.0 + 9 * k for k in range(12)}
    names = list(people)
    for sound, part in enumerate((names, names[:8], names[4:])):
        make_speech(tmp_path / f"c{sound}", {n: people[n] for n in part}, sound)
    corpora = [tmp_path / f"c{sound}" for sound in range(3)]
    found = race("persona:candidates=1", corpora, tmp_path / "k.key")
    assert [len(voices) for voices in found] == [12, 8, 8]
    check_one_voice(found, tmp_path / "k.key", 12)


def test_searches_at_once_give_everybody_one_voice(shared: Path, tmp_path: Path) -> None:
    if not list((cache_directory() / "models").glob("ge2e-*")):
        pytest.skip("the weights are not here: pseudovoice models fetch ge2e")
    dev = read_corpus(shared / "speech" / "dev")
    for name in list(dev.speakers)[:3]:
        short = sorted(dev.speakers[name], key=lambda u: u.path.stat().st_size)
        for k in range(2):
            (tmp_path / f"c{k}" / name).mkdir(parents=True)
            shutil.copy(short[k].path, tmp_path / f"c{k}" / name)
    corpora = [tmp_path / "c0", tmp_path / "c1"]
    found = race("persona:candidates=2,encoders=ge2e", corpora, tmp_path / "k.key")
    check_one_voice(found, tmp_path / "k.key", 3)


def test_whoever_is_killed_holds_nobody_up(tmp_path: Path) -> None:
    state = tmp_path / "k.persona-x.jsonl"
    code = (
        "import sys, time; from pathlib import Path; "
        "from pseudovoice.safeguards.given import SessionState\n"
        "with SessionState(Path(sys.argv[1]), dict).alone():\n"
        "    Path(sys.argv[1]).write_text('{\"half')\n"
        "    print('here', flush=True); time.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, state], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "here\n"
        holder.send_signal(signal.SIGKILL)
    with SessionState(state, PseudoVoice.from_dict).alone():
        assert state.read_bytes() == b""


def line(tag: str = "0" * 24, **changes: object) -> str:
    voice = draw(120.0, True, 1.0, "any", lambda _: 0.5).to_dict() | changes
    return json.dumps({"speaker": tag, "voice": voice, "place": {"e": [0.6, 0.8]}}) + "\n"


@pytest.mark.parametrize(
    "second",
    [
        '{"speaker": 1}\n',
        line("1" * 24, warp=float("nan")),
        line("1" * 24, pitch=float("inf")),
        line("1" * 24, pitch=5.0),
        line("1" * 24, breath=200.0),
        line("1" * 24, tilt=[0.0] * 4),
        line("1" * 24, tilt=[0.0, 0.0, 0.0, 0.0, 99.0]),
        line("1" * 24, bend="1.0"),
        line("1" * 24, blur=True),
        line("1" * 24, more=1.0),
        line("../../etc/passwd"),
        line("1" * 24).replace("0.8", "NaN"),
        line("1" * 24).replace("0.8", "9.0"),
        line("1" * 24).replace("[0.6, 0.8]", "[1.0]"),
        line("1" * 24).replace("0.8", "9" * 400),
        "[]\n",
        "[" * 5000 + "\n",
        "nonsense\n",
    ],
)
def test_a_damaged_line_is_named_with_its_file(tmp_path: Path, second: str) -> None:
    state = tmp_path / "k.persona-x.jsonl"
    state.touch(0o600)
    state.write_text(line() + second)
    with pytest.raises(InputError, match=r"persona-x\.jsonl:2: the line is damaged; put back"):
        read_state(state, PseudoVoice.from_dict)


def test_two_voices_of_one_speaker_are_not_chosen_between(tmp_path: Path) -> None:
    state = tmp_path / "k.persona-x.jsonl"
    state.touch(0o600)
    state.write_text(line() + line("1" * 24) + line() + line(pitch=130.0))
    with pytest.raises(InputError, match=r":4: gives the speaker of line 1 another voice"):
        read_state(state, PseudoVoice.from_dict)


def test_every_draw_is_within_the_limits_of_what_is_kept() -> None:
    rng = np.random.default_rng(5)
    for _ in range(3000):
        strength, target = rng.uniform(0, 2), list(TARGETS)[rng.integers(3)]
        voice = draw(
            rng.uniform(60, 600), bool(rng.integers(2)), strength, target, lambda _: rng.random()
        )
        assert PseudoVoice.from_dict(json.loads(json.dumps(voice.to_dict()))) == voice
    assert set(LIMITS) == set(PseudoVoice.__dataclass_fields__)


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601])
def test_a_state_that_others_may_use_is_refused(tmp_path: Path, mode: int) -> None:
    state = tmp_path / "k.persona-x.jsonl"
    state.write_text(line())
    state.chmod(mode)
    with pytest.raises(InputError, match=r"keep it to yourself: chmod 600 .*persona-x\.jsonl"):
        read_state(state, PseudoVoice.from_dict)
    state.chmod(0o600)
    assert len(read_state(state, PseudoVoice.from_dict).voices) == 1
