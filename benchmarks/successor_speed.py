"""All pairs of 15,000 slices ranked by their words: time and memory.

Run: python benchmarks/successor_speed.py
"""

from __future__ import annotations

import random
import resource
from pathlib import Path
from time import perf_counter

import numpy as np

from pseudovoice.cores import usable_cores
from pseudovoice.reassembly import measure, rank_by_text, succession, tokens, train
from pseudovoice.slicing import Origin
from timing import versions

TEXT = Path(__file__).resolve().parents[2] / "shared" / "text" / "common_voice_sentences.txt"
SLICES, WORDS = 15_000, 3
SECONDS, MEGABYTES = 30.0, 1000.0


def sentences() -> list[str]:
    if TEXT.is_file():
        print("text: Common Voice sentences")
        lines = TEXT.read_text(encoding="utf-8").splitlines()
        random.Random(0).shuffle(lines)
        return lines
    print("text: words drawn by Zipf's law")
    rng = np.random.default_rng(0)
    return [" ".join(f"w{k}" for k in rng.zipf(1.3, 10) % 30_000) for _ in range(40_000)]


def main() -> None:
    lines = sentences()
    origins: list[Origin] = []
    while len(origins) < SLICES:
        words = lines.pop().split()
        for position, k in enumerate(range(0, len(words) - WORDS + 1, WORDS)):
            name = str(len(origins))
            text = " ".join(words[k : k + WORDS])
            origins.append(Origin(name, str(len(lines)), position, 0, 1, "s", "", text))
    origins = origins[:SLICES]
    begin = perf_counter()
    model = train(map(tokens, lines))
    print(f"language model of {len(model.words):,} words: {perf_counter() - begin:.1f} s")
    truth, texts = succession(origins), [origin.text for origin in origins]
    rank_by_text(texts[:50], succession(origins[:50]), model)  # compiles, if that is not cached
    begin = perf_counter()
    ranks = rank_by_text(texts, truth, model, score="ratio")
    spent = perf_counter() - begin
    found = measure(ranks)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(f"{SLICES:,} slices, {SLICES**2 / 1e6:.0f} million pairs ({versions()})")
    print(f"  ranked in {spent:.2f} s on {usable_cores()} cores, at most {most:.0f} MB in all")
    print(f"  average rank {100 * float(found.average.value):.2f} %")
    met = spent < SECONDS and most < MEGABYTES
    print(f"  target {SECONDS:g} s and {MEGABYTES:g} MB: {'met' if met else 'MISSED'}")


if __name__ == "__main__":
    main()
