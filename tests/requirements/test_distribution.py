"""What we hand out: wheel and source archive hold the package, whole, and nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAME = f"pseudovoice-{PROJECT['version']}"
BESIDE = ("CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md", "pyproject.toml")
KINDS = (".py", ".js", ".css", ".html", ".yaml")
LARGEST = 100_000
"""Bytes of one file; ours are ideas, not data."""
WEIGHTS = (
    "/encoders/prosody.npz",
    *(f"/xvector/weights/{name}" for name in ("voice.onnx", "voice.npz", "pool.npz", "CARD.md")),
)
LARGEST_WEIGHTS = 25_000_000


def checkout(place: Path) -> Path:
    """A copy of what is built, among things that lie about in a checkout and must stay there."""
    place.mkdir()
    for name in (*BESIDE, ".gitignore"):
        shutil.copyfile(ROOT / name, place / name)
    shutil.copytree(ROOT / "src", place / "src")  # with what Python and numba have left in it
    (place / "demo-report.key").write_text("a secret")
    (place / "tests").mkdir()
    (place / "tests" / "test_it.py").write_text("")
    (place / "speaker.wav").write_bytes(b"RIFF")
    return place


def build(source: Path) -> tuple[Path, Path]:
    """The wheel, built from the source archive, and that archive; no network, no isolation."""
    command = [sys.executable, "-P", "-m", "build", "--no-isolation", "--outdir", "out", "."]
    epoch = {"SOURCE_DATE_EPOCH": "1700000000"}
    subprocess.run(command, cwd=source, check=True, capture_output=True, env=os.environ | epoch)
    (wheel,), (archive,) = (source / "out").glob("*.whl"), (source / "out").glob("*.tar.gz")
    return wheel, archive


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return build(checkout(tmp_path_factory.mktemp("build") / "here"))


def ours() -> set[str]:
    """Every file of the package as it stands in the checkout."""
    package = ROOT / "src" / "pseudovoice"
    files = (
        path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )
    return {path.relative_to(package.parent).as_posix() for path in files}


def test_the_wheel_holds_the_package_and_nothing_else(built: tuple[Path, Path]) -> None:
    info = f"{NAME}.dist-info"
    said = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
    with zipfile.ZipFile(built[0]) as wheel:
        assert set(wheel.namelist()) == ours() | {f"{info}/{name}" for name in said}
        assert not [item.filename for item in wheel.infolist() if item.external_attr >> 28 == 0xA]


def test_the_source_archive_holds_what_is_built_and_nothing_else(built: tuple[Path, Path]) -> None:
    expected = {f"src/{name}" for name in ours()} | {*BESIDE, "PKG-INFO", ".gitignore"}
    with tarfile.open(built[1]) as archive:
        members = archive.getmembers()
    assert {member.name.removeprefix(f"{NAME}/") for member in members} == expected
    assert all(member.isfile() for member in members)
    assert {(member.uid, member.uname) for member in members} == {(0, "")}


def test_files_are_of_our_kinds_and_name_no_place(built: tuple[Path, Path]) -> None:
    places = [str(place).encode() for place in (ROOT, built[0].parents[1], Path(sys.prefix))]
    with zipfile.ZipFile(built[0]) as wheel:
        for item in wheel.infolist():
            name, data = item.filename, wheel.read(item)
            if name.startswith("pseudovoice/"):
                assert name.endswith((*KINDS, "/py.typed", *WEIGHTS)), name
            assert len(data) <= (LARGEST_WEIGHTS if name.endswith(WEIGHTS) else LARGEST), name
            assert not [place for place in places if place in data], name
            assert b"pseudovoice-key-1:" not in data.replace(b'"pseudovoice-key-1:"', b""), name


def test_the_same_source_gives_the_same_bytes(built: tuple[Path, Path], tmp_path: Path) -> None:
    elsewhere = checkout(tmp_path / "another place")
    for path in (elsewhere / "src").rglob("*.py"):
        os.utime(path, (1, 1))
        path.chmod(0o600)
    for one, other in zip(built, build(elsewhere), strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name


def test_the_metadata_are_those_of_the_project(built: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(built[0]) as wheel:
        said = Parser().parsestr(wheel.read(f"{NAME}.dist-info/METADATA").decode())
        commands = wheel.read(f"{NAME}.dist-info/entry_points.txt").decode()
    for field in ("Name", "Version", "Summary"):
        key = {"Summary": "description"}.get(field, field.lower())
        assert said[field] == PROJECT[key]
    assert (said["License-Expression"], said["License-File"]) == ("Apache-2.0", "LICENSE")
    assert said["Requires-Python"] == PROJECT["requires-python"]
    plain = [line for line in said.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert len(plain) == len(PROJECT["dependencies"])
    assert said.get_payload().startswith("# pseudovoice")
    assert "pseudovoice = pseudovoice.cli.main:main" in commands
    assert said.get_all("Project-URL") is None  # until there is one


def test_the_wheel_works_where_it_is_installed(built: tuple[Path, Path], tmp_path: Path) -> None:
    place = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    python = place / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", str(built[0])], check=True, cwd=tmp_path)
    # Dependencies from here; a .pth within a .pth is not followed, so our checkout is not found.
    (packages,) = place.glob("lib/*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def said(*command: str | Path) -> str:
        done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
        return done.stdout

    assert PROJECT["version"] in said(place / "bin" / "pseudovoice", "--version")
    assert "voiceprivacy2020" in said(place / "bin" / "pseudovoice", "run", "--list")
    where = "import pseudovoice; from pseudovoice.serve import home; home.page(''); "
    where += "home.asset('recording.js'); print(pseudovoice.__file__)"
    assert said(python, "-I", "-c", where).startswith(str(packages))
