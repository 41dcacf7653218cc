"""The bill of materials: ``python requirements/sbom.py OUT``.

CycloneDX's own tool lists this environment, package by package with licences and what needs what.
We keep what the run-time lock names, and nothing of the tools of development, and add the weights
that are fetched, which no such tool can see. What comes out is held against CycloneDX's schema
before it is written. The hashes of packages stand in the lock.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from locks import HERE, read_lock
from pseudovoice.models import ARTEFACTS, Artefact

VERSION = SchemaVersion.V1_6
PROJECT = HERE.parent / "pyproject.toml"


def bill() -> dict[str, Any]:
    """The run-time part of this environment and the weights, as a tree of JSON."""
    tree = _listed()
    direct = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["dependencies"]
    names = {canonicalize_name(Requirement(line).name) for line in direct}
    versions = {
        pin.name: pin.version
        for pin in read_lock("run")
        if pin.requirement.marker is None or pin.requirement.marker.evaluate()
    }
    kept = {}
    for component in tree["components"]:
        name = canonicalize_name(component["name"])
        if name in versions:
            kept[component["bom-ref"]] = name
            if component["version"] != versions[name]:
                raise SystemExit(
                    f"{name} is {component['version']} here and {versions[name]} in the lock; "
                    "make the environment anew: make clean sbom."
                )
    if missing := versions.keys() - kept.values():
        raise SystemExit(
            f"{', '.join(sorted(missing))}: locked but not installed; make clean sbom."
        )
    root = tree["metadata"]["component"]["bom-ref"]
    tree["components"] = [one for one in tree["components"] if one["bom-ref"] in kept]
    for component in tree["components"]:
        component.pop("externalReferences", None)  # links that are not ours to vouch for
    tree["dependencies"] = [
        {
            "ref": entry["ref"],
            "dependsOn": [ref for ref in entry.get("dependsOn", []) if ref in kept],
        }
        for entry in tree["dependencies"]
        if entry["ref"] in kept or entry["ref"] == root
    ]
    for entry in tree["dependencies"]:
        if entry["ref"] == root:  # with those of its extras until here
            entry["dependsOn"] = [ref for ref in entry["dependsOn"] if kept[ref] in names]
    tree["components"] += [_weight(item) for item in ARTEFACTS.values()]
    return tree


def _listed() -> dict[str, Any]:
    """What CycloneDX's tool makes of this environment; addresses of mirrors stay out of it."""
    command = [sys.executable, "-P", "-m", "cyclonedx_py", "environment", "--short-PURLs"]
    command += ["--no-validate", "--output-reproducible", "--spec-version", VERSION.to_version()]
    command += ["--pyproject", str(PROJECT), sys.executable]
    tree: dict[str, Any] = json.loads(
        subprocess.run(command, capture_output=True, check=True).stdout
    )
    return tree


def _weight(item: Artefact) -> dict[str, Any]:
    return {
        "type": "machine-learning-model",
        "bom-ref": f"weight:{item.name}",
        "name": item.name,
        "version": item.requirement or "hub",
        "description": item.source,
        "hashes": [{"alg": "SHA-256", "content": item.sha256}],
        "licenses": [{"license": {"name": item.licence}}],
    }


def fault(text: str) -> str | None:
    """What CycloneDX's schema has against a bill; None if nothing."""
    error = JsonStrictValidator(VERSION).validate_str(text)
    return None if error is None else str(error)


if __name__ == "__main__":
    text = json.dumps(bill(), indent=1, ensure_ascii=False) + "\n"
    if (wrong := fault(text)) is not None:
        sys.exit(f"The bill of materials does not fit CycloneDX's schema: {wrong}")
    out = Path(sys.argv[1])
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(text, encoding="utf-8")
