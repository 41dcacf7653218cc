"""Ranks from a whole matrix of scores, for attacks that look at some thousand slices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pseudovoice.reassembly.ranking import Ranks
from pseudovoice.reassembly.succession import Succession

Float64 = NDArray[np.float64]


def rank_by_scores(scores: Float64, truth: Succession) -> Ranks:
    """Where each query's successor ranks among all other slices; equal scores tie."""
    queries = truth.queries
    rows = scores[queries]
    true = rows[np.arange(queries.size), truth.successor[queries]][:, None]
    own = rows[np.arange(queries.size), queries]
    above = (rows > true).sum(axis=1) - (own > true[:, 0])
    tied = (rows == true).sum(axis=1) - (own == true[:, 0])
    return Ranks(
        above.astype(np.int64), tied.astype(np.int64), len(truth), truth.utterance[queries]
    )
