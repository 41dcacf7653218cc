"""Oracle calibration and all scalars of 1,050,000 scores, against sorting them once.

Run: python benchmarks/calibration_speed.py
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np

from pseudovoice import calibrate, evaluate
from timing import interleaved_seconds, print_ratios, versions

N_MATED, N_NONMATED = 50_000, 1_000_000


def simulate(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Scores of a middling recogniser: two normal classes, EER 16 %."""
    rng = np.random.default_rng(seed)
    return rng.normal(2.0, 1.0, N_MATED), rng.normal(0.0, 1.0, N_NONMATED)


def peak_bytes(job: Callable[[], object]) -> int:
    """The most memory the job held at once, beyond what was there before it."""
    tracemalloc.start()
    result = job()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    del result
    return peak


def main() -> None:
    mated, nonmated = simulate()
    scores = np.concatenate([mated, nonmated])

    def calibrated() -> object:
        """The oracle, the LLR of every score, and every scalar."""
        return calibrate(mated, nonmated)(scores), evaluate(mated, nonmated)

    jobs = {
        "np.argsort": lambda: np.argsort(scores),
        "calibrate + LLRs + all scalars": calibrated,
        "  of which calibrate + LLRs": lambda: calibrate(mated, nonmated)(scores),
        "  of which all scalars (evaluate)": lambda: evaluate(mated, nonmated),
    }
    spent = interleaved_seconds(jobs, rounds=7)
    print_ratios(
        f"{scores.size:,} scores, {mated.size:,} mated ({versions()})",
        spent,
        "np.argsort",
        {"calibrate + LLRs + all scalars": 5.0},
    )
    for name, job in list(jobs.items())[1:]:
        used = peak_bytes(job) / scores.size
        verdict = "met" if used < 48 else "MISSED"
        what = name.strip().removeprefix("of which ")
        print(f"  peak memory of {what}: {used:.1f} bytes per score, target < 48 {verdict}")


if __name__ == "__main__":
    main()
