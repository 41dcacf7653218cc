"""A pool: people who are not protected here, from whose voices targets are made.

It holds what an encoder hears of each of them, their pitch and their sex, and no name.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.atomic import write_atomic
from pseudovoice.errors import InputError
from pseudovoice.json_tree import json_tree
from pseudovoice.plain_arrays import plain_arrays

Float64 = NDArray[np.float64]

FORMAT = 1
SEXES = ("F", "M")
_ARRAYS = ("embeddings", "pitch", "spread", "sex")


@dataclass(frozen=True)
class Pool:
    """People by row: unit embeddings [n, d], median F0 in Hz, spread of log F0, and sex.

    ``told`` is where it comes from: the encoder and its hash, corpora, licences.
    """

    embeddings: Float64
    pitch: Float64
    spread: Float64
    sex: NDArray[np.str_]
    told: Mapping[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.pitch)

    @property
    def encoder(self) -> str:
        return str(self.told["encoder"])

    @cached_property
    def _likenesses(self) -> Float64:
        above = np.triu_indices(len(self), 1)
        return np.sort((self.embeddings @ self.embeddings.T)[above])

    def likeness(self, share: float) -> float:
        """The cosine that this share of the pairs of its people exceeds."""
        return float(np.quantile(self._likenesses, 1 - share))


def write_pool(pool: Pool, path: Path) -> None:
    """One npz file, whole or not at all."""
    stream = io.BytesIO()
    np.savez_compressed(
        stream,
        allow_pickle=False,
        embeddings=pool.embeddings.astype(np.float16),
        pitch=pool.pitch.astype(np.float32),
        spread=pool.spread.astype(np.float32),
        sex=pool.sex.astype("U1"),
        json=np.array(json.dumps({"format": FORMAT, **pool.told}, sort_keys=True)),
    )
    write_atomic(path, stream.getvalue())


def read_pool(path: Path) -> Pool:
    """What :func:`write_pool` wrote; anything else is an :class:`InputError`."""
    try:
        arrays = plain_arrays(path, ("json", *_ARRAYS))
        told = json_tree(str(arrays.pop("json")))
        if not isinstance(told, dict) or told.pop("format", None) != FORMAT:
            raise ValueError("it is of another format")
        str(told["encoder"])
        embeddings, pitch, spread, sex = (arrays[name] for name in _ARRAYS)
        embeddings, pitch, spread = (np.asarray(a, np.float64) for a in (embeddings, pitch, spread))
        _check(embeddings, pitch, spread, sex)
    except FileNotFoundError:
        raise InputError(
            f"{path} does not exist; make a pool with `pseudovoice pool build`."
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path} is no pool ({error}); make one with `pseudovoice pool build`."
        ) from None
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    return Pool(unit, pitch, spread, np.asarray(sex, "U1"), told)


def _check(embeddings: Float64, pitch: Float64, spread: Float64, sex: NDArray[Any]) -> None:
    if embeddings.ndim != 2 or not len(embeddings):
        raise ValueError("it has no people")
    if any(part.shape != (len(embeddings),) for part in (pitch, spread, sex)):
        raise ValueError("its parts have different lengths")
    if not all(np.isfinite(part).all() for part in (embeddings, pitch, spread)):
        raise ValueError("some of its numbers are none")
    if not (np.linalg.norm(embeddings, axis=1) > 0).all() or not (pitch > 0).all():
        raise ValueError("some of its people have no voice")
    if not set(sex.tolist()) <= {*SEXES, ""}:
        raise ValueError("it has another sex than F and M")
