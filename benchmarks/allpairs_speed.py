"""All pairs of 20,000 embeddings of 400 speakers, counted and assessed, against bare products.

The reference is the float32 matrix products that both passes of all three conditions need, in
large blocks on all cores, into memory that is there already. OO and PP compare a set with itself;
like the counting, the reference multiplies one half of them only. The job is counting and the
full assessment with 200 replicates and 200 permutations. Both take turns, and the median over the
rounds counts; before the clock starts a small run compiles what is compiled. Memory is the peak of
the whole process.

With ``rate`` a part of one condition of 100,000 segments is counted, a few speakers' rows against
all columns: the time of larger sets follows from it.

Run: python benchmarks/allpairs_speed.py [SEGMENTS SPEAKERS] | rate
"""

from __future__ import annotations

import resource
import sys
from time import perf_counter, process_time

import numpy as np

from pseudovoice import Assessment, assess_scores
from pseudovoice.backends.compare import compare_all
from pseudovoice.cores import usable_cores
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.embeddings import unit_length
from timing import versions

DIMENSIONS = 256
BLOCK = 1000
ROUNDS = 5


def simulate(segments: int, speakers: int) -> tuple[Embeddings, Embeddings]:
    rng = np.random.default_rng(0)
    who = rng.permutation(np.arange(segments) % speakers)
    voices, pseudo = rng.normal(size=(2, speakers, DIMENSIONS)).astype(np.float32)
    noise = 2.5 * rng.standard_normal(size=(2, segments, DIMENSIONS), dtype=np.float32)
    names, ids = [f"s{k:04d}" for k in who], [f"u{k}" for k in range(segments)]
    return (
        Embeddings(voices[who] + noise[0], tuple(ids), tuple(names)),
        Embeddings(
            np.float32(0.3) * voices[who] + pseudo[who] + noise[1], tuple(ids), tuple(names)
        ),
    )


def bare_products(o: Embeddings, p: Embeddings) -> None:
    a, b = (unit_length(side.vectors).astype(np.float32) for side in (o, p))
    out = np.empty(BLOCK * len(a), np.float32)
    for _ in range(2):
        for rows, columns in ((a, a), (a, b), (b, b)):
            for k in range(0, len(rows), BLOCK):
                left, right = rows[k : k + BLOCK], columns[k if rows is columns else 0 :]
                shape = len(left), len(right)
                np.matmul(left, right.T, out=out[: shape[0] * shape[1]].reshape(shape))


def count(o: Embeddings, p: Embeddings) -> dict[str, BinnedScores]:
    return {
        name: compare_all(rows, columns, most_exact=0)
        for name, rows, columns in (("oo", o, o), ("op", o, p), ("pp", p, p))
    }


def assess(sets: dict[str, BinnedScores]) -> Assessment:
    return assess_scores(sets, replicates=200, permutations=200)


def peak() -> float:
    """Largest memory of this process so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20


def whole(segments: int, speakers: int) -> None:
    o, p = simulate(segments, speakers)
    walls, cores = [], []
    for _ in range(ROUNDS):
        times = [(perf_counter(), process_time())]
        bare_products(o, p)
        times.append((perf_counter(), process_time()))
        sets = count(o, p)
        times.append((perf_counter(), process_time()))
        assess(sets)
        times.append((perf_counter(), process_time()))
        del sets
        wall, core = np.diff(np.array(times), axis=0).T
        walls.append(wall)
        cores.append(core)
        print("  bare {:.1f} s, counting {:.1f} s, assessment {:.1f} s".format(*wall), end="")
        print("; processor {:.1f}, {:.1f}, {:.1f} s".format(*core))
    print(f"all pairs of {segments:,} segments of {speakers} speakers ({versions()})")
    for word, spent in (("", np.array(walls)), (", processor time", np.array(cores))):
        counting, assessing = (spent[:, 1:].cumsum(axis=1) / spent[:, :1]).T
        print(f"  counting{word}: {np.median(counting):.2f}× the bare products")
        print(f"  counting and assessing{word}: {np.median(assessing):.2f}×  target 2.5×")
    print(f"  peak memory: {peak():.2f} GB  target 1.5 GB")


def rate(segments: int = 100_000, speakers: int = 400, enrolled: int = 40) -> None:
    o, p = simulate(segments, speakers)
    few = o.take([k for k, name in enumerate(o.speakers) if int(name[1:]) < enrolled])
    wall, core = perf_counter(), process_time()
    compare_all(few, p, most_exact=0)
    trials = len(few.ids) * segments
    wall, core = (perf_counter() - wall) / trials, (process_time() - core) / trials
    print(f"{len(few.ids):,} × {segments:,} segments of {speakers} speakers ({versions()})")
    print(f"  {1e9 * wall:.1f} ns a trial, {1e9 * core:.1f} ns of processor; {peak():.2f} GB")
    for n in (100_000, 1_000_000):
        # OO and PP need half of their products; the assessment does not grow with the segments.
        free, now = (2 * n * n * each / 60 for each in (core / usable_cores(), wall))
        print(
            f"  three conditions of {n:,} segments would take {free:,.0f} min on as many ", end=""
        )
        print(f"free cores, {now:,.0f} min as this run went")


def main() -> None:
    assess(count(*simulate(400, 20)))
    if sys.argv[1:] == ["rate"]:
        rate()
    else:
        segments, speakers = (int(word) for word in (sys.argv[1:] or ("20000", "400")))
        whole(segments, speakers)


if __name__ == "__main__":
    main()
