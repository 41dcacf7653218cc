"""With the packages of the group `scores` alone: scores and embeddings, and sentences of the rest.

Programs of their own find no other package, as if nobody had installed it.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from locks import read_lock
from pseudovoice.cli.main import VERBS

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SCORES = PROJECT["dependency-groups"]["scores"]
LEFT = {"pseudovoice", *(pin.name for pin in read_lock("scores"))}
HIDING = """
import importlib.machinery, importlib.metadata
hidden = set({hidden!r})
find = importlib.machinery.PathFinder.find_spec
def find_spec(name, path=None, target=None):
    return None if name.partition(".")[0] in hidden else find(name, path, target)
importlib.machinery.PathFinder.find_spec = find_spec
real = importlib.metadata.version
def version(name):
    if name.replace("-", "_") in hidden:
        raise importlib.metadata.PackageNotFoundError(name)
    return real(name)
importlib.metadata.version = version
"""
PROGRAM = "from pseudovoice.cli.main import main\nmain()"


@pytest.fixture(scope="module")
def hiding() -> str:
    """The lines that hide all packages but those of the small install."""
    modules = {
        module
        for module, owners in packages_distributions().items()
        if not any(canonicalize_name(owner) in LEFT for owner in owners)
    }
    assert {"numba", "onnxruntime", "matplotlib", "av", "pocketsphinx", "msgspec"} <= modules
    return HIDING.format(hidden=sorted(modules))


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scores, their key, and embeddings of six people."""
    place = tmp_path_factory.mktemp("scores")
    rng = np.random.default_rng(1)
    people = {f"s{k}-{j}": f"s{k}" for k in range(6) for j in range(3)}
    pairs = [(a, b) for a in people for b in people if a != b]
    same = {pair: people[pair[0]] == people[pair[1]] for pair in pairs}
    told = {True: "target", False: "nontarget"}
    (place / "utt2spk").write_text("".join(f"{utt} {who}\n" for utt, who in people.items()))
    (place / "trials").write_text("".join(f"{a} {b} {told[same[a, b]]}\n" for a, b in pairs))
    for name, strength in (("oo", 3.0), ("op", 0.5)):
        lines = (f"{a} {b} {rng.normal(strength * same[a, b]):.4f}\n" for a, b in pairs)
        (place / name).write_text("".join(lines))
    for name in ("before", "after"):
        vectors = rng.normal(size=(len(people), 8))
        arrays = {"utt": list(people), "spk": list(people.values()), "vectors": vectors}
        np.savez(place / f"{name}.npz", **arrays)
    return place


def run(code: str, *arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)


FEW = ("--replicates", "20", "--permutations", "20")


def test_it_is_a_part_of_the_whole() -> None:
    whole = set(PROJECT["project"]["dependencies"])
    assert set(SCORES) < whole
    said = (ROOT / "docs" / "how-to" / "install.md").read_text(encoding="utf-8")
    (names,) = re.findall(r"^\$ pip install (numpy .*)$", said, re.M)
    assert names.split() == [Requirement(one).name for one in SCORES]


def test_scores_and_embeddings_are_assessed(hiding: str, scores: Path) -> None:
    files = ("--oo", "oo", "--op", "op", "--trials", "trials", "--utt2spk", "utt2spk")
    required = ("--require", "d_ece<0.72")
    ran = run(hiding + PROGRAM, "assess", "scores", *files, *FEW, *required, cwd=scores)
    assert ran.returncode in (0, 3), ran.stderr
    assert "required d_ece<0.72: " in ran.stdout
    assert "d_ece" in ran.stdout
    ran = run(hiding + PROGRAM, "assess", "scores", *files, *FEW, "-o", "report", cwd=scores)
    assert ran.returncode == 2
    assert "Page and figures (-o) need the package matplotlib, which is not" in ran.stderr
    ran = run(hiding + PROGRAM, "assess", "embeddings", "before.npz", "after.npz", *FEW, cwd=scores)
    assert ran.returncode == 0, ran.stderr
    assert "eer" in ran.stdout


def test_python_and_words(hiding: str, scores: Path) -> None:
    code = "import pseudovoice as pv\nprint(pv.evaluate([2.0, 3.0, 0.5], [0.0, -1.0, 1.0]).eer)"
    ran = run(hiding + code, cwd=scores)
    assert ran.returncode == 0, ran.stderr
    assert float(ran.stdout) >= 0
    assert run(hiding + PROGRAM, "explain", "d_ece", cwd=scores).returncode == 0
    for verb in ((), *((name,) for name in VERBS)):
        helped = run(hiding + PROGRAM, *verb, "--help", cwd=scores)
        assert helped.returncode == 0, (verb, helped.stderr)


@pytest.mark.parametrize(
    "arguments",
    [
        ("protect", "people", "out", "--safeguard", "mcadams"),
        ("assess", "audio", "people", "people"),
        ("assess", "utility", "people", "people"),
        ("compare", "people", "--safeguard", "mcadams", "-o", "study"),
        ("check", "noe2020"),
        ("inspect", "people"),
        ("embed", "people", "-o", "e.npz"),
        ("diarise", "people"),
        ("slice", "people", "cut"),
        ("list", "safeguards"),
        ("demo", "-o", "demo"),
    ],
    ids=" ".join,
)
def test_other_verbs_say_what_is_missing(
    hiding: str, scores: Path, arguments: tuple[str, ...]
) -> None:
    ran = run(hiding + PROGRAM, *arguments, cwd=scores)
    assert ran.returncode == 2, ran.stderr
    (sentence,) = ran.stderr.splitlines()
    found = re.fullmatch(
        r"pseudovoice: This needs the package (\S+), which is not installed here; "
        r"`pip install (\S+)` brings it, and `pip install pseudovoice` all that is ever needed\.",
        sentence,
    )
    assert found is not None, sentence
    names = {canonicalize_name(Requirement(one).name) for one in PROJECT["project"]["dependencies"]}
    assert canonicalize_name(found[1]) in names
    assert found[1] == found[2]


def test_a_package_that_is_none_of_ours_stays_an_error(scores: Path) -> None:
    code = "import pseudovoice.cli.main as m\nm.VERBS['list'] = ('nobody.has.this', '')\nm.main()"
    ran = run(code, "list", cwd=scores)
    assert "ModuleNotFoundError: No module named 'nobody'" in ran.stderr
