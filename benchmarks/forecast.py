"""What a small `compare` costs, stage by stage, beside what `check` foretells of it.

24 utterances of LibriSpeech dev (6 people, about 3 minutes) if nothing else is said, under each
safeguard, two attackers, words, quality and prosody. Processor seconds of one process with one
worker: what else the machine does is not in them. Embeddings go into a cache of the run's own;
weights are fetched before. What rates are worth that were fitted to one run, other people and
another safeguard tell (`--skip 6 --safeguard xvector`).

Run: python benchmarks/forecast.py [--safeguard NAME...] [--skip N] [--people N] [--each N]
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections import defaultdict
from pathlib import Path
from time import process_time
from typing import Any

from pseudovoice.asr.registry import DEFAULT_RECOGNISER, load_recogniser
from pseudovoice.encoders import DEFAULT_ENCODER, load_encoder
from pseudovoice.library.compare import compare
from pseudovoice.models.cache import cache_directory
from pseudovoice.study import dry_run, read_plan
from pseudovoice.study.rates import slowness
from pseudovoice.study.stage import Stage, Walk
from timing import versions

SHARED = Path(__file__).resolve().parents[2] / "shared" / "speech" / "dev"
PEOPLE, EACH, SECONDS = 6, 4, (4.0, 11.0)
OTHERS = "tables, figures and page"
BOUND = 1.5


def corpus(place: Path, skip: int, people: int, each: int, between: list[float]) -> Path:
    """Some people's utterances of some length, in folders of theirs."""
    listed = [line.split("\t") for line in (SHARED / "metadata.tsv").read_text().splitlines()]
    column = {name: k for k, name in enumerate(listed[0])}
    said: dict[str, list[Path]] = defaultdict(list)
    for row in listed[1:]:
        if between[0] <= float(row[column["duration_s"]]) <= between[1]:
            said[row[column["speaker"]]].append(SHARED / row[column["path"]])
    for speaker in [who for who, files in said.items() if len(files) >= each][skip:][:people]:
        (place / speaker).mkdir(parents=True)
        for file in said[speaker][:each]:
            shutil.copy(file, place / speaker)
    return place


class ByStage:
    """Processor seconds of each stage, without those of the stages it needs."""

    def __init__(self) -> None:
        self.spent: dict[str, float] = defaultdict(float)
        self._inner = [0.0]
        self._made = Walk._made

    def walk(self, walk: Walk, stage: Stage) -> Any:
        begun = process_time()
        self._inner.append(0.0)
        made = self._made(walk, stage)
        whole = process_time() - begun
        own = whole - self._inner.pop()
        self.spent[stage.work.title] += own
        print(f"  … {stage.work.title}: {own:.1f} s", flush=True)
        self._inner[-1] += whole
        return made


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--safeguard", nargs="*", default=["mcadams", "persona"])
    options.add_argument("--skip", type=int, default=0, help="people that are left out")
    options.add_argument("--people", type=int, default=PEOPLE)
    options.add_argument("--each", type=int, default=EACH, help="utterances of each")
    options.add_argument("--seconds", type=float, nargs=2, default=SECONDS, help="of utterances")
    asked = options.parse_args()
    safeguards = asked.safeguard
    if not SHARED.is_dir():
        print(f"skipped: there is no speech in {SHARED}")
        return
    load_encoder(DEFAULT_ENCODER)
    load_recogniser(DEFAULT_RECOGNISER)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        speech = corpus(place / "speech", asked.skip, asked.people, asked.each, asked.seconds)
        out = place / "study"
        (place / "cache").mkdir()
        (place / "cache" / "models").symlink_to(cache_directory() / "models")
        os.environ["PSEUDOVOICE_CACHE"] = str(place / "cache")
        stages = ByStage()
        Walk._made = lambda walk, stage: stages.walk(walk, stage)  # type: ignore[method-assign]
        begun = process_time()
        compare(speech, safeguards, out=out, workers=1, replicates=400, permutations=400)
        whole = process_time() - begun
        plan = read_plan(out / "plan.yaml")
        foretold = dry_run(plan, place / "not there", workers=1)
    print(f"{' and '.join(safeguards)} ({versions()}; this machine {slowness():.2f}×)")
    print(*foretold.sets, sep="\n")
    print(f"  {'':50} {'processor':>9} {'foretold':>9} {'ratio':>6}")
    said: dict[str, float] = defaultdict(float)
    for step in foretold.steps:
        said[step.what] += step.seconds
    for what, seconds in said.items():
        line(what, stages.spent.get(what, 0.0), seconds)
    line(OTHERS, whole - sum(stages.spent.values()), 0.0)
    line("all", whole, foretold.seconds)
    ratio = max(foretold.seconds / whole, whole / foretold.seconds)
    print(
        f"  off by a factor of {ratio:.2f}, target {BOUND} {'met' if ratio <= BOUND else 'MISSED'}"
    )


def line(what: str, spent: float, foretold: float) -> None:
    ratio = f"{foretold / spent:5.2f}×" if spent > 0 else ""
    print(f"  {what[:50]:50} {spent:7.1f} s {foretold:7.1f} s {ratio:>6}", flush=True)


if __name__ == "__main__":
    main()
