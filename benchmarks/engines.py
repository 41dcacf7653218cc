"""What an engine costs: Ray beside threads on the same cores, its driver alone, all pairs on it.

``overhead``: `assess audio` of LibriSpeech dev and the same speech through mcadams, ge2e, nothing
kept from run to run; a Ray of this machine with as many cores as the threads have. Both take turns.

``driver``: a million items with nothing to do, items a second and how much the driver's memory
grows.

``pairs``: all pairs of synthetic embeddings, 256 numbers each, a hundred of a speaker, on Ray: time
and memory for two sizes, what the smaller one foretells of the larger, and both of a million.

``beside``: what stays on the driver beside the counting of one condition: bootstrap, permutations
and speakers' figures of more and more speakers, whose cost has nothing to do with their segments,
and the training of PLDA; processor time and memory. Needs no Ray.

``people``: all pairs of very many speakers (10,000 unless another number is named), a few segments
of each, from vectors to the table of one condition: processor time, memory of its own and the
files beside it, step by step. Needs no Ray; ENGINE=threads leaves it out.

Run with Ray installed:
.venv-ray/bin/python benchmarks/engines.py overhead CORPUS | driver | pairs | beside | people [N]
On another cluster than one of this machine: ENGINE=ray:ADDRESS before it.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
from pathlib import Path
from threading import Event, Thread
from time import perf_counter, process_time

import numpy as np
from numpy.typing import NDArray

import pseudovoice as pv
from pseudovoice.assessment.allpairs import Comparison, count_all_pairs, sort_by_speaker
from pseudovoice.backends import train_plda
from pseudovoice.cores import usable_cores
from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.engines import in_parallel, using
from timing import print_ratios, versions

Singles, Codes = NDArray[np.float32], NDArray[np.int32]
ITEMS = 1_000_000
SIZES = 25_000, 100_000
MILLION = 1_000_000
DIMENSIONS = 256
OF_EACH = 100
ENGINE = os.environ.get("ENGINE", "ray")
SPEAKERS = 500, 1_000, 2_000
TRAINED_ON = 10_000, 100_000


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


def voices(speakers: int, of_each: int) -> tuple[Singles, Codes]:
    """Vectors of one length, speaker after speaker, and whose they are."""
    rng = np.random.default_rng(speakers * of_each)
    vectors = np.repeat(
        rng.standard_normal((speakers, DIMENSIONS), dtype=np.float32), of_each, axis=0
    )
    vectors += 2.5 * rng.standard_normal(vectors.shape, dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors, np.repeat(np.arange(speakers), of_each).astype(np.int32)


def embeddings(segments: int, of_each: int = OF_EACH) -> Comparison:
    speakers = segments // of_each
    sides = sort_by_speaker(*voices(speakers, of_each))
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


def beside(of_each: int = 20) -> None:
    for speakers in SPEAKERS:
        start = process_time()
        counted = count_all_pairs(embeddings(speakers * of_each, of_each))
        counting = process_time() - start
        start = process_time()
        pv.assess_scores({"pp": counted}, replicates=200, permutations=200)
        spent = process_time() - start
        pairs = speakers**2
        print(
            f"{speakers:,} speakers: {counted.cells.shape[2]} rungs, "
            f"{counted.cells.nbytes / pairs:.0f} bytes of counts a pair, "
            f"counting {counting:.0f} s of {speakers * of_each:,} segments, "
            f"200 replicates and permutations {spent:.0f} s, "
            f"{1e6 * spent / pairs:.1f} µs a pair of speakers, peak {memory():.0f} MB"
        )
        del counted
    for segments in TRAINED_ON:
        vectors, who = voices(segments // OF_EACH, OF_EACH)
        start = process_time()
        train_plda(vectors, [f"s{k}" for k in who])
        print(f"PLDA of {segments:,} segments: {process_time() - start:.1f} s")


def own_memory() -> float:
    """MB of this program's own: what the system keeps of its files it gives back when asked."""
    with Path("/proc/self/status").open() as told:
        return next(int(line.split()[1]) for line in told if line.startswith("RssAnon")) / 1024


class Peak:
    """The most memory of one's own during a block, looked at ten times a second."""

    def __enter__(self) -> Peak:
        self.most, self._done = own_memory(), Event()
        self._thread = Thread(target=self._watch)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._done.wait(0.1):
            self.most = max(self.most, own_memory())

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()


def people(speakers: int, of_each: int = 3, replicates: int = 20) -> None:
    comparison = embeddings(speakers * of_each, of_each)
    print(f"{speakers:,} speakers, {of_each} segments of each: {own_memory():,.0f} MB of its own")
    with using(ENGINE), Peak() as peak:
        start = process_time()
        counted = count_all_pairs(comparison)
        tables = [counted.cells, counted.terms, counted.llr, counted.gain, counted.strongest]
        print(
            f"counted: {process_time() - start:.0f} s of this process, {peak.most:,.0f} MB at its "
            f"peak, {sum(table.nbytes for table in tables) / 1e9:.1f} GB of tables, "
            f"{counted.cells.shape[2]} rungs, {counted.cells.dtype}",
            flush=True,
        )
    with using(ENGINE), Peak() as peak:
        start = process_time()
        found = pv.assess_scores({"pp": counted}, replicates=replicates, permutations=replicates)
        print(
            f"{len(found.rows)} rows, {replicates} replicates and permutations: "
            f"{process_time() - start:.0f} s of this process, {peak.most:,.0f} MB at its peak"
        )


if __name__ == "__main__":
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    match sys.argv[1:]:
        case ["overhead", corpus, *rest]:
            overhead(Path(corpus), int(rest[0]) if rest else 3)
        case ["driver"]:
            driver()
        case ["pairs"]:
            pairs()
        case ["beside"]:
            beside()
        case ["people", *rest]:
            people(int(rest[0]) if rest else 10_000)
        case _:
            sys.exit(__doc__)
    print(versions())
