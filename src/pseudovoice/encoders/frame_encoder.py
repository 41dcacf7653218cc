"""The usual encoder: features of the whole utterance, one network, one embedding."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.encoders.batching import (
    LONGEST_SECONDS,
    MOST_SECONDS_PER_CALL,
    equal_length_groups,
    pieces,
)
from pseudovoice.encoders.encoder import SHORTEST_SECONDS, admit
from pseudovoice.models.once import once
from pseudovoice.signal.frames import Float32


@dataclass(frozen=True)
class FrameEncoder:
    """An :class:`Encoder` put together from a feature extractor and a network.

    ``features`` maps a waveform to an array whose first axis is time; ``network`` maps a stack of
    them, [n, …], to [n, dimension]. A recording of more than a minute is embedded in equal parts
    whose mean is returned, since a network's memory grows with the length of its input.
    """

    name: str
    sample_rate: int
    dimension: int
    licence: str
    sha256: str
    features: Callable[[Float32], Float32]
    network: Callable[[Float32], Float32]
    shortest_seconds: float = SHORTEST_SECONDS
    steps_per_second: int = 100
    """Length of the features of one second: 100 frames, or the sample rate for raw samples."""
    batched: bool = True
    """False for a network whose batch size is fixed at one."""

    def __reduce__(self) -> tuple[Any, ...]:
        """By name, which says where it comes from (see :mod:`pseudovoice.models.once`)."""
        from pseudovoice.encoders.registry import load_encoder

        return once, (load_encoder, self.name, self.sha256)

    def embed(self, batch: Sequence[NDArray[Any]]) -> Float32:
        """See :meth:`Encoder.embed`."""
        result = np.zeros((len(batch), self.dimension), np.float32)
        parts: list[Float32] = []
        owners: list[int] = []
        for owner, waveform in enumerate(admit(batch, self)):
            for piece in pieces(waveform, int(LONGEST_SECONDS * self.sample_rate)):
                parts.append(piece)
                owners.append(owner)
        extracted = [self.features(part) for part in parts]
        most = int(MOST_SECONDS_PER_CALL * self.steps_per_second) if self.batched else 0
        for group in equal_length_groups([len(f) for f in extracted], most):
            rows = self.network(np.stack([extracted[i] for i in group]))
            np.add.at(result, [owners[i] for i in group], rows)
        result /= np.bincount(owners, minlength=len(batch))[:, None]
        return result
