"""Small score sets of made-up speakers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pseudovoice.scores.scoreset import ScoreSet, named_scores


def simulate(
    seed: int,
    *,
    speakers: int = 6,
    trials: int = 4,
    gap: float = 1.5,
    spread: float = 1.0,
    decimals: int = 1,
    keep: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
) -> ScoreSet:
    """``trials`` scores for each pair of speakers, rounded so that ties abound.

    ``keep`` picks trials by their enrolment and trial speaker.
    """
    rng = np.random.default_rng(seed)
    pairs = np.indices((speakers, speakers)).reshape(2, -1)
    enrol, trial = np.repeat(pairs, trials, axis=1).astype(np.int32)
    score = spread * (rng.normal(size=enrol.size) + gap * (enrol == trial))
    score = np.round(score, decimals)
    if keep is not None:
        kept = keep(enrol, trial)
        enrol, trial, score = enrol[kept], trial[kept], score[kept]
    return named_scores(score, enrol, trial, tuple(f"s{k:02d}" for k in range(speakers)))
