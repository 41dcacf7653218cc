"""What is said beside results: lines in a pipe, -q, -v and --log."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from cliruns import program, run

from pseudovoice.cli import progress
from pseudovoice.cli.progress import Lines, in_short
from pseudovoice.cli.talk import TALK
from pseudovoice.engines.failed import FAILED
from pseudovoice.errors import Problem


@pytest.fixture
def speech(shared: Path, tmp_path: Path) -> Path:
    """Four short recordings of two people."""
    found = sorted((shared / "speech" / "dev").rglob("*.flac"), key=lambda p: p.stat().st_size)
    if not found:
        pytest.skip("there is no speech")
    for k, path in enumerate(found[:4]):
        folder = tmp_path / "corpus" / f"s{k % 2}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"u{k}.flac").write_bytes(path.read_bytes())
    return tmp_path / "corpus"


def protect(speech: Path, *more: str | Path) -> tuple[str | Path, ...]:
    return ("protect", speech, speech.parent / "out", "--safeguard", "mcadams", *more)


def test_a_log_holds_what_was_said_and_how_it_ended(speech: Path, tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    (speech / "s0" / "broken.flac").write_bytes(b"fLaC")
    done = program("-v", "--log", log, *protect(speech))
    assert done.returncode == 1
    assert b"protecting corpus: 1 of 5" in done.stderr, "-v: a line for every step"
    said = log.read_text(encoding="utf-8")
    assert "INFO protecting corpus: 1 of 5" in said
    assert "WARNING " in said
    assert "broken.flac" in said
    assert said.rstrip().splitlines()[-1].split(" ", 2)[2].startswith("protect: exit code 1 after")
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert run(*protect(tmp_path / "nowhere", "--log", log)).code == 2
    more = log.read_text(encoding="utf-8")
    assert more.startswith(said), "logs are appended to"
    assert "ERROR " in more[len(said) :]
    assert "protect: exit code 2" in more


def test_no_secret_is_in_a_log(speech: Path, tmp_path: Path) -> None:
    log, key = tmp_path / "run.log", tmp_path / "secret.key"
    assert run("key", "new", key, "--log", log).code == 0
    words = ("protect", speech, tmp_path / "out", "--safeguard", "mcadams-random")
    assert run(*words, "--key-file", key, "-v", "--log", log).code == 0
    said = log.read_bytes()
    assert b"protecting corpus" in said
    assert key.read_bytes().split()[-1] not in said


def test_quiet_says_results_and_problems_only(tmp_path: Path) -> None:
    scores = tmp_path / "mated"
    scores.write_text("1\n2\n3\n")
    words = ("assess", "scores", "--mated", scores, "--nonmated", scores)
    assert "read " in run(*words).err
    for quiet in ((*words, "-q"), ("-q", *words)):
        done = run(*quiet)
        assert done.err == ""
        assert "d_ece" in done.out
    assert "read " in run(*words).err, "the next run starts anew"


def test_a_log_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    done = run("--log", tmp_path / "no" / "log", "list", "safeguards")
    assert done.code == 2
    assert "name a file that can be written" in done.err


def test_lines_come_every_few_seconds_at_most(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    FAILED.look_at(Problem("a.wav", "is silent", "record it again"))  # in a run before this
    TALK.begin()
    clock = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    lines = Lines(to_log_only=False)
    for done in range(1, 41):
        clock[0] += 0.5
        lines("hearing", done, 40)
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 4, "twenty seconds, a line every five"
    assert said[0] == "hearing: 10 of 40 (25 %), 2.2/s, 14 s to go"
    lines("reading", 0, 0)
    assert capsys.readouterr().err == ""
    FAILED.look_at(Problem("a.wav", "is silent", "record it again"))
    clock[0] += 5.0
    lines("hearing", 40, 50)
    assert capsys.readouterr().err.rstrip().endswith("to go, 1 failed")
    TALK.begin()


@pytest.mark.parametrize(("seconds", "shown"), [(3.6, "4 s"), (150, "2 min"), (9000, "2.5 h")])
def test_times_in_short(seconds: float, shown: str) -> None:
    assert in_short(seconds) == shown
