"""A condition of listed trials whose similarity rests on all pairs of the segments they try.

The tables of noe2022 are made so: D_ECE, l_w and whatever is normalised from them come from
enrolment models against trial segments, the voice similarity matrices from every trial segment
with every other (§4.1, §6).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pseudovoice.assessment.condition import Condition
from pseudovoice.assessment.similarity import SimilarityMatrix
from pseudovoice.assessment.zoo import Zoo


@dataclass(frozen=True)
class ListedCondition(Condition):
    """Everything from the listed trials, save matrix, D_diag and zoo, which are of ``pairs``."""

    pairs: Condition

    @property
    def under_similarity(self) -> Condition:
        return self.pairs

    @cached_property
    def square(self) -> tuple[NDArray[np.intp], str | None]:
        return np.empty(0, np.intp), "the matrix is made of all pairs"

    @cached_property
    def matrix(self) -> SimilarityMatrix | None:
        return self.pairs.matrix

    @cached_property
    def zoo(self) -> Zoo:
        return self.pairs.zoo
