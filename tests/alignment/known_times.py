"""Speech whose word times are known: recorded digits, cut apart and joined with pauses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.corpus import Utterance

RATE = 16_000


@dataclass(frozen=True)
class Joined:
    """An utterance of joined digits and when each begins and ends."""

    utterance: Utterance
    times: list[tuple[float, float]]


def loud_runs(samples: NDArray[np.float64], count: int) -> list[tuple[int, int]]:
    """The ``count`` stretches of sound that the longest quiet gaps part, in samples."""
    hop = RATE // 100
    level = np.array(
        [np.square(samples[k : k + 2 * hop]).mean() for k in range(0, samples.size - hop, hop)]
    )
    # Well above the noise between the digits, well below any of their sounds.
    loud = np.flatnonzero(level > np.quantile(level, 0.1) * 10 + level.max() * 1e-3)
    gaps = np.diff(loud)
    cuts = np.sort(np.argsort(gaps)[-(count - 1) :])
    starts = loud[np.concatenate([[0], cuts + 1])]
    ends = loud[np.concatenate([cuts, [loud.size - 1]])] + 1
    return [(int(a) * hop, int(b) * hop) for a, b in zip(starts, ends, strict=True)]
