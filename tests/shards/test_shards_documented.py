"""The job array of docs/how-to/shards.md, run as SLURM runs it, one job after the other."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from shard_runs import content, run

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "shards.md"


def test_the_job_array_runs(speech: Path, key: Path, tmp_path: Path) -> None:
    array, merge = re.findall(r"^```bash\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert "#SBATCH -a 1-" in array
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "pseudovoice"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pseudovoice "$@"\n')
    program.chmod(0o755)
    given = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "CORPUS": str(speech),
        "WORK": str(tmp_path / "a folder"),
        "SAFEGUARD": "mcadams-random",
        "KEY_FILE": str(key),
        "SLURM_ARRAY_TASK_COUNT": "3",
        "SLURM_CPUS_PER_TASK": "1",
    }
    for task in "123":
        done = subprocess.run(
            ["bash", "-c", array],
            env={**given, "SLURM_ARRAY_TASK_ID": task},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
    done = subprocess.run(["bash", "-c", merge], env=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    how = ("--safeguard", "mcadams-random", "--key-file", key)
    assert run("protect", speech, tmp_path / "whole", *how).exit_code == 0
    assert content(tmp_path / "a folder" / "protected") == content(tmp_path / "whole")
