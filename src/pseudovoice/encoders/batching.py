"""Which waveforms share one call of the network, and how much of one it sees at a time.

Padding would change the embeddings: the networks pool over all frames and pad their convolutions
at the true ends. Only inputs of exactly equal length are stacked, so a row is the same in any
company.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from pseudovoice.signal.frames import Float32

LONGEST_SECONDS = 60.0
MOST_SECONDS_PER_CALL = 60.0
"""Bounds the memory of one call (about 0.2 GB for ResNet34), however long a recording is."""


def equal_length_groups(lengths: Sequence[int], most: int) -> list[list[int]]:
    """Positions of equal length, together at most ``most`` long (but never less than one)."""
    by_length: dict[int, list[int]] = defaultdict(list)
    for position, length in enumerate(lengths):
        by_length[length].append(position)
    groups = []
    for length, positions in by_length.items():
        step = max(1, most // max(length, 1))
        groups += [positions[i : i + step] for i in range(0, len(positions), step)]
    return groups


def pieces(waveform: Float32, longest: int) -> list[Float32]:
    """The waveform itself, or as few parts as keep each within ``longest`` samples.

    The parts differ by at most one sample, so that none is a useless remainder.
    """
    count = -(-waveform.size // longest)
    if count <= 1:
        return [waveform]
    edges = np.linspace(0, waveform.size, count + 1).round().astype(int)
    return [waveform[a:b] for a, b in pairwise(edges)]
