"""All-pairs scores as mergeable counts, for sets whose score matrix would not fit in memory.

Two histograms of the scores, one per class, on fine bins, and the trials of each pair of
speakers on some hundred coarser rungs. Both are sums over blocks of the matrix: they grow by
adding, and a million utterances never become a million-square matrix.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.calibration.ladder import Floats, Ladder
from pseudovoice.scores.pair_table import PairTable


@dataclass(frozen=True)
class BinnedScores:
    """One condition, counted.

    ``mated`` and ``nonmated`` count scores on equal bins from ``low`` to ``high``;
    ``rung_of_bin`` maps a fine bin to its rung, and ``cells`` counts trials per rung for every
    pair (enrolment speaker, trial speaker), shape (speakers, speakers, rungs), in the narrowest
    integers that hold it.
    """

    speakers: tuple[str, ...]
    low: float
    high: float
    mated: Floats
    nonmated: Floats
    rung_of_bin: NDArray[np.int32]
    cells: PairTable
    edges: Floats | None
    """Bin edges of D_sys: those that exact scores would have had."""
    similarity: str
    terms: PairTable
    """Per pair of speakers, the sum of what its similarity averages (ln σ of the Laplace LLR)."""
    llr: PairTable
    """Per pair of speakers, the sum of its trials' Laplace LLRs."""
    gain: PairTable
    """Per pair of speakers, the sum of what its trials contribute to D_ECE, in nat."""
    strongest: PairTable
    """Per pair of speakers, the largest |Laplace LLR| of its trials."""
    method: str = "exhaustive"
    pairing: str = "all"

    @property
    def named(self) -> bool:
        return True

    @property
    def bins(self) -> int:
        return int(self.mated.size)

    @property
    def width(self) -> float:
        """Width of a fine bin: no score is known more exactly."""
        return (self.high - self.low) / self.bins

    @property
    def centres(self) -> Floats:
        places: Floats = np.arange(self.bins, dtype=np.float64) + 0.5
        return self.low + places * self.width

    def ladder(self) -> Ladder:
        """The fine bins that hold scores, as a ladder of tied scores."""
        filled = np.flatnonzero(self.mated + self.nonmated)
        value = self.centres[filled]
        return Ladder(value, value, self.mated[filled], self.nonmated[filled])

    @property
    def mated_scores(self) -> Floats:
        """Stand-ins for the mated scores, for pictures: at most 20,000, evenly by rank."""
        return self._stand_ins(self.mated)

    @property
    def nonmated_scores(self) -> Floats:
        return self._stand_ins(self.nonmated)

    def _stand_ins(self, counts: Floats) -> Floats:
        total = counts.sum()
        rank = (np.arange(min(int(total), 20_000)) + 0.5) * total / min(int(total), 20_000)
        stand_ins: Floats = self.centres[np.searchsorted(np.cumsum(counts), rank)]
        return stand_ins
