"""Ctrl-C and SIGTERM, in the middle of real work: a code, a sentence, nothing half, and soon."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

MAIN = "from pseudovoice.cli.main import main; main()"


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start the program in the test's folder; what still runs is killed afterwards."""
    running: list[subprocess.Popen[str]] = []

    def program(*words: object, code: str = MAIN) -> subprocess.Popen[str]:
        running.append(
            subprocess.Popen(
                [sys.executable, "-c", code, *map(str, words)],
                cwd=tmp_path,
                env={**os.environ, "PSEUDOVOICE_CACHE": str(tmp_path / "cache")},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        return running[-1]

    yield program
    for child in running:
        child.kill()
        child.communicate()


def wait_for(there: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not there():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def speech(root: Path, files: int, seconds: float) -> Path:
    noise = np.random.default_rng(1).normal(0, 0.1, int(16000 * seconds))
    for k in range(files):
        path = root / f"p{k % 4}" / f"{k}.wav"
        path.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(path, noise, 16000)
    return root


def gone(process: Path) -> bool:
    """Whether it has ended, though perhaps nobody has asked how yet."""
    try:
        return not process.read_bytes()
    except OSError:
        return True


def sounds(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*.wav"))}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_protecting_stops_with_a_code_and_goes_on(
    tmp_path: Path,
    start: Callable[..., subprocess.Popen[str]],
    number: signal.Signals,
    code: int,
) -> None:
    corpus, out = speech(tmp_path / "c", 80, 4.0), tmp_path / "out"
    words = ("protect", corpus, out, "--safeguard", "mcadams", "--workers", 2)
    child = start(*words)
    wait_for(lambda: len(list(out.glob("*/*.wav"))) > 2)
    child.send_signal(number)
    begun = time.monotonic()
    _, errors = child.communicate(timeout=60)
    assert time.monotonic() - begun < 10
    assert child.returncode == code
    # Lines of progress may come before it.
    assert errors.splitlines()[-1] == (
        "pseudovoice: Stopped. What is protected so far is kept; start the same command again to "
        "go on."
    )
    assert list(out.rglob("*.part")) == []
    before = sounds(out)
    assert 2 < len(before) < 80
    child = start(*words)
    said, errors = child.communicate(timeout=120)
    assert child.returncode == 0, errors
    assert "of them before" in said
    assert before.items() <= sounds(out).items()
    assert len(sounds(out)) == 80


@pytest.mark.parametrize("twice", [True, False])
def test_work_that_does_not_end_is_left(
    tmp_path: Path, start: Callable[..., subprocess.Popen[str]], twice: bool
) -> None:
    """A command that would run for a minute: a second Ctrl-C, or a few seconds, end it too."""
    data = tmp_path / "data"
    data.mkdir()
    pids = tmp_path / "pids"
    child_code = (
        f"import os,time;open({str(pids)!r},'a').write(str(os.getpid())+' ');time.sleep(60)"
    )
    command = f'{sys.executable} -c "{child_code}"'
    (data / "wav.scp").write_text(f"a {command} |\nb {command} |\n")
    (data / "utt2spk").write_text("a anna\nb ben\n")
    grace = "" if twice else "from pseudovoice.cli import stopping; stopping.GRACE = 0.5; "
    words = ("protect", data, "out", "--safeguard", "mcadams", "--allow-commands", "--workers", 1)
    child = start(*words, code=f"{grace}{MAIN}")
    wait_for(lambda: pids.exists() and pids.read_text().endswith(" "))
    child.send_signal(signal.SIGINT)
    if twice:
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
    begun = time.monotonic()
    _, errors = child.communicate(timeout=60)
    assert time.monotonic() - begun < 8
    assert child.returncode == 130
    assert "pseudovoice: Stopped. What is protected so far is kept" in errors
    assert "Traceback" not in errors
    for pid in pids.read_text().split():
        wait_for(lambda pid=pid: gone(Path("/proc") / pid / "cmdline"))


def test_what_writes_nothing_says_so(
    tmp_path: Path, start: Callable[..., subprocess.Popen[str]]
) -> None:
    os.mkfifo(tmp_path / "plan.yaml")
    child = start("check", tmp_path / "plan.yaml")
    # It waits for the plan, so a reader is there as soon as this can be opened.
    with (tmp_path / "plan.yaml").open("w"):
        child.send_signal(signal.SIGINT)
        _, errors = child.communicate(timeout=60)
    assert child.returncode == 130
    assert errors == "pseudovoice: Stopped. Nothing was written; start the same command again.\n"
