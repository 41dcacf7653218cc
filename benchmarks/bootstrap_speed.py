"""200 speaker-bootstrap replicates of all scalars, against 200 plain PAV passes.

The golden scores of libri_test_trials_f (11,744 trials, 20 speakers) are read from ../shared;
where that folder is absent, scores of the same shape are simulated and the table says so.

Run: python benchmarks/bootstrap_speed.py
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.optimize import isotonic_regression

from pseudovoice.assessment.replicates import bootstrap, draw_speakers, replicate
from pseudovoice.assessment.tally import tally
from pseudovoice.scores.scoreset import ScoreSet, named_scores
from timing import interleaved_seconds, print_ratios, versions

GOLDEN = Path(__file__).parents[2] / "shared" / "golden" / "libri_test_trials_f"
REPLICATES = 200


def golden_scores(condition: str) -> ScoreSet:
    speaker_of = dict(line.split() for line in (GOLDEN / "utt2spk").read_text().splitlines())
    trials = [line.split() for line in (GOLDEN / "trials").read_text().splitlines()]
    lines = (GOLDEN / f"{condition}.scores").read_text().splitlines()
    names = sorted({t[0] for t in trials} | {speaker_of[t[1]] for t in trials})
    code = {name: k for k, name in enumerate(names)}
    return named_scores(
        np.array([float(line.split()[2]) for line in lines]),
        np.array([code[t[0]] for t in trials], np.int32),
        np.array([code[speaker_of[t[1]]] for t in trials], np.int32),
        tuple(names),
    )


def simulated_scores(gap: float) -> ScoreSet:
    """16 enrolled speakers against 734 segments of 20 speakers, as the golden key has them."""
    rng = np.random.default_rng(0)
    segment = rng.integers(0, 20, 734).astype(np.int32)
    enrol, trial = np.repeat(np.arange(16, dtype=np.int32), 734), np.tile(segment, 16)
    score = rng.normal(0.0, 1.0, enrol.size) + gap * (enrol == trial)
    return named_scores(score, enrol, trial, tuple(f"{k:02d}" for k in range(20)))


def jobs_for(scores: ScoreSet) -> dict[str, Callable[[], object]]:
    labels = scores.mated[np.argsort(scores.score)].astype(np.float64)
    drawn = draw_speakers(np.random.default_rng(0), REPLICATES, len(scores.speakers))
    counted = tally(scores, any_labels=False)

    def passes() -> None:
        for _ in range(REPLICATES):
            isotonic_regression(labels)

    def from_scores() -> object:
        counts = tally(scores, any_labels=False)
        return replicate(counts, bootstrap(counts, drawn))

    square = np.isin(counted.row, counted.column) & np.isin(counted.column, counted.row)
    return {
        "200 PAV passes": passes,
        "200 replicates of all scalars": from_scores,
        "  with D_diag too": lambda: replicate(
            counted, bootstrap(counted, drawn), similarity="geometric", square=square
        ),
        "  with D_diag and every speaker": lambda: replicate(
            counted,
            bootstrap(counted, drawn),
            similarity="geometric",
            square=square,
            per_speaker=True,
        ),
    }


def main() -> None:
    if GOLDEN.is_dir():
        sets = {condition: golden_scores(condition) for condition in ("oo", "op", "pp")}
    else:
        print(f"{GOLDEN} is absent: simulated scores of the same shape are used.")
        sets = {"clear": simulated_scores(3.0), "faint": simulated_scores(0.2)}
    for name, scores in sets.items():
        print_ratios(
            f"{name}: {scores.score.size:,} trials, {scores.mated.sum()} mated ({versions()})",
            interleaved_seconds(jobs_for(scores), rounds=21),
            "200 PAV passes",
            {"200 replicates of all scalars": 3.0},
        )


if __name__ == "__main__":
    main()
