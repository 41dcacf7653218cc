"""How often do the intervals hold the truth? Percentile against basic bootstrap intervals.

Made-up recognisers score 20 speakers, 20 trials per pair; every speaker and every pair of
speakers has an effect of its own, so trials are dependent as real ones are. The truth is taken
from 500 speakers (or known, where there is no evidence at all). For each scalar the table
gives the share of 95 % intervals that hold the truth, and their mean width.

Run: python benchmarks/interval_coverage.py [number of simulated tests]
"""

from __future__ import annotations

import sys

import numpy as np

from pseudovoice.assessment.estimate import estimate
from pseudovoice.assessment.metrics import METRICS
from pseudovoice.assessment.replicates import Weights, bootstrap, draw_speakers, once, replicate
from pseudovoice.assessment.tally import Tally, tally
from pseudovoice.scores.scoreset import ScoreSet, named_scores

SPEAKERS, TRIALS, REPLICATES = 20, 20, 200
GAPS = {"clear": 3.0, "faint": 1.0, "none": 0.0}
"""How far mated scores lie above others, in standard deviations of a score."""

SCALARS = ("eer", "cllr_min", "d_ece", "d_sys", "d_diag", "d_diag_log")
"""Without l_w, which grows with the number of trials: it has no truth beyond the test at hand."""


def simulate(rng: np.random.Generator, speakers: int, gap: float, trials: int) -> ScoreSet:
    voice, own = rng.normal(0, 0.7, speakers), rng.normal(gap, 0.6 * min(gap, 1.0), speakers)
    i, j = np.indices((speakers, speakers))
    pair = (voice[:, None] + voice) / 2 + rng.normal(0, 0.5, i.shape)
    pair += np.where(i == j, own[:, None], 0.0)
    score = np.repeat(pair.ravel(), trials) + rng.normal(0, 1, i.size * trials)
    enrol, trial = (np.repeat(side.ravel(), trials).astype(np.int32) for side in (i, j))
    return named_scores(score, enrol, trial, tuple(f"{k:03d}" for k in range(speakers)))


def scalars(counts: Tally, weights: Weights) -> dict[str, np.ndarray]:
    inside = np.ones(counts.row.size, bool)
    return replicate(counts, weights, similarity="geometric", square=inside).scalars


def truth_of(rng: np.random.Generator, gap: float) -> dict[str, float]:
    if gap == 0.0:
        return {m: {"eer": 0.5, "cllr_min": 1.0}.get(m, 0.0) for m in SCALARS}
    runs = []
    for _ in range(2):
        counts = tally(simulate(rng, 500, gap, 2), any_labels=False)
        runs.append(scalars(counts, once(counts)))
    return {m: float(np.mean([run[m][0] for run in runs])) for m in SCALARS}


def intervals(metric: str, value: float, draws: np.ndarray) -> dict[str, tuple[float, float]]:
    """The interval the package reports, and the percentile one clipped in the same way."""
    basic = estimate(metric, value, draws)
    low, high = np.nanquantile(draws, [0.025, 0.975])
    info = METRICS[metric]
    return {
        "percentile": (min(max(low, info.low), value), max(min(high, info.high), value)),
        "basic": (float(basic.low), float(basic.high)),
    }


def main(tests: int) -> None:
    for name, gap in GAPS.items():
        rng = np.random.default_rng(1)
        truth = truth_of(rng, gap)
        held = {m: {"percentile": [], "basic": []} for m in truth}
        width = {m: [] for m in truth}
        estimates = {m: [] for m in truth}
        for _ in range(tests):
            counts = tally(simulate(rng, SPEAKERS, gap, TRIALS), any_labels=False)
            point = scalars(counts, once(counts))
            draws = scalars(counts, bootstrap(counts, draw_speakers(rng, REPLICATES, SPEAKERS)))
            for m, target in truth.items():
                value = float(point[m][0])
                estimates[m].append(value)
                for kind, (low, high) in intervals(m, value, draws[m]).items():
                    held[m][kind].append(low - 1e-12 <= target <= high + 1e-12)
                width[m].append(np.ptp(intervals(m, value, draws[m])["basic"]))
        print(f"evidence: {name} (gap {gap:g}), {tests} tests of {SPEAKERS} speakers")
        print(f"  {'metric':<11}{'truth':>9}{'mean':>9}{'percentile':>12}{'basic':>8}{'width':>9}")
        for m, target in truth.items():
            rates = (f"{100 * np.mean(held[m][kind]):.0f} %" for kind in ("percentile", "basic"))
            print(
                f"  {m:<11}{target:9.4f}{np.mean(estimates[m]):9.4f}{{:>12}}{{:>8}}".format(*rates)
                + f"{np.mean(width[m]):9.4f}"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 120)
