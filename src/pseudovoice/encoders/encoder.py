"""What a speaker encoder is: waveforms in, one embedding each out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import InputError
from pseudovoice.signal.frames import Float32

SHORTEST_SECONDS = 0.25
"""Our networks pool over time; below a few pooled frames their statistics are not defined."""


@runtime_checkable
class Encoder(Protocol):
    """A speaker encoder.

    ``sha256`` identifies the weights (for the cache and the report), ``licence`` is theirs, and
    ``shortest_seconds`` is the least duration it takes. Embeddings are compared by their angle;
    their length means nothing and differs between encoders.
    """

    @property
    def name(self) -> str: ...
    @property
    def sample_rate(self) -> int: ...
    @property
    def dimension(self) -> int: ...
    @property
    def licence(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def shortest_seconds(self) -> float: ...

    def embed(self, batch: Sequence[NDArray[Any]]) -> Float32:
        """One row per waveform (mono, floats in ±1, at ``sample_rate``): [n, dimension].

        The rows do not depend on what else is in the batch (up to rounding, 1e-5 of their length).
        A waveform that is too short, not mono or not finite raises :class:`InputError`.
        """
        ...


def admit(batch: Sequence[NDArray[Any]], encoder: Encoder) -> list[Float32]:
    """The waveforms as float32, or a sentence that says which of them cannot be embedded."""
    return [_admit_one(waveform, index, encoder) for index, waveform in enumerate(batch)]


def _admit_one(waveform: NDArray[Any], index: int, encoder: Encoder) -> Float32:
    which = f"Waveform {index} of the batch"
    if waveform.ndim != 1:
        raise InputError(
            f"{which} has the shape {waveform.shape}, but {encoder.name} takes mono waveforms: "
            f"choose or mix the channels first."
        )
    if waveform.dtype.kind != "f":
        raise InputError(
            f"{which} holds {waveform.dtype} samples, but {encoder.name} takes floats in ±1: "
            f"divide 16-bit samples by 32768 first."
        )
    seconds = waveform.size / encoder.sample_rate
    if seconds < encoder.shortest_seconds:
        raise InputError(
            f"{which} lasts {seconds:.3f} s, but {encoder.name} needs at least "
            f"{encoder.shortest_seconds:g} s: leave it out or join it with its neighbour."
        )
    # The sum is one pass without a temporary; it is finite only if every sample is.
    if not np.isfinite(waveform.sum(dtype=np.float64)):
        raise InputError(f"{which} has samples that are not finite numbers: repair or drop it.")
    return np.ascontiguousarray(waveform, dtype=np.float32)
