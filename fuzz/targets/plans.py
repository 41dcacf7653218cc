"""Plans: a study's YAML, the names of safeguards, and what a page asks the server to run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from fuzz.target import DEEP, Target
from pseudovoice.safeguards import parse_chain
from pseudovoice.serve.plan import RunRequest as Asked
from pseudovoice.serve.readable import ReadableFolders
from pseudovoice.study.plan_file import read_plan
from pseudovoice.study.plan_text import plan_yaml
from pseudovoice.study.shipped import find_plan, shipped_plans

_PLAN = b"""title: A small study
note: nothing of note
paths: {data: /speech}
sets:
  dev: ${data}/dev
  test: {corpus: [a, b], layout: folder, only: "*_mic2", enrols: e, trials: t}
safeguards:
  - mcadams
  - {name: ours, safeguard: "mcadams:alpha=0.7"}
attackers: [ignorant, semi]
attacker_training: &other other
comparison: {backend: plda, training: *other, as_norm: true}
utility: {measures: [words], utterances: all}
seed: 7
key_session: "2024"
"""


def _plan(folder: Path, data: bytes) -> None:
    path = folder / "plan.yaml"
    path.write_bytes(data)
    plan = read_plan(path)
    (folder / "again.yaml").write_text(plan_yaml(plan), encoding="utf-8")
    again = read_plan(folder / "again.yaml")
    # Where the key lies is left out, since the text may be handed on.
    assert again == replace(plan, key_file=None), f"{again} was read from what {plan} wrote"


def _plan_seeds(folder: Path) -> Sequence[bytes]:
    (folder / "plan.yaml").write_bytes(_PLAN)
    written = plan_yaml(read_plan(folder / "plan.yaml")).encode()
    return [_PLAN, written, *(find_plan(name).read_bytes() for name in shipped_plans())]


def _chain(folder: Path, data: bytes) -> None:
    del folder
    chain = parse_chain(data.decode("utf-8", "surrogateescape"))
    json.dumps(chain.to_dict(), allow_nan=False)


def _asked(folder: Path, data: bytes) -> None:
    for name in ("original", "protected"):
        (folder / name).mkdir()
    readable = ReadableFolders.at(folder, [folder])
    try:
        said = json.loads(data)
    except (ValueError, RecursionError):
        return  # refused before a plan is made of it
    plan = Asked.read(said, lambda wish: readable.chosen(str(wish)))
    again = Asked.read(json.loads(plan.to_json()), lambda wish: readable.chosen(str(wish)))
    assert again == plan


_ASKED = json.dumps(
    {
        "original": "original",
        "protected": "protected",
        "title": "A report",
        "encoders": ["ecapa"],
        "replicates": 10,
        "clips": False,
    }
).encode()

TARGETS = (
    Target(
        "plan",
        _plan,
        _plan_seeds,
        (
            *(b"sets:", b"safeguards:", b"utility:", b"comparison:", b"slices:", b"encoders:"),
            *(b"attackers:", b"${data}", b"&a ", b"*a", b"<<: ", b"!!python/object", b"!!binary "),
            *(b"? ", b"- ", b"{", b"[", b"null", b"1e400", b".nan", b"2020-01-01", b"~", b"\\0"),
        ),
        smoke=60,
    ),
    Target(
        "safeguard-names",
        _chain,
        lambda _: [b"mcadams-random:low=0.7,level=session+persona:strength=1.2", b"mcadams+slice"],
        (
            b"mcadams",
            b"persona",
            b"slice",
            b"duration=1.0",
            b":",
            b"=",
            b"+",
            b",",
            b"nan",
            b"1e999",
        ),
        smoke=60,
    ),
    Target("asked", _asked, lambda _: [_ASKED, DEEP], (b'"', b"[", b"{", b"..", b"~", b"\\u0000")),
)
