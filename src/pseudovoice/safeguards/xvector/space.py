"""Where voices lie: the few directions in which a speaker encoder tells people apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

DIMENSIONS = 48


@dataclass(frozen=True)
class Space:
    """Principal directions of people's embeddings, each in units of its standard deviation.

    ``encoder`` names whose embeddings they are: ``axes`` [k, d] around ``mean`` [d].
    """

    encoder: str
    mean: Float64
    axes: Float64
    deviation: Float64

    def places(self, embeddings: NDArray[np.floating]) -> Float64:
        """Places [n, k] of embeddings [n, d], whatever their length."""
        unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
        places: Float64 = (unit - self.mean) @ self.axes.T / self.deviation
        return places

    def directions(self, places: NDArray[np.floating]) -> Float64:
        """Unit embeddings [n, d] that lie at places [n, k], as far as so few directions tell."""
        embeddings = self.mean + (places * self.deviation) @ self.axes
        unit: Float64 = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
        return unit


def space_of(encoder: str, people: NDArray[np.floating], dimensions: int = DIMENSIONS) -> Space:
    """The space of people, a mean embedding each [n, d]."""
    unit = np.asarray(people / np.linalg.norm(people, axis=1, keepdims=True), np.float64)
    mean = unit.mean(axis=0)
    _, spread, axes = np.linalg.svd(unit - mean, full_matrices=False)
    # The sign of an axis is nobody's choice: let its largest part be positive.
    signs = np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)])
    axes = (axes * signs[:, None])[:dimensions]
    return Space(encoder, mean, axes, spread[:dimensions] / np.sqrt(len(unit)))
