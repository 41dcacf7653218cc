"""All pairs of 20,000 embeddings of 400 speakers, counted and assessed, against bare products.

The reference is the float32 matrix products that both passes of all three conditions need, in
blocks, on all cores. The job is counting and the full assessment with 200 replicates and 200
permutations. Memory is the peak of the whole process.

Run: python benchmarks/allpairs_speed.py [SEGMENTS SPEAKERS]
"""

from __future__ import annotations

import resource
import sys
from time import perf_counter

import numpy as np

from pseudovoice import assess_scores
from pseudovoice.recognition.compare import Side, compare_all
from pseudovoice.scores.embeddings import unit_length
from timing import versions

DIMENSIONS = 256


def simulate(segments: int, speakers: int) -> tuple[Side, Side]:
    rng = np.random.default_rng(0)
    who = rng.permutation(np.arange(segments) % speakers)
    voices, pseudo = rng.normal(size=(2, speakers, DIMENSIONS))
    original = voices[who] + 2.5 * rng.normal(size=(segments, DIMENSIONS))
    protected = 0.3 * voices[who] + pseudo[who] + 2.5 * rng.normal(size=(segments, DIMENSIONS))
    names, ids = [f"s{k:04d}" for k in who], [f"u{k}" for k in range(segments)]
    return (
        Side(original.astype(np.float32), names, ids),
        Side(protected.astype(np.float32), names, ids),
    )


def main() -> None:
    segments, speakers = (int(word) for word in (sys.argv[1:] or ("20000", "400")))
    o, p = simulate(segments, speakers)
    a, b = (unit_length(side.vectors).astype(np.float32) for side in (o, p))
    bare, job = [], []
    for _ in range(2):
        start = perf_counter()
        for _ in range(2):
            for rows, columns in ((a, a), (a, b), (b, b)):
                for k in range(0, segments, 1000):
                    _ = rows[k : k + 1000] @ columns.T
        bare.append(perf_counter() - start)
        start = perf_counter()
        sets = {
            name: compare_all(rows, columns, most_exact=0)
            for name, rows, columns in (("oo", o, o), ("op", o, p), ("pp", p, p))
        }
        counted = perf_counter() - start
        assess_scores(sets, replicates=200, permutations=200)
        job.append(perf_counter() - start)
        print(f"  bare {bare[-1]:.1f} s, counted {counted:.1f} s, assessed {job[-1]:.1f} s in all")
    ratio, peak = min(job) / min(bare), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"all pairs of {segments:,} segments of {speakers} speakers ({versions()})")
    print(f"  counting and assessing / bare products  {ratio:.2f}×  target 2.5×")
    print(f"  peak memory                             {peak:.2f} GB  target 1.5 GB")
    each = min(job) / segments**2
    for n in (100_000, 1_000_000):
        print(f"  {n:,} segments of as many speakers would take {each * n * n / 3600:.1f} h")


if __name__ == "__main__":
    main()
