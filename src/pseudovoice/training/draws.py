"""Random numbers that depend on what they are for, not on when they are drawn.

Every draw of the training has its own generator, named by seed, purpose and item. There is no
state to carry along: epoch 7 of a resumed run draws what epoch 7 of an undisturbed one does.
"""

from __future__ import annotations

import hashlib

import numpy as np


def generator(seed: int, *purpose: str | int) -> np.random.Generator:
    """The generator of one purpose, such as ``(seed, "crop", epoch, speaker)``."""
    # repr keeps the parts apart: ("a", "bc") and ("ab", "c") must differ.
    digest = hashlib.sha256(repr((seed, *purpose)).encode()).digest()
    return np.random.default_rng(int.from_bytes(digest, "little"))


def torch_seed(seed: int, *purpose: str | int) -> int:
    """A seed for torch, which takes 64 bits."""
    return int(generator(seed, *purpose).integers(1 << 62))
