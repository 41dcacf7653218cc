"""Ctrl-C: one sentence, nothing left running on the cluster, and the next run goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="Ray is not installed; `make test-ray` installs it")

from ray_cluster import NODES, OneMachine

import pseudovoice as pv
from conftest import PEOPLE, UTTERANCES
from pseudovoice.engines import in_parallel, using
from pseudovoice.keys import new_key

SAFEGUARD = "persona:level=utterance"


def test_ctrl_c_leaves_nothing_running(cluster: OneMachine, speech: Path, tmp_path: Path) -> None:
    new_key(tmp_path / "a.key")
    program = [sys.executable, "-m", "pseudovoice", "protect", str(speech), str(tmp_path / "there")]
    how = [
        "--safeguard",
        SAFEGUARD,
        "--key-file",
        str(tmp_path / "a.key"),
        "--engine",
        cluster.engine,
    ]
    with subprocess.Popen([*program, *how], stderr=subprocess.PIPE, text=True) as child:
        begun = time.monotonic()
        # What a worker has just written is made again if nobody was told of it yet, so that of one
        # file it cannot be known; of more than are under way at once, it can.
        while len(list((tmp_path / "there").rglob("*.flac"))) < NODES + 2:
            assert child.poll() is None
            assert time.monotonic() - begun < 120
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=60)
    assert child.returncode == 130, said
    assert "Stopped. What is protected so far is kept" in said
    assert "Traceback" not in said
    _idle(cluster)
    kept = len(list((tmp_path / "there").rglob("*.flac")))
    again = pv.protect(
        speech, tmp_path / "there", SAFEGUARD, key=tmp_path / "a.key", engine=cluster.engine
    )
    assert kept >= 1
    assert again.resumed >= 1
    assert not again.problems
    assert len(list((tmp_path / "there").rglob("*.flac"))) == PEOPLE * UTTERANCES


def _idle(cluster: OneMachine) -> None:
    """Within seconds all cores are free again."""
    import ray

    with using(cluster.engine):
        list(in_parallel(abs, [1]))
        until = time.monotonic() + 20
        while ray.available_resources().get("CPU", 0) < NODES:
            assert time.monotonic() < until, "something is still running"
            time.sleep(0.5)
