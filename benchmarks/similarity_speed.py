"""Similarity matrices of 3,000 × 3,000 segments of 100 speakers, against one log-sigmoid pass.

Two jobs are timed: `similarity_matrix` on LLRs that are given, and the whole way from raw
scores, which sorts and calibrates nine million of them first.

Run: python benchmarks/similarity_speed.py
"""

from __future__ import annotations

import numpy as np
from scipy.special import log_expit

from pseudovoice import similarity_matrix
from pseudovoice.assessment.condition import Condition
from pseudovoice.scores.scoreset import named_scores
from timing import interleaved_seconds, print_ratios, versions

SEGMENTS, SPEAKERS = 3_000, 100


def main() -> None:
    rng = np.random.default_rng(0)
    speaker = np.repeat(np.arange(SPEAKERS, dtype=np.int32), SEGMENTS // SPEAKERS)
    mixed = rng.permutation(speaker)
    llr = rng.normal(0.0, 2.0, (SEGMENTS, SEGMENTS)) - 2.0
    llr += 5.0 * (speaker[:, None] == speaker)
    off = ~np.eye(SEGMENTS, dtype=bool)
    scores = named_scores(
        llr[off],
        np.broadcast_to(speaker[:, None], llr.shape)[off],
        np.broadcast_to(speaker, llr.shape)[off],
        tuple(f"{k:03d}" for k in range(SPEAKERS)),
        method="exhaustive",
    )
    spent = interleaved_seconds(
        {
            "log_expit": lambda: log_expit(llr),
            "similarity_matrix, geometric": lambda: similarity_matrix(llr, speaker, speaker),
            "similarity_matrix, segments in any order": lambda: similarity_matrix(
                llr, mixed, mixed
            ),
            "similarity_matrix, arithmetic": lambda: similarity_matrix(
                llr, speaker, speaker, similarity="arithmetic"
            ),
            "from raw scores (Condition.matrix)": lambda: (
                Condition("oo", scores, "geometric", None).matrix
            ),
        },
        rounds=5,
    )
    print_ratios(
        f"{SEGMENTS:,} × {SEGMENTS:,} segments, {SPEAKERS} speakers ({versions()})",
        spent,
        "log_expit",
        {name: 3.0 for name in spent if name.startswith("similarity_matrix")},
    )


if __name__ == "__main__":
    main()
