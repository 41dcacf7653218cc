"""How well an encoder tells apart speakers it was not trained on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from pseudovoice.assessment.assess import assess_scores
from pseudovoice.encoders.batching import LONGEST_SECONDS
from pseudovoice.scores.embeddings import unit_length
from pseudovoice.scores.scoreset import ScoreSet, named_scores
from pseudovoice.signal.frames import Float32
from pseudovoice.training.features import TrainingRecording
from pseudovoice.training.outcome import ErrorRate

_LONGEST = int(100 * LONGEST_SECONDS)
_REPLICATES = 500


def held_out_scores(
    recordings: Sequence[TrainingRecording], vectors: NDArray[np.float32]
) -> ScoreSet:
    """Cosines of all pairs of segments, of speakers of one gender where both are known.

    Across genders every recogniser is good; leaving those pairs out keeps the figure honest.
    """
    speakers = tuple(sorted({recording.speaker for recording in recordings}))
    code = np.array([speakers.index(recording.speaker) for recording in recordings], np.int32)
    unit = unit_length(vectors)
    first, second = np.triu_indices(len(recordings), 1)
    genders = np.array([recording.gender or "" for recording in recordings])
    apart = (genders[first] != genders[second]) & (genders[first] != "") & (genders[second] != "")
    if (code[first] != code[second])[~apart].any():
        first, second = first[~apart], second[~apart]
    score = np.einsum("ij,ij->i", unit[first], unit[second]).astype(np.float64)
    a, b = code[first], code[second]
    return named_scores(
        score,
        np.minimum(a, b),
        np.maximum(a, b),
        speakers,
        method="exhaustive",
        pairing="upper",
    )


def embed_held_out(
    recordings: Sequence[TrainingRecording], network: Callable[[Float32], Float32]
) -> NDArray[np.float32]:
    """The embedding of each whole recording (its first minute), as the encoder will make it."""
    rows = []
    for recording in recordings:
        features = np.asarray(recording.features()[:_LONGEST], np.float32)
        rows.append(network((features - features.mean(axis=0))[None])[0])
    return np.stack(rows)


def error_rate(scores: ScoreSet) -> ErrorRate:
    """The EER with its interval over speakers."""
    assessment = assess_scores({"oo": scores}, replicates=_REPLICATES, permutations=0)
    row = assessment.row("oo", "eer")
    low, high = (None if bound is None else float(bound) for bound in (row.low, row.high))
    return ErrorRate(float(row.value), low, high, row.n_mated, row.n_nonmated)
