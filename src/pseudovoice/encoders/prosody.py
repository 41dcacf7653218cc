"""An ear for melody and rhythm alone: pitch contour, pace and pauses, and nothing of the voice.

No safeguard here touches them. Figures of the whole utterance stand beside how its syllables
differ from eight usual ones (a Fisher vector). Both are brought to one scale, and what varies from
one utterance of a person to the next counts less (within-class covariance normalisation), as learnt
from the people whom ``benchmarks/prosody_weights.py`` names.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.encoders.encoder import SHORTEST_SECONDS, admit
from pseudovoice.signal.frames import Float32
from pseudovoice.signal.melody import described, melody, syllables
from pseudovoice.signal.pitch import RATE, Float64, tracker

WEIGHTS = "prosody.npz"
VERSION = 1
"""Of what is computed; with the weights and the pitch tracker it names an embedding."""
SOFTNESS = 3.0
"""How far a syllable may be from a usual one and still count for it, in variances."""
DOUBT = 4.0
"""Syllables of the average person that are added to those that were heard."""
FARTHEST = 4.0
"""Standard deviations that a figure may be off: a slip must not decide alone."""


@dataclass(frozen=True)
class Scale:
    """What was learnt: ``usual`` syllables in units of ``unit``, and the scale of all figures."""

    usual: Float64
    unit: Float64
    mean: Float64
    spread: Float64
    whiten: Float64

    def __call__(self, figures: Float64) -> Float64:
        """Figures, one row an utterance, as vectors to be compared by their angle."""
        known = np.where(np.isfinite(figures), figures, self.mean)
        vectors: Float64 = np.clip((known - self.mean) / self.spread, -FARTHEST, FARTHEST)
        return vectors @ self.whiten


def figures_of(waveform: Float32, usual: Float64, unit: Float64) -> Float64 | None:
    """All figures of an utterance; None where there is no melody in it."""
    heard = melody(waveform)
    if heard is None:
        return None
    return np.concatenate([described(heard), unusual(syllables(heard) / unit, usual)])


def unusual(found: Float64, usual: Float64) -> Float64:
    """How many syllables are like each of the usual ones, and how these differ from it."""
    apart = found[:, None] - usual[None]
    distance = np.square(apart).sum(axis=2)
    nearest = distance.min(axis=1, keepdims=True, initial=np.inf)
    share = np.exp((nearest - distance) / (2.0 * SOFTNESS))
    share /= share.sum(axis=1, keepdims=True)
    count = share.sum(axis=0)
    differ = np.einsum("sk,skd->kd", share, apart) / (count[:, None] + DOUBT)
    return np.concatenate([np.sqrt(count / max(count.sum(), 1.0)), differ.ravel()])


@dataclass(frozen=True)
class ProsodyEncoder:
    """An :class:`Encoder`; an utterance in which hardly anything is voiced has no embedding."""

    scale: Scale
    sha256: str
    name: str = "prosody"
    licence: str = "that of pseudovoice"
    sample_rate: int = RATE
    shortest_seconds: float = SHORTEST_SECONDS

    @property
    def dimension(self) -> int:
        return int(self.scale.whiten.shape[1])

    def embed(self, batch: Sequence[NDArray[Any]]) -> Float32:
        """See :meth:`Encoder.embed`."""
        result = np.zeros((len(batch), self.dimension), np.float32)
        for row, waveform in zip(result, admit(batch, self), strict=True):
            figures = figures_of(waveform, self.scale.usual, self.scale.unit)
            if figures is not None:
                row[:] = self.scale(figures)
        return result


def load_prosody() -> ProsodyEncoder:
    """The encoder ``prosody``."""
    data = (files("pseudovoice.encoders") / WEIGHTS).read_bytes()
    with np.load(io.BytesIO(data), allow_pickle=False) as stored:
        scale = Scale(**{name: stored[name].astype(np.float64) for name in stored.files})
    mark = hashlib.sha256(data)
    mark.update(f"{VERSION} {tracker()}".encode())
    return ProsodyEncoder(scale, mark.hexdigest())
