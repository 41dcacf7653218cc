"""The lock files as data: which version of what, on which Python, known by which hashes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

HERE = Path(__file__).parent
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")


@dataclass(frozen=True)
class Pin:
    """One package at one version; ``requirement`` holds the marker that says where it applies."""

    requirement: Requirement
    sha256: tuple[str, ...]

    @property
    def name(self) -> str:
        return canonicalize_name(self.requirement.name)

    @property
    def version(self) -> str:
        (specifier,) = self.requirement.specifier
        return specifier.version


@cache
def read_lock(name: str) -> tuple[Pin, ...]:
    """The pins of ``requirements/NAME.lock``; a package may have one for each Python."""
    text = (HERE / f"{name}.lock").read_text(encoding="utf-8").replace("\\\n", " ")
    pins = []
    for line in text.splitlines():
        said, _, hashes = line.partition(" --hash=")
        pins.append(Pin(Requirement(said.strip()), tuple(HASH.findall(f"--hash={hashes}"))))
    return tuple(pins)
