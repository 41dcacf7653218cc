"""Another sample rate for one channel, block by block, with the same samples as in one piece."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import soxr  # type: ignore[import-untyped, unused-ignore]
from numpy.typing import NDArray


def resampled(
    blocks: Iterable[NDArray[Any]], before: int, after: int, *, quality: str
) -> Iterator[NDArray[Any]]:
    """The blocks at the rate ``after`` in Hz; ``quality`` is one of soxr, such as HQ or VHQ."""
    if before == after:
        yield from blocks
        return
    stream = None
    for block in blocks:
        kind = block.dtype
        stream = stream or soxr.ResampleStream(before, after, 1, dtype=kind, quality=quality)
        yield stream.resample_chunk(np.ascontiguousarray(block))
    if stream is not None:
        yield stream.resample_chunk(np.zeros(0, kind), last=True)
