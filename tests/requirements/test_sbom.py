"""The bill of materials: valid, complete, without development's tools, the same every time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from packaging.utils import canonicalize_name

import sbom
from licences import locked
from pseudovoice.models import ARTEFACTS

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """As `make sbom` writes it."""
    out = tmp_path_factory.mktemp("bill") / "dist" / "bill.json"
    subprocess.run(
        [sys.executable, str(ROOT / "requirements" / "sbom.py"), str(out)],
        check=True,
        cwd=out.anchor,
    )
    return out.read_text(encoding="utf-8")


def named(tree: dict[str, Any], kind: str) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in tree["components"] if one["type"] == kind}


def test_it_fits_the_schema_and_a_wrong_one_does_not(text: str) -> None:
    assert sbom.fault(text) is None
    assert sbom.fault(text.replace('"library"', '"libary"')) is not None


def test_it_holds_the_run_time_and_nothing_else(text: str) -> None:
    tree = json.loads(text)
    packages = {canonicalize_name(name) for name in named(tree, "library")}
    assert packages == set(locked())
    assert {"pytest", "cyclonedx-bom", "hatchling", "pip"}.isdisjoint(packages)
    known = {one["bom-ref"] for one in tree["components"]} | {"root-component"}
    for entry in tree["dependencies"]:
        assert {entry["ref"], *entry["dependsOn"]} <= known


def test_every_weight_is_in_it_with_its_hash(text: str) -> None:
    weights = named(json.loads(text), "machine-learning-model")
    assert weights.keys() == ARTEFACTS.keys()
    for name, item in ARTEFACTS.items():
        assert weights[name]["hashes"] == [{"alg": "SHA-256", "content": item.sha256}]


def test_it_names_no_place_on_this_machine_and_no_time(text: str) -> None:
    assert str(ROOT) not in text
    assert str(Path(sys.prefix)) not in text
    assert "file:" not in text
    tree = json.loads(text)
    assert "timestamp" not in tree["metadata"]
    assert "serialNumber" not in tree
