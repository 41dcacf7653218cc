"""Decode the samples of one utterance, all channels, in one piece."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .corpus import Utterance
from .recording import reading


@dataclass(frozen=True)
class Sound:
    """Samples (frames × channels, float32, full scale ±1) as they are in the file."""

    samples: NDArray[np.float32]
    sample_rate: int
    subtype: str

    @property
    def duration(self) -> float:
        """Seconds."""
        return len(self.samples) / self.sample_rate


def decode(utterance: Utterance) -> Sound:
    """All channels of the utterance, or the one it is on, at its own sample rate.

    Raises AudioError for a file that is missing, empty, no audio, damaged, truncated, without
    samples or with NaN, infinite or absurdly large ones, and for a segment outside the file.
    """
    with reading(utterance) as recording:
        return Sound(joined(recording.blocks()), recording.sample_rate, recording.subtype)


def joined(blocks: Iterable[NDArray[np.float32]]) -> NDArray[np.float32]:
    """All blocks as one array; there is at least one."""
    parts = list(blocks)
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
