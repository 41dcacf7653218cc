"""The example packages, really installed: a safeguard, an encoder, an attacker and a metric."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pseudovoice.keys import new_key

FEW = ("--replicates", "40", "--permutations", "40", "--no-figures")


def child(place: Path, *words: str | Path, cache: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, words)],
        env={
            **os.environ,
            "PYTHONPATH": str(place),
            "PSEUDOVOICE_CACHE": str(cache),
            "MPLBACKEND": "agg",
            "COLUMNS": "200",
        },
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def program(installed: Path, tmp_path: Path):  # type: ignore[no-untyped-def]
    def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
        done = child(installed, "-m", "pseudovoice", *words, cache=tmp_path / "cache")
        assert done.returncode == 0, done.stderr
        return done

    return run


def test_each_is_found_by_its_name(program) -> None:  # type: ignore[no-untyped-def]
    assert "tilt:most=0.9" in program("list", "safeguards").stdout
    for verb in (("compare",), ("assess", "audio")):
        assert "patient" in program(*verb, "--help").stdout
    assert "ltas" in program("attack", "slices", "--help").stdout
    explained = program("explain", "roc_area").stdout
    assert "Area under the ROC curve" in explained
    assert "0 … 1" in explained
    assert "Hanley" in explained


def test_all_four_in_one_study_on_the_command_line(program, folder: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    new_key(tmp_path / "study.key")
    out = tmp_path / "report"
    said = program(
        "compare", folder, "--safeguard", "tilt:most=0.5", "--attacker", "lazy",
        "--attacker", "patient", "--encoder", "ltas", "--no-utility", "--no-clips", *FEW,
        "--key-file", tmp_path / "study.key", "-o", out, "--json",
    )  # fmt: skip
    assert json.loads(said.stdout)["problems"] == []
    with (out / "tables" / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    attackers = {row["attacker"] for row in rows if row["group"] == "all"}
    assert "patient, ltas" in attackers
    own = {row["condition"]: row for row in rows if row["metric"] == "roc_area"}
    assert {"oo", "op", "pp", "pq"} == set(own)
    assert 0.5 < float(own["oo"]["value"]) <= 1
    assert own["op"]["direction"] == "lower"
    assert own["pp"]["direction"] == "higher"
    assert float(own["op"]["low"]) <= float(own["op"]["value"]) <= float(own["op"]["high"])
    assert float(own["op"]["null"]) == pytest.approx(0.5, abs=0.1)


def test_the_metric_is_what_it_says_from_scores(program, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(5)
    mated, nonmated = np.round(rng.normal(1, 1, 60), 1), np.round(rng.normal(0, 1, 300), 1)
    for name, scores in (("m", mated), ("n", nonmated)):
        (tmp_path / name).write_text("\n".join(map(str, scores)) + "\n")
    words = ("assess", "scores", "--mated", tmp_path / "m", "--nonmated", tmp_path / "n")
    rows = json.loads(program(*words, "--json").stdout)["rows"]
    (own,) = [row for row in rows if row["metric"] == "roc_area"]
    pairs = mated[:, None] - nonmated[None]
    assert own["value"] == pytest.approx((pairs > 0).mean() + (pairs == 0).mean() / 2, abs=1e-12)
    assert own["unit"] == "1"
    assert "roc_area" in program(*words).stdout


API = """
import json, sys
import pseudovoice as pv

folder, out = sys.argv[1:]
key = pv.new_key(out + "/a.key")
other = pv.new_key(out + "/b.key")
done = pv.protect(folder, out + "/p", "tilt", key=key)
pv.protect(folder, out + "/q", "tilt", key=out + "/b.key")
found = pv.assess(
    folder, out + "/p", encoders="ltas", attacker_protected=out + "/q", cache=False,
    replicates=40, permutations=40,
)
assert [one.attacker for one in found.attacks] == ["ignorant", "lazy", "patient"]
patient = found.result("patient", "ltas")
with open(out + "/found.json", "w") as file:
    json.dump(found.to_dict(), file)
table = found.to_pandas()
assert set(table[table.metric == "roc_area"].condition) == {"oo", "op", "pp", "pq"}
assert "patient" in found._repr_html_()
ax = found.figure("zoo", attacker="patient")
outcome = pv.compare(
    folder, "tilt", "patient", "ltas", out=out + "/report", key=out + "/a.key", measures=(),
    figures=False, clips=False, replicates=40, permutations=40,
)
assert set(outcome.to_pandas("attacks").attacker) == {"ignorant", "patient"}
"""


def test_all_four_in_python(installed: Path, folder: Path, tmp_path: Path) -> None:
    script = tmp_path / "api.py"
    script.write_text(API, encoding="utf-8")
    done = child(installed, script, folder, tmp_path, cache=tmp_path / "cache")
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    said = child(
        installed, "-m", "pseudovoice", "assess", "audio", folder, tmp_path / "p",
        "--attacker-protected", tmp_path / "q", "--encoder", "ltas", "--no-cache", *FEW, "--json",
        cache=tmp_path / "cache",
    )  # fmt: skip
    assert json.loads(said.stdout) == found  # the command line and Python, to the last digit
    (own,) = [
        row
        for row in found["rows"]
        if (row["attacker"], row["metric"], row["condition"]) == ("patient, ltas", "roc_area", "pq")
    ]
    assert 0.5 < own["value"] <= 1
    assert 0.4 < own["null_95"] < 1
