"""Running the command line: in this process for speed, as a real program where it matters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner

from pseudovoice.cli.main import FAULT, app

PROGRAM = Path(sys.executable).parent / "pseudovoice"
QUICK = ("--replicates", "0", "--permutations", "0")


@dataclass(frozen=True)
class Ran:
    """What a run left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.out)
        return found

    def values(self) -> dict[tuple[str, str], Any]:
        return {(r["condition"], r["metric"]): r["value"] for r in self.json["rows"]}


def run(*arguments: str | Path, **environment: str) -> Ran:
    """Run in this process; an exception that is no exit is a failure of the test."""
    result = CliRunner(env=environment).invoke(app, [str(a) for a in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code != FAULT, result.stderr
    return Ran(result.exit_code, result.stdout, result.stderr)


def program(
    *arguments: str | Path, env: dict[str, str] | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the installed console script."""
    return subprocess.run(
        [PROGRAM, *arguments],
        capture_output=True,
        env={**os.environ, **(env or {})},
        cwd=cwd,
        timeout=120,
        check=False,
    )


@dataclass(frozen=True)
class Trials:
    """Artificial trials in the format of the golden ones: enrolled speaker, utterance, score."""

    enrol: list[str]
    trial: list[str]
    mated: np.ndarray[tuple[int], np.dtype[np.bool_]]

    def write_key(self, path: Path) -> Path:
        labels = np.where(self.mated, "target", "nontarget")
        return write_lines(path, zip(self.enrol, self.trial, labels, strict=True))

    def write_scores(self, path: Path, scores: Sequence[float]) -> Path:
        return write_lines(path, zip(self.enrol, self.trial, scores, strict=True))

    def write_utt2spk(self, path: Path) -> Path:
        return write_lines(path, sorted({(u, u.partition("-")[0]) for u in self.trial}))


def write_lines(path: Path, rows: Any) -> Path:
    path.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))
    return path


def artificial(speakers: int = 6, utterances: int = 4) -> Trials:
    names = [f"{100 + k}" for k in range(speakers)]
    utts = [f"{n}-{k:04d}" for n in names for k in range(utterances)]
    pairs = [(e, u) for e in names for u in utts]
    mated = np.array([u.startswith(f"{e}-") for e, u in pairs])
    return Trials([e for e, _ in pairs], [u for _, u in pairs], mated)


def scores_of(t: Trials, gap: float, seed: int, spread: float = 1.0) -> list[float]:
    """Scores with ties, in steps of 0.05."""
    raw = np.random.default_rng(seed).normal(size=t.mated.size) * spread + gap * t.mated
    return [float(x) for x in np.round(raw * 20) / 20]


def write_set(folder: Path, t: Trials | None = None) -> dict[str, Path]:
    """Files of all conditions, with a second run of OP and PP, the key and utt2spk."""
    t = t or artificial()
    files = {
        name: t.write_scores(folder / f"{name}.scores", scores_of(t, gap, seed))
        for seed, (name, gap) in enumerate(
            {"oo": 3.0, "op": 0.4, "pp": 1.2, "pq": 0.9, "op-f0": 0.5, "pp-f0": 1.0}.items()
        )
    }
    return {
        **files,
        "trials": t.write_key(folder / "trials"),
        "utt2spk": t.write_utt2spk(folder / "utt2spk"),
    }


def options(files: dict[str, Path], *names: str) -> list[str]:
    """``--oo FILE …`` for some of the files, or for all."""
    return [x for n in (names or files) for x in (f"--{n}", str(files[n]))]
