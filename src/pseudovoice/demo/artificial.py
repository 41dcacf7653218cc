"""Three artificial safeguards, as in noe2020 Fig. 1: poor, indistinct and ideal.

Speakers are points in an embedding space and segments scatter around them. A safeguard moves
the speakers: *poor* leaves them where they are, *indistinct* sends everybody to one place,
*ideal* gives each a new place of their own. Nothing here is speech.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pseudovoice.scores.embeddings import score_embeddings
from pseudovoice.scores.scoreset import ScoreSet

SYSTEMS = {
    "poor": "leaves voices as they are",
    "indistinct": "gives everybody the same voice",
    "ideal": "gives everybody a new voice of their own",
}


def simulate(
    system: str,
    *,
    run: int = 1,
    speakers: int = 20,
    segments: int = 8,
    dimensions: int = 64,
    spread: float = 0.55,
    seed: int = 2020,
) -> dict[str, ScoreSet]:
    """Scores of OO, OP and PP for one artificial safeguard.

    ``run`` tells apart independent runs of the safeguard on the same speech; ``spread`` is how
    far segments scatter around their speaker, relative to the distance between speakers.
    """
    speech = np.random.default_rng([seed, 0])
    voices = speech.normal(size=(speakers, dimensions))
    names = [f"speaker{k + 1:02d}" for k in range(speakers) for _ in range(segments)]

    def utter(at: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        scatter = rng.normal(size=(speakers, segments, dimensions))
        # Some people vary more than others: that is what the zoo plot is there to show.
        own = spread * np.exp(rng.normal(0.0, 0.25, (speakers, 1, 1))) * np.sqrt(dimensions) / 4.0
        uttered: NDArray[np.float64] = at[:, None, :] + own * scatter
        return uttered.reshape(speakers * segments, dimensions)

    original = utter(voices, speech)
    rng = np.random.default_rng([seed, run, list(SYSTEMS).index(system) + 1])
    moved = {
        "poor": voices,
        "indistinct": np.broadcast_to(rng.normal(size=dimensions), voices.shape),
        "ideal": rng.normal(size=voices.shape),
    }[system]
    protected = utter(moved, rng)
    return {
        "oo": score_embeddings(original, original, names),
        "op": score_embeddings(original, protected, names),
        "pp": score_embeddings(protected, protected, names),
    }
