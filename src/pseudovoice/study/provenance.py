"""Where the numbers come from: versions, models, speech, keys by their identifier, the plan."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pseudovoice.models.cache import sha256_of
from pseudovoice.study.findings import SafeguardFindings, SliceFindings
from pseudovoice.study.keys import StudyKeys
from pseudovoice.study.plan import Plan
from pseudovoice.version import __version__

PACKAGES = ("numpy", "scipy", "onnxruntime", "soundfile", "soxr", "pyworld-prebuilt")
"""What has a hand in the numbers."""


def provenance_json(
    plan: Plan,
    keys: StudyKeys,
    fingerprints: Mapping[str, str],
    found: Sequence[SafeguardFindings],
    outputs: Sequence[Path],
    out: Path,
    sliced: Sequence[SliceFindings] = (),
) -> str:
    """As JSON; no path outside the study, no time and no secret is in it."""
    models = {
        encoder["name"]: {"sha256": encoder["sha256"], "licence": encoder["licence"]}
        for one in found
        for encoder in one.assessed.whole.provenance.get("encoders", ())
    }
    for one in found:
        known = {} if one.utility is None else one.utility.provenance
        for kind in ("recogniser", "quality"):
            if kind in known:
                models[known[kind]["name"]] = known[kind]
    for cut in sliced:
        heard = () if cut.identity is None else cut.identity.encoders
        models |= {e["name"]: {"sha256": e["sha256"], "licence": e["licence"]} for e in heard}
        if cut.language_model is not None:
            models["attacker's language model"] = {"sha256": cut.language_model}
    whole: dict[str, Any] = {
        "pseudovoice": __version__,
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "plan": {"title": plan.title, "sha256": plan.sha256, "seed": plan.seed},
        "keys": {
            "ours": None if keys.ours is None else keys.ours.identifier,
            "attacker": None if keys.attacker is None else keys.attacker.identifier,
            "session": plan.key_session,
        },
        "models": models,
        "speech": {
            "original": dict(fingerprints),
            **{
                f"{one.set}, {one.name}": {
                    name: corpus["fingerprint"]
                    for name, corpus in one.assessed.whole.provenance.get("corpora", {}).items()
                    if name != "original"
                }
                for one in found
            },
            **{
                f"{cut.set}, {cut.safeguard.name}": {
                    name: fp for name, fp in cut.fingerprints.items() if name != "original"
                }
                for cut in sliced
            },
        },
        "stages": {
            **{f"{one.set}, {one.name}": list(one.stages) for one in found},
            **{f"{cut.set}, {cut.safeguard.name}": list(cut.stages) for cut in sliced},
        },
        "outputs": {str(path.relative_to(out)): sha256_of(path) for path in outputs},
    }
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
