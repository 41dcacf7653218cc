"""A run that is killed at any moment resumes to the result of an undisturbed one."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from artificial_voices import write_corpus


def command(tiny_model: Path, *args: Path | str) -> list[str]:
    words = ["assess", "audio", *map(str, args), "--encoder", f"onnx:{tiny_model}", "--json"]
    program = "from pseudovoice.cli.main import main; main()"
    return [sys.executable, "-c", program, *words, "--replicates", "20", "--permutations", "20"]


def test_sigkill_at_ten_random_moments(tiny_model: Path, tmp_path: Path) -> None:
    o = write_corpus(tmp_path / "o", 8, 8)
    p = write_corpus(tmp_path / "p", 8, 8, offset=500)

    def environment(name: str) -> dict[str, str]:
        return {**os.environ, "PSEUDOVOICE_CACHE": str(tmp_path / name)}

    start = time.perf_counter()
    undisturbed = subprocess.run(
        command(tiny_model, o, p), env=environment("calm"), capture_output=True, check=True
    )
    lasts = time.perf_counter() - start
    rng = random.Random(5)
    killed = 0
    for _ in range(10):
        run = subprocess.Popen(
            command(tiny_model, o, p),
            env=environment("disturbed"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            run.wait(rng.uniform(0.2, 0.9) * lasts)
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGKILL)
            killed += 1
        run.wait()
    assert killed > 0
    resumed = subprocess.run(
        command(tiny_model, o, p), env=environment("disturbed"), capture_output=True, check=True
    )
    assert resumed.stdout == undisturbed.stdout
