"""A small study on real speech: six people, the shortest recordings of each, one recogniser."""

from __future__ import annotations

import csv
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from studies import AWKWARD, FORMULA, Ready, fresh_cache

from pseudovoice.keys import Key, write_key
from pseudovoice.models.cache import cache_directory
from pseudovoice.study import Plan, SafeguardPlan, SetPlan, UtilityPlan, run_plan

TAKES = 3
LONGEST = 5.0


def choose(metadata: Path) -> list[dict[str, str]]:
    """Three women and three men, three recordings of at most five seconds each."""
    with metadata.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    by_speaker: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in rows:
        if 2.5 <= float(row["duration_s"]) <= LONGEST:
            by_speaker.setdefault((row["gender"], row["speaker"]), []).append(row)
    chosen: list[dict[str, str]] = []
    for gender in "FM":
        people = [s for (g, s), mine in by_speaker.items() if g == gender and len(mine) >= TAKES]
        for speaker in people[:3]:
            chosen += by_speaker[(gender, speaker)][:TAKES]
    return chosen


@pytest.fixture(scope="session")
def speech(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corpus as speaker folders; two people have names made to do harm."""
    source = shared / "speech" / "dev"
    if not (source / "metadata.tsv").is_file():
        pytest.skip(f"there is no speech: {source / 'metadata.tsv'} is missing")
    root = tmp_path_factory.mktemp("speech") / "six"
    rows = choose(source / "metadata.tsv")
    names = list(dict.fromkeys(row["speaker"] for row in rows))
    called = dict(zip(names, [AWKWARD, FORMULA, *names[2:]], strict=True))
    lines = ["utt\tspeaker\tgender"]
    for row in rows:
        folder = root / called[row["speaker"]]
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / row["path"], folder)
        lines.append(f"{row['utt_id']}\t{called[row['speaker']]}\t{row['gender'].lower()}")
    (root / "metadata.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return root


@pytest.fixture(scope="session")
def weights() -> Path:
    """The user's cache; these tests fetch nothing."""
    cache = cache_directory()
    if not list((cache / "models").glob("ge2e-*")):
        pytest.skip("the weights are not here: pseudovoice models fetch ge2e")
    return cache


@pytest.fixture(scope="session")
def key_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("key") / "study.key"
    write_key(Key(bytes(range(32))), path)
    return path


@pytest.fixture(scope="session")
def plan(speech: Path, key_file: Path) -> Plan:
    return Plan(
        title="Six people",
        sets=(SetPlan("six", (speech,)),),
        safeguards=(
            SafeguardPlan("B2", "mcadams:alpha=0.8"),
            SafeguardPlan("B2r", "mcadams-random"),
        ),
        encoders=("ge2e",),
        utility=UtilityPlan(("prosody",), 1),
        replicates=40,
        permutations=40,
        key_file=key_file,
        figures=False,  # drawn in test_hostile_names.py only: drawing takes longer than the study
    )


@pytest.fixture(scope="session")
def ready(
    plan: Plan, speech: Path, weights: Path, tmp_path_factory: pytest.TempPathFactory
) -> Ready:
    """The study run once, with one recording that is broken."""
    folder = tmp_path_factory.mktemp("study")
    cache = fresh_cache(weights, folder / "cache")
    corpus = folder / "six"
    shutil.copytree(speech, corpus)
    broken = next(iter(sorted(corpus.rglob("*.flac"))))
    broken.write_bytes(broken.read_bytes()[:40])
    plan = replace(plan, sets=(SetPlan("six", (corpus,)),))
    before = os.environ.get("PSEUDOVOICE_CACHE")
    os.environ["PSEUDOVOICE_CACHE"] = str(cache)
    try:
        outcome = run_plan(plan, folder / "out", workers=1)
    finally:
        if before is None:
            del os.environ["PSEUDOVOICE_CACHE"]
        else:
            os.environ["PSEUDOVOICE_CACHE"] = before
    return Ready(plan, folder / "out", cache, broken, outcome)
