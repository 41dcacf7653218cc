"""The Dockerfile without an engine: its own steps build the wheel, install it and start it.

What is not run here is what would fetch packages: those steps are held against the lock files.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKED = "--require-hashes --only-binary :all:"


def steps() -> list[tuple[str, str]]:
    """The instructions in their order, each with its argument."""
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    found = [line.partition(" ") for line in lines if line and not line.startswith("#")]
    return [(word, rest.strip()) for word, _, rest in found]


def one(word: str) -> str:
    """The last instruction of its kind, which is the one that counts."""
    return [rest for kind, rest in steps() if kind == word][-1]


def pip(*words: str) -> list[str]:
    return [rest for kind, rest in steps() if kind == "RUN" and all(w in rest for w in words)]


def run(command: str, cwd: Path, python: Path) -> None:
    """A step that calls pip, with the pip of this environment acting on ``python``."""
    program, *words = shlex.split(command)
    assert program == "pip"
    called = [sys.executable, "-m", "pip", "--python", str(python), *words]
    done = subprocess.run(called, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders of both stages and an environment in place of the image."""
    root = tmp_path_factory.mktemp("image")
    places = {"/build": root / "build", "/install": root / "install"}
    bare = root / "python"
    venv.create(bare, with_pip=False)
    here = Path(sys.executable)
    python = bare / "bin" / "python"
    cwd = root
    for word, rest in steps():
        if word == "WORKDIR" and rest in places:
            cwd = places[rest]
            cwd.mkdir()
        elif word == "COPY":
            copy(shlex.split(rest), cwd, places["/build"])
        elif word == "RUN" and rest.startswith("pip") and LOCKED not in rest:
            run(rest, cwd, here if "pip wheel" in rest else python)
    # In place of what the lock would install: the packages of this environment, after our wheel.
    site = next((bare / "lib").glob("python*/site-packages"))
    (site / "locked.pth").write_text(sysconfig.get_path("purelib"))
    return root


def copy(words: list[str], cwd: Path, build: Path) -> None:
    stage = [word for word in words if word.startswith("--from")]
    *sources, target = [word for word in words if not word.startswith("--")]
    for name in sources:
        source = build.parent / name.lstrip("/") if stage else ROOT / name
        place = cwd / target / source.name if target.endswith("/") else cwd / target
        place.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, place, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(source, place)


def test_what_is_built_installs_and_starts(image: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (program,), words = json.loads(one("ENTRYPOINT")), json.loads(one("CMD"))
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    start = [image / "python" / "bin" / program]
    told = subprocess.run(
        [*start, *words], capture_output=True, text=True, check=True, env=environment
    )
    assert "Give every speaker a pseudo-voice" in told.stdout
    ours = subprocess.run(
        [image / "python" / "bin" / "python", "-c", "import pseudovoice as p; print(p.__file__)"],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert str(image) in ours.stdout, "the wheel, not the checkout"
    version = subprocess.run(
        [*start, "--version"], capture_output=True, text=True, check=True, env=environment
    )
    assert project["version"] in version.stdout


def test_packages_come_from_the_locks_by_their_hashes() -> None:
    fetched = pip(LOCKED)
    assert [rest.rpartition(" ")[2] for rest in fetched] == [
        "requirements/build.lock",
        "requirements/run.lock",
    ]
    copied = {word for kind, rest in steps() if kind == "COPY" for word in rest.split()}
    assert {rest.rpartition(" ")[2] for rest in fetched} <= copied
    others = [rest for rest in pip("pip ") if rest not in fetched]
    assert len(others) == 2
    assert all("--no-deps" in rest for rest in others), "nothing else is fetched"


def test_the_image_runs_as_nobody_special_and_takes_nothing_along() -> None:
    kinds = [kind for kind, _ in steps()]
    user = one("USER")
    assert user not in ("root", "0")
    assert any(f"useradd --uid 1000 --create-home {user}" in rest for rest in pip("useradd"))
    assert kinds.index("USER") > max(k for k, kind in enumerate(kinds) if kind == "RUN")
    assert all("python:3.11-slim" in rest for kind, rest in steps() if kind == "FROM")
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert "*" in ignored, "all but what is named"
    named = {line[1:] for line in ignored if line.startswith("!")}
    wanted = {
        word
        for kind, rest in steps()
        if kind == "COPY" and "--from" not in rest
        for word in rest.split()[:-1]
    }
    assert {name if "/" not in name else "requirements/*.lock" for name in wanted} == named
