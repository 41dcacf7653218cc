"""The locks hold what pyproject.toml asks for: whoever forgets `make lock` is told here."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from locks import Pin, read_lock

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
BUILD = PROJECT["dependency-groups"]["build"]
OBJECT_STORE = PROJECT["dependency-groups"]["object-store"]
SCORES = PROJECT["dependency-groups"]["scores"]
GOOGLE_STORE = PROJECT["dependency-groups"]["google-store"]
LOCKS = ("run", "scores", "build", "dev", "train", "fuzz", "ray", "storage")
AGAIN = "; run make lock"
OLDER = (("ray", "python-dateutil"), ("storage", "python-dateutil"))
"""What speaks S3 (botocore) asks for less than 3; it is in environments of its own."""

PLACES = [
    {
        "python_version": python,
        "python_full_version": f"{python}.9",
        "sys_platform": system,
        "platform_system": {"linux": "Linux", "darwin": "Darwin"}[system],
        "platform_machine": machine,
        "extra": "",
    }
    for python in ("3.11", "3.12", "3.13")
    for system, machine in (("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64"))
]


def wanted(lock: str) -> list[Requirement]:
    """What pyproject.toml asks for directly, the parts of our own extras among it."""
    run = PROJECT["project"]["dependencies"]
    lines = {
        "run": run,
        "scores": SCORES,
        "build": BUILD,
        "dev": [*run, *EXTRAS["dev"], *EXTRAS["docs"], *BUILD],
        "train": [*run, *EXTRAS["dev"], *BUILD],  # torch stays outside
        "fuzz": [*run, *EXTRAS["fuzz"], *BUILD],
        "ray": [
            *run,
            *EXTRAS["dev"],
            *EXTRAS["ray"],
            *EXTRAS["storage"],
            *BUILD,
            *OBJECT_STORE,
        ],
        "storage": [
            *run,
            *EXTRAS["dev"],
            *EXTRAS["storage"],
            *BUILD,
            *OBJECT_STORE,
            *GOOGLE_STORE,
        ],
    }[lock]
    return list(unfolded(map(Requirement, lines)))


def unfolded(requirements: Iterable[Requirement]) -> Iterator[Requirement]:
    for one in requirements:
        if one.name == PROJECT["project"]["name"]:
            for extra in one.extras:
                yield from unfolded(map(Requirement, EXTRAS[extra]))
        else:
            yield one


def there(lock: str, place: dict[str, str]) -> dict[str, Pin]:
    """What a lock installs in one place; a package twice would be no lock."""
    found: dict[str, Pin] = {}
    for pin in read_lock(lock):
        marker = pin.requirement.marker
        if marker is None or marker.evaluate(place):
            assert pin.name not in found, f"{pin.name} has two versions for {place}"
            found[pin.name] = pin
    return found


def unmet(requirements: Iterable[Requirement], pins: dict[str, Pin]) -> list[str]:
    """A sentence for every requirement that no pin meets."""
    said = []
    for one in requirements:
        pin = pins.get(canonicalize_name(one.name))
        if pin is None:
            said.append(f"{one.name} is in no lock{AGAIN}")
        elif not one.specifier.contains(pin.version, prereleases=True):
            said.append(f"{one} is not met by {pin.version}{AGAIN}")
    return said


@pytest.mark.parametrize("lock", LOCKS)
def test_every_range_is_met_on_every_python_and_platform(lock: str) -> None:
    for place in PLACES:
        assert unmet(wanted(lock), there(lock, place)) == [], place


def test_a_forgotten_lock_is_noticed() -> None:
    pins = there("run", PLACES[0])
    newer = Requirement(f"numpy>{pins['numpy'].version}")
    assert unmet([newer], pins) == [f"{newer} is not met by {pins['numpy'].version}{AGAIN}"]
    assert unmet([Requirement("requests")], pins) == [f"requests is in no lock{AGAIN}"]


@pytest.mark.parametrize("lock", ["run", "scores", "build", "dev"])
def test_what_dependencies_need_is_locked_too(lock: str) -> None:
    """By the metadata of what is installed here, down to the last."""
    pins = {pin.name: pin for pin in read_lock(lock)}
    pending, seen = [(one.name, frozenset(one.extras)) for one in wanted(lock)], set()
    while pending:
        name, extras = pending.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        assert canonicalize_name(name) in pins, f"{name} is in no lock{AGAIN}"
        try:
            lines = distribution(name).requires or []
        except PackageNotFoundError:
            continue  # wanted on another Python or platform only
        for one in map(Requirement, lines):
            chosen = one.marker is None or any(
                one.marker.evaluate({"extra": extra}) for extra in ("", *extras)
            )
            if chosen:
                pending.append((one.name, frozenset(one.extras)))
    assert len(seen) >= len(wanted(lock))


@pytest.mark.parametrize("lock", LOCKS)
def test_every_file_is_known_by_its_hash_and_no_place_by_its_name(lock: str) -> None:
    assert all(pin.sha256 for pin in read_lock(lock))
    text = (ROOT / "requirements" / f"{lock}.lock").read_text(encoding="utf-8")
    assert not re.search(r"://|@|--(index|extra|find|trusted)|^-|/", text, re.M)


def test_locks_agree_with_each_other() -> None:
    for place in PLACES:
        known: dict[str, str] = {}
        for lock in LOCKS:
            for name, pin in there(lock, place).items():
                if (lock, name) not in OLDER:
                    assert known.setdefault(name, pin.version) == pin.version, (lock, name)


def test_the_backend_is_the_one_of_the_build() -> None:
    assert set(PROJECT["build-system"]["requires"]) <= set(BUILD)


def test_torch_alone_is_outside_the_locks_and_named_exactly() -> None:
    (torch,) = map(Requirement, EXTRAS["train"])
    (known,) = PROJECT["tool"]["uv"]["dependency-metadata"]
    assert str(torch) == f"{known['name']}=={known['version']}"
    assert unmet(map(Requirement, known["requires-dist"]), there("train", PLACES[0])) == []
    locked = {pin.name for lock in LOCKS for pin in read_lock(lock)}
    strays = {name for name in locked if re.match(r"torch|triton|nvidia|cuda", name)}
    assert strays == set(), f"these come with one build of torch only: {strays}"
