"""What an engine costs: Ray beside threads on the same cores, its driver alone, all pairs on it.

``overhead``: `assess audio` of LibriSpeech dev and the same speech through mcadams, ge2e, nothing
kept from run to run; a Ray of this machine with as many cores as the threads have. Both take turns.

``driver``: a million items with nothing to do, items a second and how much the driver's memory
grows.

``pairs``: all pairs of synthetic embeddings, 256 numbers each, a hundred of a speaker, on Ray: time
and memory for two sizes, what the smaller one foretells of the larger, and both of a million.

Run with Ray installed: .venv-ray/bin/python benchmarks/engines.py overhead CORPUS | driver | pairs
On another cluster than one of this machine: ENGINE=ray:ADDRESS before it.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

import pseudovoice as pv
from pseudovoice.assessment.allpairs import Comparison, count_all_pairs, sort_by_speaker
from pseudovoice.cores import usable_cores
from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.engines import in_parallel, using
from timing import print_ratios, versions

ITEMS = 1_000_000
SIZES = 25_000, 100_000
MILLION = 1_000_000
DIMENSIONS = 256
OF_EACH = 100
ENGINE = os.environ.get("ENGINE", "ray")


def overhead(folder: Path, rounds: int) -> None:
    corpus = read_corpus(folder)
    few = corpus.subset(ids=[u.id for u in corpus][:64])
    with tempfile.TemporaryDirectory() as place:
        protected = pv.protect(corpus, Path(place) / "protected", "mcadams").corpus

        def assess(engine: str | None, part: Corpus) -> None:
            other = protected.subset(ids=[u.id for u in part])
            pv.assess(
                part, other, encoders="ge2e", attackers="ignorant", cut="never",
                replicates=50, permutations=50, cache=False, engine=engine,
            )  # fmt: skip

        spent: dict[str, list[float]] = {"threads": [], "Ray": []}
        # Connected once: a cluster is there before the command is. None: what is chosen.
        with using(ENGINE):
            for engine in ("threads", None):
                assess(engine, few)
            for _ in range(rounds):
                for name, engine in (("threads", "threads"), ("Ray", None)):
                    start = perf_counter()
                    assess(engine, corpus)
                    spent[name].append(perf_counter() - start)
    title = f"assess audio of {len(corpus)} utterances of {corpus.name}, {usable_cores()} cores"
    print_ratios(title, spent, "threads", {"Ray": 1.25})


def memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def driver() -> None:
    with using(ENGINE):
        list(in_parallel(abs, range(1000)))
        before, start = memory(), perf_counter()
        count = sum(1 for _ in in_parallel(abs, range(ITEMS)))
        spent = perf_counter() - start
    print(f"{count:,} empty items: {spent:.1f} s, {count / spent:,.0f} a second")
    print(
        f"the driver's memory: {before:.0f} MB before, {memory() - before:.0f} MB more at its peak"
    )


def embeddings(segments: int) -> Comparison:
    rng = np.random.default_rng(segments)
    speakers = segments // OF_EACH
    voices = rng.standard_normal((speakers, DIMENSIONS), dtype=np.float32)
    vectors = np.repeat(voices, OF_EACH, axis=0)
    vectors += 2.5 * rng.standard_normal(vectors.shape, dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    who = np.repeat(np.arange(speakers), OF_EACH).astype(np.int32)
    sides = sort_by_speaker(vectors, who)
    names = tuple(f"s{k:05d}" for k in range(speakers))
    return Comparison(sides, sides, names, symmetric=True, same_segment=True)


def pairs() -> None:
    spent = {}
    with using(ENGINE):
        count_all_pairs(embeddings(10_000))  # compiles what is compiled, in every worker
        for segments in SIZES:
            comparison = embeddings(segments)
            start = perf_counter()
            count_all_pairs(comparison)
            spent[segments] = perf_counter() - start
            each = spent[segments] / (segments * (segments - 1) / 2)
            print(
                f"{segments:,} segments of {segments // OF_EACH:,}: {spent[segments]:.0f} s, "
                f"{1e9 * each:.1f} ns a pair on {usable_cores()} cores, driver {memory():.0f} MB"
            )
    small, large = SIZES
    foretold = spent[small] * (large / small) ** 2
    print(
        f"from {small:,} the square foretells {foretold:.0f} s for {large:,}: "
        f"{100 * (foretold / spent[large] - 1):+.0f} % off"
    )
    hours = spent[large] * (MILLION / large) ** 2 / 3600
    print(f"{MILLION:,} segments: {hours:.1f} h on {usable_cores()} cores")


if __name__ == "__main__":
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    match sys.argv[1:]:
        case ["overhead", corpus, *rest]:
            overhead(Path(corpus), int(rest[0]) if rest else 3)
        case ["driver"]:
            driver()
        case ["pairs"]:
            pairs()
        case _:
            sys.exit(__doc__)
    print(versions())
