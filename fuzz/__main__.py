"""Fuzz some targets, one after the other: `python -m fuzz [TARGET …] [--seconds N]`.

Ends with a table of executions and findings; exit code 1 if there are any. `--list` names the
targets, `--again FILE` gives one kept input to its target once more.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from fuzz.oracle import Oracle, fast_folder
from fuzz.targets import TARGETS


@dataclass(frozen=True)
class Run:
    """What one target came to; ``ended`` says how, if not by the clock."""

    target: str
    executions: int
    findings: tuple[str, ...]
    ended: str = ""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="all if none is named")
    parser.add_argument("--seconds", type=int, default=600, help="for each target (600)")
    parser.add_argument("--list", action="store_true", help="name the targets and end")
    parser.add_argument("--again", type=Path, metavar="FILE", help="one kept input of TARGET")
    asked = parser.parse_args()
    unknown = [name for name in asked.targets if name not in TARGETS]
    if unknown:
        parser.error(f"there is no target {unknown[0]}; there are {', '.join(TARGETS)}")
    if asked.list:
        print("\n".join(TARGETS))
        return 0
    if asked.again:
        return again(asked.targets[0], asked.again.read_bytes())
    runs = [fuzz(name, asked.seconds) for name in asked.targets or TARGETS]
    print("\n| target | executions | findings |\n|---|---:|---|")
    for run in runs:
        said = "; ".join((*run.findings, *filter(None, [run.ended]))) or "none"
        print(f"| {run.target} | {run.executions:,} | {said} |")
    return int(any(run.findings or run.ended for run in runs))


def fuzz(name: str, seconds: int) -> Run:
    """Run one target; what its engine says is shown as it comes."""
    print(f"== {name}", flush=True)
    command = [sys.executable, "-m", "fuzz.engine", name, str(seconds)]
    executions, findings, last = 0, [], ""
    # The engine ends without cleaning up: all that it writes in passing goes with this folder.
    with (
        tempfile.TemporaryDirectory(prefix="fuzz-", dir=fast_folder()) as folder,
        subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**os.environ, "TMPDIR": folder},
        ) as engine,
    ):
        assert engine.stdout is not None
        for line in engine.stdout:
            if found := re.match(r"FINDING \S+ (.*)", line):
                findings.append(found[1])
            elif (found := re.match(r"#(\d+)\s", line)) or (
                found := re.match(r"stat::number_of_executed_units:\s*(\d+)", line)
            ):
                executions = int(found[1])
            if not line.startswith(("INFO: Instr", "#")) or "pulse" in line:
                print(line, end="", flush=True)
            last = line if "ERROR" in line or "SUMMARY" in line else last
    ended = "" if engine.returncode == 0 else last.strip() or f"ended with {engine.returncode}"
    return Run(name, executions, tuple(findings), ended)


def again(name: str, data: bytes) -> int:
    """Give one input to its target; the finding is printed with its trace."""
    with tempfile.TemporaryDirectory() as folder:
        oracle = Oracle(TARGETS[name], Path(folder))
        (seeds := Path(folder, "seeds")).mkdir()
        oracle.warm(TARGETS[name].seeds(seeds))
        finding = oracle.judge(data)
    print("nothing is wrong" if finding is None else f"{finding.kind}\n{finding.what}")
    return int(finding is not None)


if __name__ == "__main__":
    sys.exit(main())
