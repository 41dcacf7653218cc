"""A study that is killed at any stage resumes to the tables of an undisturbed one."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from studies import fresh_cache, tables

from pseudovoice.study import Plan, UtilityPlan, run_plan
from pseudovoice.study.plan_text import plan_yaml

PATIENCE = 300.0


def command(plan: Path, out: Path, key: Path) -> list[str]:
    program = "from pseudovoice.cli.main import main; main()"
    words = ["run", str(plan), "-o", str(out), "--key-file", str(key), "--workers", "1"]
    return [sys.executable, "-c", program, *words]


def moments(out: Path) -> list[Callable[[], bool]]:
    """While the first voice is protected, between the safeguards, before anything is written."""
    stages = out / "work" / "stages"
    return [
        lambda: len(list((out / "speech").glob("*-B2-*/*/*.flac"))) >= 2,
        lambda: len(list(stages.glob("assess-*.json"))) == 1,
        lambda: len(list(stages.glob("assess-*.json"))) == 2,
    ]


def test_sigkill_at_every_stage(
    plan: Plan, weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = replace(plan, replicates=20, permutations=20, utility=UtilityPlan(("prosody",), 1))
    file = tmp_path / "plan.yaml"
    file.write_text(plan_yaml(small), encoding="utf-8")
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(fresh_cache(weights, tmp_path / "calm-cache")))
    run_plan(small, tmp_path / "calm", workers=1)
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(fresh_cache(weights, tmp_path / "cache")))
    assert plan.key_file is not None
    words = command(file, tmp_path / "disturbed", plan.key_file)

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    killed = 0
    for reached in moments(tmp_path / "disturbed"):
        run = start()
        end = time.monotonic() + PATIENCE
        while run.poll() is None and not reached():
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.005)
        if run.poll() is None:
            run.send_signal(signal.SIGKILL)
            killed += 1
        run.wait()
    assert killed >= 2
    assert not (tmp_path / "disturbed" / "provenance.json").exists()
    assert start().wait(PATIENCE) == 0
    assert tables(tmp_path / "disturbed") == tables(tmp_path / "calm")
    pages = [(tmp_path / name / "report.html").read_bytes() for name in ("calm", "disturbed")]
    assert pages[0] == pages[1]
