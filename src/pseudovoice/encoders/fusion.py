"""Several encoders as one: the attacker who averages their scores.

Each embedding is brought to length 1/√n before they are laid end to end. The cosine of two such
vectors is then the mean of the n encoders' cosines, so score fusion needs no code of its own in
scoring, caching or calibration.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.encoders.encoder import Encoder, admit
from pseudovoice.errors import UsageError
from pseudovoice.signal.frames import Float32

_LEAST_NORM = 1e-12


@dataclass(frozen=True)
class FusedEncoder:
    """An :class:`Encoder` made of others with the same sample rate."""

    parts: tuple[Encoder, ...]

    def __post_init__(self) -> None:
        if len(self.parts) < 2:
            raise UsageError("A fusion needs two encoders or more, as in fusion:resnet34-lm+ecapa.")
        hashes = [part.sha256 for part in self.parts]
        if len(set(hashes)) < len(hashes):
            raise UsageError(f"{self.name} names the same weights twice: name each encoder once.")
        rates = {part.name: part.sample_rate for part in self.parts}
        if len(set(rates.values())) > 1:
            listed = ", ".join(f"{name} {rate} Hz" for name, rate in rates.items())
            raise UsageError(f"A fusion needs encoders of one sample rate, but these are {listed}.")

    @property
    def name(self) -> str:
        return "fusion:" + "+".join(part.name for part in self.parts)

    @property
    def sample_rate(self) -> int:
        return self.parts[0].sample_rate

    @property
    def dimension(self) -> int:
        return sum(part.dimension for part in self.parts)

    @property
    def licence(self) -> str:
        return "; ".join(f"{part.name}: {part.licence}" for part in self.parts)

    @property
    def sha256(self) -> str:
        """Of the parts' hashes in their order."""
        joined = " ".join(part.sha256 for part in self.parts)
        return hashlib.sha256(joined.encode()).hexdigest()

    @property
    def shortest_seconds(self) -> float:
        return max(part.shortest_seconds for part in self.parts)

    def embed(self, batch: Sequence[NDArray[Any]]) -> Float32:
        """See :meth:`Encoder.embed`; rows have length one."""
        waveforms = admit(batch, self)
        blocks = []
        for part in self.parts:
            rows = part.embed(waveforms)
            norms = np.linalg.norm(rows, axis=1, keepdims=True)
            blocks.append(rows / np.maximum(norms * np.sqrt(len(self.parts)), _LEAST_NORM))
        return np.concatenate(blocks, axis=1, dtype=np.float32)
