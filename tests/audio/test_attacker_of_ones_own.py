"""An attacker of another package is one file and one line, and then it is everywhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MODULE = Path(__file__).parents[2] / "examples" / "attacker" / "patient.py"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package as pip would leave it: a module, and an entry point."""
    place = tmp_path_factory.mktemp("site")
    shutil.copy(MODULE, place / "patient_attacker.py")
    about = place / "patient_attacker-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: patient-attacker\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[pseudovoice.attackers]\npatient = patient_attacker:PATIENT\n"
    )
    return place


def run(place: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pseudovoice", *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(place), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_is_in_options_plans_and_the_glossary(installed: Path, tmp_path: Path) -> None:
    for verb in (("assess", "audio"), ("compare",)):
        assert "patient" in run(installed, *verb, "--help").stdout
    assert "An attacker with time" in run(installed, "explain", "patient").stdout
    plan = tmp_path / "plan.yaml"
    plan.write_text("title: x\nsets: {a: nowhere}\nsafeguards: [mcadams]\nattackers: [patience]\n")
    assert "did you mean patient?" in run(installed, "check", plan).stderr


def test_it_attacks_and_is_reported_like_the_others(
    installed: Path, original: Path, other_voices: Path, tiny_model: Path, tmp_path: Path
) -> None:
    own = shutil.copytree(other_voices, tmp_path / "own")
    done = run(
        installed, "assess", "audio", original, other_voices, "--attacker-protected", own,
        "--encoder", f"onnx:{tiny_model}", "--no-cache", "--replicates", "20",
        "--permutations", "20", "--no-figures", "-o", tmp_path / "report", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    attacks = {a["attacker"]: a for a in found["attacks"] if a["group"] == "all"}
    assert list(attacks) == ["ignorant", "lazy", "patient"]
    assert attacks["patient"]["d_ece"] >= attacks["lazy"]["d_ece"] > 0.3
    assert attacks["patient"]["knows"].startswith("averages")
    table = (tmp_path / "report" / "table.csv").read_text(encoding="utf-8")
    assert f'pq,"patient, onnx:{tiny_model.name}' in table or "patient, " in table


def test_a_broken_one_is_named_and_stops_nobody(tmp_path: Path) -> None:
    about = tmp_path / "broken-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[pseudovoice.attackers]\nbroken = nowhere_at_all:X\n")
    done = run(tmp_path, "explain", "lazy")
    assert done.returncode == 0
    assert "lazy-informed" in done.stdout
    assert "The attacker 'broken' of nowhere_at_all:X cannot be loaded" in done.stderr
