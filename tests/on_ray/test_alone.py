"""`--engine ray` without an address: a Ray of this machine, begun and ended by the command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="Ray is not installed; `make test-ray` installs it")

import pseudovoice as pv
from conftest import tree
from pseudovoice.keys import new_key


def test_a_ray_of_this_machine(speech: Path, tmp_path: Path) -> None:
    key = tmp_path / "a.key"
    new_key(key)
    words = ["protect", speech, tmp_path / "there", "--safeguard", "mcadams-random"]
    how = ["--key-file", key, "--engine", "ray"]
    done = subprocess.run(
        [sys.executable, "-m", "pseudovoice", *map(str, [*words, *how])],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    pv.protect(speech, tmp_path / "here", "mcadams-random", key=key)
    assert tree(tmp_path / "here") == tree(tmp_path / "there")
