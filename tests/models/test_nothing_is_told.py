"""What runs networks has a habit of telling its maker; here it does not get to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

OURS = """
import numpy as np
from pseudovoice.signal.pitch import pitch
assert pitch(np.zeros(16_000, np.float32)).size
"""
THEIRS = "import onnxruntime"


def left_behind(program: str, home: Path) -> list[Path]:
    """Files that a program leaves of what it is about to tell, and whom: none of them is ours.

    With nothing around it that a build server would set: there, onnxruntime is silent anyway.
    """
    home.mkdir()
    around = {"HOME": str(home), "XDG_CACHE_HOME": str(home / "cache"), "PATH": os.environ["PATH"]}
    subprocess.run([sys.executable, "-c", program], env=around, check=True, timeout=120)
    return [file for file in home.rglob("*") if "onnxruntime" in str(file.relative_to(home))]


def test_onnxruntime_tells_nobody_what_it_runs(tmp_path: Path) -> None:
    if not left_behind(THEIRS, tmp_path / "theirs"):
        pytest.skip("this build of onnxruntime tells nobody anything, so nothing can be shown")
    assert left_behind(OURS, tmp_path / "ours") == []
